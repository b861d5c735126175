"""Finding memories."""

from threengram.api.operations.operation import Operation
from threengram.core.search import search
from threengram.schema.enums import OAuthScope
from threengram.schema.search import SearchInput, SearchOutput

SEARCH = Operation(
    name="search",
    method="POST",
    path="/search",
    title="Search memories",
    description=(
        "By meaning and by words, best first, or with `order` chronological everything that matches, newest first. "
        "Hits carry excerpts; `coverage` says what the search could see. `nextCursor` leads to the next page of the "
        "same query and filters."
    ),
    tag="search",
    scope=OAuthScope.MEMORY_READ,
    input=SearchInput,
    output=SearchOutput,
    handler=search,
)
