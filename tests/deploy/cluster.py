"""As much of an API server as Helm's `lookup` asks: the kinds of the core group, and Secrets by name."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import helm_python as helm
from starlette.types import Receive, Scope, Send

from tests.stand_ins import StandIn, answer

CORE = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": "v1",
    "resources": [
        {"name": "secrets", "singularName": "secret", "namespaced": True, "kind": "Secret", "verbs": ["get", "list"]}
    ],
}
ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": CORE,
    "/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.0"},
}
NOT_FOUND = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}


class ApiServer(StandIn):
    """Knows these Secrets by their name."""

    def __init__(self, secrets: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__()
        self._secrets = secrets

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        found = ANSWERS.get(path) or self._secrets.get(path.rpartition("/secrets/")[2])
        await answer(send, 200 if found else 404, json.dumps(found or NOT_FOUND).encode())


@contextlib.contextmanager
def cluster(secrets: Mapping[str, Mapping[str, Any]]) -> Iterator[helm.Config]:
    """Helm's connection to a cluster that holds these Secrets."""
    with ApiServer(secrets) as server:
        kubeconfig = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": {"server": server.url}}],
            "users": [{"name": "test", "user": {}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "current-context": "test",
        }
        with helm.Config(kubeconfig_content=json.dumps(kubeconfig), storage_driver="memory") as config:
            yield config
