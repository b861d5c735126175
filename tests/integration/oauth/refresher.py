"""A client's process that shares a stored refresh token with others; run as a script, with nothing but Python.

Reads a line of JSON, `{port, client_id, refresh_token}`, says that it is ready, and at the next line does what clients
do: refreshes, calls with the new access token, refreshes again, calls again. Writes the statuses and what it has then.
"""

import http.client
import json
import sys
from typing import Any
from urllib.parse import urlencode

given = json.loads(sys.stdin.readline())
connection = http.client.HTTPConnection("127.0.0.1", given["port"], timeout=30)
statuses: list[int] = []


def answer() -> bytes:
    response = connection.getresponse()
    statuses.append(response.status)
    return response.read()


def refresh(refresh_token: str) -> dict[str, Any]:
    """The answer of the token endpoint."""
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": given["client_id"]}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/oauth/token", urlencode(form), headers)
    tokens: dict[str, Any] = json.loads(answer())
    return tokens


connection.connect()
print("ready", flush=True)
sys.stdin.readline()
tokens = {"refresh_token": given["refresh_token"]}
for _ in range(2):
    tokens = refresh(tokens.get("refresh_token", ""))
    connection.request("GET", "/api/v1/stats", headers={"authorization": f"Bearer {tokens.get('access_token')}"})
    answer()
print(json.dumps({"statuses": statuses, "refresh_token": tokens.get("refresh_token")}), flush=True)
