"""The files that pages refer to: named by their content, so that browsers may keep them."""

import hashlib
from pathlib import Path
from typing import Final

from starlette.responses import Response

MAX_AGE_S: Final = 86_400
_HEADERS: Final = {"cache-control": f"public, max-age={MAX_AGE_S}, immutable", "x-content-type-options": "nosniff"}


class ServedFile:
    """A file of the folder `static`, read once."""

    def __init__(self, name: str, media_type: str) -> None:
        self.path = f"/static/{name}"
        self._body = (Path(__file__).parent / "static" / name).read_bytes()
        self._media_type = media_type
        self.url = f"{self.path}?v={hashlib.sha256(self._body).hexdigest()[:12]}"

    def response(self) -> Response:
        """The whole file."""
        return Response(self._body, headers=_HEADERS, media_type=self._media_type)


STYLE: Final = ServedFile("style.css", "text/css")
ICON: Final = ServedFile("icon.svg", "image/svg+xml")
