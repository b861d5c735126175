"""What is superseded, archived or erased appears on no route that should not show it."""

from typing import Any

import pytest

from tests.contract.rest.stack import Rest
from tests.contract.visibility import ARCHIVED, LIVE, SUPERSEDED, WORDS, Lives, lived, shown
from tests.people import Person

ROUTES: dict[str, tuple[str, str, dict[str, Any], set[str]]] = {
    "search": ("POST", "/search", {"query": " ".join(WORDS), "limit": 25}, {LIVE, SUPERSEDED}),
    "facts": ("POST", "/facts/get", {}, {LIVE}),
    "briefing": ("POST", "/briefing", {"selector": {"kind": "all"}}, {LIVE}),
    "handoff": ("POST", "/handoff", {"selector": {"kind": "all"}}, {LIVE}),
    "proposals": ("POST", "/proposals", {"action": "list"}, set()),
    "list": ("GET", "/memories", {}, {LIVE}),
    "list of archived": ("GET", "/memories", {"status": "archived"}, {ARCHIVED}),
    "list of superseded": ("GET", "/memories", {"status": "superseded"}, {SUPERSEDED}),
    "list of all": ("GET", "/memories", {"status": "all"}, {LIVE, SUPERSEDED, ARCHIVED}),
    "facets": ("GET", "/memories/facets", {}, {LIVE}),
    "scopes": ("GET", "/scopes", {}, set()),
    "stats": ("GET", "/stats", {}, set()),
    "environment": ("GET", "/environment", {}, set()),
}
PATHS = {"remember": "/memories", "revise": "/memories/{predecessorId}/revise"}


@pytest.fixture
async def lives(rest: Rest, alice: Person, owner_url: str) -> Lives:
    async def write(verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
        inside = {name: value for name, value in arguments.items() if name != "predecessorId"}
        answer = await rest.post(PATHS[verb].format(**arguments), inside)
        content: dict[str, Any] = answer.raise_for_status().json()
        return content

    async def put_away(memory_id: str) -> None:
        (await rest.post(f"/memories/{memory_id}/archive")).raise_for_status()

    return await lived(write, put_away, owner_url, alice.principal)


@pytest.mark.parametrize(("method", "path", "arguments", "words"), ROUTES.values(), ids=ROUTES.keys())
@pytest.mark.usefixtures("lives")
async def test_a_route_shows_only_what_it_should(
    rest: Rest, method: str, path: str, arguments: dict[str, Any], words: set[str]
) -> None:
    given = {"json": arguments} if method == "POST" else {"params": arguments}
    answer = await rest.send(method, path, **given)
    assert answer.status_code == 200, answer.text
    assert shown(answer.text) == words


@pytest.mark.parametrize("suffix", ["", "/history"])
async def test_a_memory_that_is_asked_for_by_id_is_shown_unless_it_is_erased(
    rest: Rest, lives: Lives, suffix: str
) -> None:
    texts = [(await rest.get(f"/memories/{memory_id}{suffix}")).text for memory_id in lives.ids.values()]
    assert shown(" ".join(texts)) == {LIVE, SUPERSEDED, ARCHIVED}
