"""What every image of a service keeps."""

from images.build import version
from images.engine import Docker
from tests.images.containers import configuration, look_inside

MEGABYTE = 1_000_000
UNPRIVILEGED = 65_532


def hold_for(docker: Docker, service: str, *, limit_mb: int | None = None) -> int:
    """Check them; the bytes of the application layer."""
    described = configuration(docker, service)
    assert described["User"] == f"{UNPRIVILEGED}:{UNPRIVILEGED}"
    assert described["StopSignal"] == "SIGTERM"
    assert described["Labels"]["org.opencontainers.image.title"] == f"3ngram {service}"
    assert described["Labels"]["org.opencontainers.image.version"] == version()
    inside = look_inside(docker, service)
    assert (inside["uid"], int(inside["capabilities"], 16)) == (UNPRIVILEGED, 0)
    assert (inside["installers"], inside["programs"], inside["uncompiled"]) == ([], [], [])
    assert inside["listed"] == inside["installed"]
    assert f"threengram-{service}" in inside["installed"]
    size: int = inside["application_bytes"]
    if limit_mb is not None:
        assert size <= limit_mb * MEGABYTE
    return size
