"""Fetching client metadata documents, where it is not configured."""

import httpx2

from threengram.cimd.app import build


async def test_a_document_is_not_fetched_where_fetching_is_not_configured() -> None:
    transport = httpx2.ASGITransport(app=build())
    async with httpx2.AsyncClient(transport=transport, base_url="http://cimd") as http:
        response = await http.post("/v1/resolve", json={"clientId": "https://app.example/client.json"})
        listed = await http.get("/v1/resolve")

    assert response.status_code == 503
    assert response.json() == {"error": "unavailable", "detail": "not configured", "retryable": False}
    assert (listed.status_code, listed.headers["allow"]) == (405, "POST")
