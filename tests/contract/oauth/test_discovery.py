"""What a client reads before it begins."""

import httpx2
import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, ProtectedResourceMetadata

from tests.contract.mcp.stack import started
from tests.contract.oauth.stack import API, CALLBACK, MCP, Flow, gateway_of
from tests.people import ISSUER, SIGNING_KEY
from threengram.core.call import Core

SERVER = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"
RESOURCE = "/.well-known/oauth-protected-resource"


@pytest.mark.parametrize(
    "path", [SERVER, f"{SERVER}/mcp", OPENID, f"{OPENID}/mcp", f"/mcp{OPENID}", f"{SERVER}/api/v1"]
)
async def test_the_server_describes_itself_wherever_a_client_looks(flow: Flow, path: str) -> None:
    response = await flow.http.get(path)
    document = response.json()
    described = OAuthMetadata.model_validate(document)
    assert response.headers["access-control-allow-origin"] == "*"
    assert "max-age" in response.headers["cache-control"]
    assert None not in document.values()
    assert str(described.issuer) == document["issuer"] == ISSUER
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert document["token_endpoint_auth_methods_supported"] == ["none", "client_secret_basic", "client_secret_post"]
    assert document["client_id_metadata_document_supported"] is True
    assert document["authorization_response_iss_parameter_supported"] is True


async def test_every_endpoint_that_is_named_is_there(flow: Flow) -> None:
    document = (await flow.http.get(SERVER)).json()
    endpoints = [name for name in document if name.endswith(("_endpoint", "_uri"))]
    assert len(endpoints) == 5
    for name in endpoints:
        path = document[name].removeprefix(ISSUER)
        assert (await flow.http.get(path)).status_code in (200, 400, 405), name


async def test_the_scopes_of_both_documents_agree(flow: Flow, core: Core) -> None:
    offered = set((await flow.http.get(SERVER)).json()["scopes_supported"])
    transport = httpx2.ASGITransport(app=gateway_of(core))
    async with started(transport.app), httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as gateway:
        of_mcp = [(await gateway.get(path)).json() for path in (RESOURCE, f"{RESOURCE}/mcp")]
    of_api = [(await flow.http.get(path)).json() for path in (RESOURCE, f"{RESOURCE}/api/v1")]
    for document in (*of_mcp, *of_api):
        assert set(document["scopes_supported"]) <= offered
        assert ProtectedResourceMetadata.model_validate(document).bearer_methods_supported == ["header"]
        assert document["authorization_servers"] == [ISSUER]
    assert {document["resource"] for document in of_mcp} == {MCP}
    assert {document["resource"] for document in of_api} == {API}


async def test_a_client_that_looks_at_the_gateway_for_the_server_finds_it(flow: Flow, core: Core) -> None:
    transport = httpx2.ASGITransport(app=gateway_of(core))
    async with started(transport.app), httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as gateway:
        found = [(await gateway.get(path)).json() for path in (SERVER, f"{SERVER}/mcp")]
    assert found == [(await flow.http.get(SERVER)).json()] * 2


async def test_only_public_halves_of_the_keys_are_published(flow: Flow) -> None:
    for path in ("/jwks", "/.well-known/jwks.json"):
        response = await flow.http.get(path)
        keys = {key["kid"]: key for key in response.json()["keys"]}
        assert set(keys[SIGNING_KEY.kid or ""]) == {"kty", "kid", "alg", "use", "n", "e"}
        assert "max-age" in response.headers["cache-control"]


async def test_an_api_call_without_a_token_learns_where_to_get_one(flow: Flow) -> None:
    missing = await flow.http.get("/api/v1/version")
    wrong = await flow.http.get("/api/v1/version", headers={"authorization": "Bearer a.b.c"})
    for response in (missing, wrong):
        assert response.status_code == 401
        assert f'resource_metadata="{ISSUER}{RESOURCE}/api/v1"' in response.headers["www-authenticate"]


async def test_the_official_models_read_a_registration(flow: Flow) -> None:
    response = await flow.http.post("/oauth/register", json={"redirect_uris": [CALLBACK]})
    assert OAuthClientInformationFull.model_validate(response.json()).client_secret
