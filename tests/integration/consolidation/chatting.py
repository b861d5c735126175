"""A chat gateway that answers as it is told, on loopback."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], tuple[int, str]]
"""From a request to a status and the body of the answer."""


@dataclass
class Chat:
    """What it was asked, and how it answers."""

    url: str = ""
    answer: Answer = lambda _request: (500, "")
    asked: list[dict[str, Any]] = field(default_factory=list)
    credentials: list[str | None] = field(default_factory=list)
    drips_every_s: float = 0.0
    """Unless it is zero, bodies are sent byte by byte."""
    over: threading.Event = field(default_factory=threading.Event)

    def says(self, **answers: object) -> None:
        """Answer each question by the name of its schema."""
        self.answer = lambda request: (200, completion(answers[request["response_format"]["json_schema"]["name"]]))


def completion(answer: object) -> str:
    """A chat completion whose message is this JSON."""
    message = {"role": "assistant", "content": json.dumps(answer)}
    return json.dumps({"choices": [{"message": message}], "usage": {"prompt_tokens": 90, "completion_tokens": 10}})


@contextmanager
def chat_gateway() -> Iterator[Chat]:
    chat = Chat()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            chat.asked.append(request)
            chat.credentials.append(self.headers["authorization"])
            status, body = chat.answer(request)
            self.send_response(status)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            if chat.drips_every_s:
                self._drip(body.encode())
            else:
                self.wfile.write(body.encode())

        def _drip(self, body: bytes) -> None:
            with suppress(ConnectionError):
                for place in range(len(body)):
                    self.wfile.write(body[place : place + 1])
                    if chat.over.wait(chat.drips_every_s):
                        return

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    chat.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield chat
    finally:
        chat.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
