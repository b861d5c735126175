"""Fixtures of the tests of the authorization server."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.conftest import Clock
from tests.contract.oauth.stack import DocumentService, Flow, Server, document_service, flow_of, server_of
from tests.contract.web.stack import Owner, an_owner, quick_hashes
from tests.integration.cimd.origin import Origin, origin_for
from threengram.core.call import Core
from threengram.core.people.passwords import PasswordHashes


@pytest.fixture
def hashes() -> Iterator[PasswordHashes]:
    with quick_hashes() as made:
        yield made


@pytest.fixture
async def olga(core: Core, hashes: PasswordHashes) -> Owner:
    """Has a password."""
    return await an_owner(core.database, hashes, core)


@pytest.fixture
def server(core: Core, hashes: PasswordHashes) -> Server:
    """Knows clients that registered themselves."""
    return server_of(core, hashes)


@pytest.fixture
async def flow(server: Server, olga: Owner) -> AsyncIterator[Flow]:
    async with flow_of(server, olga) as opened:
        yield opened


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with origin_for("app.example") as running:
        yield running


@pytest.fixture
async def described(origin: Origin, clock: Clock) -> AsyncIterator[DocumentService]:
    async with document_service(origin, clock) as service:
        yield service


@pytest.fixture
async def described_flow(
    described: DocumentService, core: Core, hashes: PasswordHashes, olga: Owner
) -> AsyncIterator[Flow]:
    """A server that knows clients by their documents too."""
    async with flow_of(server_of(core, hashes, described.documents), olga) as opened:
        yield opened
