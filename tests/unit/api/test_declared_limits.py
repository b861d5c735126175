"""Every route of the service says what its calls are counted by, and what happens when nobody can count."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from joserfc.jwk import RSAKey
from pydantic import SecretStr
from starlette.routing import Route

from threengram.api import build
from threengram.api.app import Api
from threengram.api.limits import declared
from threengram.api.operations import PREFIX
from threengram.api.settings import Settings
from threengram.runtime.ratelimit import Rule

CREDENTIALS = ("login", "logout", "account", "oauth")
MEMORY_PAGES = ("memories", "commitments", "facts", "proposals")
PUBLIC = ("static", ".well-known")


@pytest.fixture(scope="module")
def routes() -> list[Route]:
    pem = RSAKey.generate_key(2048).as_pem(private=True).decode()
    settings = Settings(
        database_url=SecretStr("postgresql://nobody@127.0.0.1:1/x"),
        redis_url=SecretStr("redis://127.0.0.1:1"),
        cursor_key=SecretStr("a" * 43),
        signing_key=SecretStr(pem),
    )
    app = build.build_routes(Api(settings).collaborators())
    assert isinstance(app, FastAPI)
    return [route for route in app.router.routes if isinstance(route, Route) and not _is_end(route)]


def _is_end(route: Route) -> bool:
    return isinstance(route.endpoint, build._End)


def rules_below(routes: list[Route], *tops: str) -> Iterator[tuple[str, tuple[Rule, ...]]]:
    for route in routes:
        if route.path.split("/")[1] in tops:
            yield route.path, declared(route)


def test_every_route_declares_what_it_counts_by(routes: list[Route]) -> None:
    assert len(routes) > 40
    assert [route.path for route in routes if not declared(route)] == []


def test_a_route_where_a_credential_is_tried_or_made_never_opens(routes: list[Route]) -> None:
    found = dict(rules_below(routes, *CREDENTIALS))
    assert {"/login", "/logout", "/account", "/oauth/authorize", "/oauth/token", "/oauth/register"} <= found.keys()
    assert [path for path, rules in found.items() if any(rule.fallback != "local" for rule in rules)] == []


def test_what_is_public_is_read_without_counters_too(routes: list[Route]) -> None:
    found = dict(rules_below(routes, *PUBLIC))
    assert len(found) > 4
    assert {rule.name for rules in found.values() for rule in rules} == {"public_address"}


def test_memory_is_counted_by_key_and_user_and_stays_reachable(routes: list[Route]) -> None:
    found = {path: rules for path, rules in rules_below(routes, "api") if path != build.DESCRIPTION_PATH}
    assert all(path.startswith(PREFIX) for path in found)
    assert {tuple((rule.name, rule.fallback) for rule in rules) for rules in found.values()} == {
        (("api_key", "open"), ("api_user", "open"))
    }


def test_pages_about_memories_are_counted_by_address_and_as_rest_is(routes: list[Route]) -> None:
    found = dict(rules_below(routes, *MEMORY_PAGES))
    assert {path.split("/")[1] for path in found} == set(MEMORY_PAGES)
    assert {tuple((rule.name, rule.fallback) for rule in rules) for rules in found.values()} == {
        (("page_address", "local"), ("api_key", "open"), ("api_user", "open"))
    }
