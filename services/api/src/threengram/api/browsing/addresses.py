"""Addresses that hold what a person asked for in sealed form.

A form that asks something is sent by POST and answered by a redirect to such an address: going back, reloading and
bookmarks work, and no log of a proxy and no history of a browser gets to see a word of it.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from threengram.api.visits import Visit
from threengram.core.sealing import Sealer

ASKED: Final = "s"
CURSOR: Final = "cursor"


class Addresses:
    """Makes and reads them, each for one tenant."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    def of(self, visit: Visit, path: str, fields: Mapping[str, str], cursor: str | None = None) -> str:
        """The address of what these fields ask for, from a page on."""
        asked = {name: value for name, value in fields.items() if value}
        query = {}
        if asked:
            query[ASKED] = self._sealer.seal(visit.session.principal.tenant_id, orjson.dumps(asked))
        if cursor is not None:
            query[CURSOR] = cursor
        return path + (f"?{urlencode(query)}" if query else "")

    def fields(self, visit: Visit) -> Mapping[str, str]:
        """What this request asks for; nothing where the address was not made here for this tenant."""
        sealed = visit.request.query_params.get(ASKED, "")
        payload = self._sealer.open(visit.session.principal.tenant_id, sealed)
        asked: Mapping[str, Any] = orjson.loads(payload or b"{}")
        return asked


def cursor_of(visit: Visit) -> str | None:
    """Where the page begins; None for the first one."""
    return visit.request.query_params.get(CURSOR) or None
