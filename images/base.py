"""The two base images, made of Debian packages by mmdebstrap: `threengram/base` and `threengram/build`.

`base` is Python's interpreter and standard library with what wheels link to, and no shell, package manager or pip.
`build` is the same Python with venv, a shell and binutils. No maintainer script runs, so what those would have made
(the bundle of certificates, accounts) is made here. Each package's record stays in /var/lib/dpkg/status.d, where
scanners look for it.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from images.engine import Docker

SUITE = "bookworm"
PYTHON = "python3.11"
INTERPRETER = (
    f"{PYTHON}-minimal",
    f"lib{PYTHON}-stdlib",
    "ca-certificates",
    "tzdata",
    "libstdc++6",
    "libgcc-s1",
    "zlib1g",
)
TOOLS = (f"{PYTHON}-venv", "binutils", "coreutils", "dash", "findutils")
SHELL = ("dash",)
ACCOUNTS = {
    "passwd": "root:x:0:0:root:/root:/sbin/nologin\nthreengram:x:65532:65532:threengram:/tmp:/sbin/nologin\n",
    "group": "root:x:0:\nthreengram:x:65532:\n",
    "nsswitch.conf": "hosts: files dns\n",
}
UNWANTED = ("debconf", "dpkg", "mawk", "openssl", "perl-base", "tar")
"""What ca-certificates needs for its maintainer scripts only."""

SETTLE = f"""\
#!/bin/sh
set -eu
root=$1
mkdir -p "$root/var/lib/dpkg/status.d"
for deb in "$root"/var/cache/apt/archives/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    case " {" ".join(UNWANTED)} " in
    *" $name "*) dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n '/[^/]$/p' | (cd "$root" && xargs rm -f) ;;
    *) dpkg-deb -f "$deb" > "$root/var/lib/dpkg/status.d/$name" ;;
    esac
done
ln -sf {PYTHON} "$root/usr/bin/python3"
mkdir -p "$root/usr/lib/ssl"
cat "$root"/usr/share/ca-certificates/mozilla/*.crt > "$root/etc/ssl/certs/ca-certificates.crt"
ln -sf /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
rm -rf "$root/usr/share/doc" "$root/usr/share/man" "$root/usr/share/locale" "$root/usr/share/perl5"
rm -rf "$root/usr/lib/{PYTHON}/lib2to3" "$root/usr/lib/{PYTHON}/pydoc_data"
# Nothing can be written later, and a start without bytecode takes seconds; a build writes its own.
[ -e "$root/usr/bin/strip" ] || chroot "$root" /usr/bin/{PYTHON} -m compileall -q -j 0 \\
    --invalidation-mode unchecked-hash /usr/lib/{PYTHON}
"""


def make(docker: Docker, name: str, extra: Sequence[str]) -> None:
    """Import the base image `name` with `extra` packages, unless the engine has it."""
    if docker.run("images", "--quiet", name):
        return
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(directory) / "root.tar"
        subprocess.run(mmdebstrap(Path(directory), archive, extra), check=True)
        docker.run("import", "--change=ENV LANG=C.UTF-8", str(archive), name)


def mmdebstrap(directory: Path, archive: Path, extra: Sequence[str]) -> list[str]:
    """The command that makes the archive of one root file system; accounts come by way of `directory`."""
    settle = directory / "settle"
    settle.write_text(SETTLE)
    settle.chmod(0o755)
    uploads = []
    for file, content in ACCOUNTS.items():
        (directory / file).write_text(content)
        uploads.append(f'--extract-hook=upload "{directory / file}" /etc/{file}')
    return [
        "mmdebstrap", "--quiet", "--mode=root", "--variant=extract", f"--include={','.join([*INTERPRETER, *extra])}",
        f"--extract-hook={settle}", *uploads, SUITE, str(archive),
    ]  # fmt: skip
