"""As much of an API server as Helm's `lookup` asks: the kinds of the core group, and Secrets by name."""

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import helm_python as helm

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


@contextlib.contextmanager
def cluster(secrets: Mapping[str, Mapping[str, Any]]) -> Iterator[helm.Config]:
    """Helm's connection to a cluster that holds these Secrets."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            found = ANSWERS.get(path) or secrets.get(path.rpartition("/secrets/")[2])
            body = json.dumps(found or NOT_FOUND).encode()
            self.send_response(200 if found else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        kubeconfig = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": {"server": address}}],
            "users": [{"name": "test", "user": {}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "current-context": "test",
        }
        with helm.Config(kubeconfig_content=json.dumps(kubeconfig), storage_driver="memory") as config:
            yield config
    finally:
        server.shutdown()
        server.server_close()
        serving.join()
