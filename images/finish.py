"""Turn installed packages into the application layer of an image: `finish.py SERVICE SITE_PACKAGES TARGET`.

What a running service never reads is left out, debug symbols are cut off, bytecode is compiled for the place where it
will lie, and a bill of materials (CycloneDX) and the entry point are added. Runs in the build stage only.
"""

import compileall
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

SOURCES_OF_BINARIES = frozenset({".pyi", ".pyx", ".pxd", ".pxi", ".c", ".cpp", ".h", ".hpp", ".proto", ".a"})
UNUSED = (
    "google/[aclt]*",  # googleapis-common-protos beyond google.rpc
    "google/gapic",
    "opentelemetry/semconv/_incubating/*/[!_o]*",
    "pydantic/v1",
    "pydantic/mypy.py",
)
"""Parts of packages that nothing here imports: every image is started in the tests."""

ENTRY = """\
import runpy

runpy.run_module("threengram.{service}", run_name="__main__", alter_sys=True)
"""


def prune(site: Path) -> None:
    """Leave out tests, type stubs and the sources of what is compiled."""
    unused = [path for pattern in (*UNUSED, "**/tests/") for path in site.glob(pattern)]
    for path in [*unused, *(path for path in site.rglob("*") if path.suffix in SOURCES_OF_BINARIES)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def strip(site: Path) -> None:
    """Cut off symbols that extension modules do not need; bundled libraries, rewritten by their packagers, stay."""
    modules = [str(path) for path in site.rglob("*.so") if not any(part.endswith(".libs") for part in path.parts)]
    if modules:
        subprocess.run(["strip", "--strip-unneeded", *modules], check=True)


def components(site: Path) -> Iterator[Component]:
    """Every installed distribution."""
    for found in sorted(installed(site), key=lambda found: found.name):
        yield Component(
            type=ComponentType.LIBRARY,
            name=found.name,
            version=found.version,
            description=found.metadata["Summary"],
            purl=PackageURL("pypi", name=found.name.lower().replace("_", "-"), version=found.version),
        )


def installed(site: Path) -> Iterable[Distribution]:
    """The distributions below `site`."""
    return distributions(path=[str(site)])


def bill_of_materials(service: str, site: Path) -> str:
    """CycloneDX 1.6 as JSON, the service as what it describes."""
    own = next(found for found in installed(site) if found.name == f"threengram-{service}")
    bom = Bom(components=components(site))
    bom.metadata.component = Component(type=ComponentType.APPLICATION, name=own.name, version=own.version)
    return str(JsonV1Dot6(bom).output_as_string(indent=1))


def main(service: str, site: Path, target: Path) -> None:
    """Move `site` to `target`, finished."""
    prune(site)
    strip(site)
    (site / "__main__.py").write_text(ENTRY.format(service=service))
    (site / "sbom.cdx.json").write_text(bill_of_materials(service, site))
    shutil.move(site, target)
    # Checked by nobody: the layer is read-only, so source and bytecode can't part.
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    if not compileall.compile_dir(target, quiet=1, workers=0, invalidation_mode=unchecked):
        raise SystemExit("some source does not compile")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
