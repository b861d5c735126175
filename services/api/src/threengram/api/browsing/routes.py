"""All pages about memories."""

from starlette.responses import Response
from starlette.routing import Route

from threengram.api.browsing.addresses import Addresses
from threengram.api.browsing.commitments import CommitmentsPage
from threengram.api.browsing.correction import CorrectionPage
from threengram.api.browsing.facts import FactsPage
from threengram.api.browsing.memories import MEMORIES_PATH, MemoriesPage
from threengram.api.browsing.memory import MemoryPage
from threengram.api.pages import see_other
from threengram.api.visits import Visit, Visits
from threengram.core.cursor import CursorSealer
from threengram.core.time.clock import Clock


def routes(visits: Visits, cursors: CursorSealer, clock: Clock) -> list[Route]:
    """What `app` serves beside the account."""
    addresses = Addresses(cursors.sealer("addresses"))
    memories = MemoriesPage(addresses, clock)
    return [
        visits.page("/", _first_page),
        *memories.routes(visits),
        *MemoryPage(memories, clock).routes(visits),
        *CorrectionPage(clock).routes(visits),
        *CommitmentsPage(addresses, memories).routes(visits),
        *FactsPage(addresses).routes(visits),
    ]


async def _first_page(_visit: Visit) -> Response:
    return see_other(MEMORIES_PATH)
