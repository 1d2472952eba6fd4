"""A server of ours that speaks OpenAI's embedding protocol, knows a few words, and fails as real ones do."""

import gzip
import hashlib
import json
import math
import random
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 256
# Words that mean the same to it.
CONCEPTS = {
    "puppy": "dog", "hound": "dog", "dogs": "dog", "canine": "dog",
    "automobile": "car", "vehicle": "car", "cars": "car",
    "loaf": "bread", "baguette": "bread", "sourdough": "bread",
}  # fmt: skip

Vectors = list[list[float]]
# What it says to a request: the vectors it would send, to be changed or withheld.
Script = Callable[["Request"], "Reply | None"]


@dataclass(frozen=True)
class Request:
    texts: list[str]
    body: dict[str, Any]
    headers: dict[str, str]
    vectors: Vectors


@dataclass(frozen=True)
class Reply:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    # close the connection after so many bytes of the body
    cut: int | None = None


def embed(text: str, *, model: str = "", dimension: int = DIMENSION) -> list[float]:
    """The sum of a direction for each longer word; words that mean the same share theirs."""
    words = [word.strip(".,?!").lower() for word in text.split()]
    total = [0.0] * dimension
    for word in [word for word in words if len(word) > 3] or words or [""]:
        for place, number in enumerate(_direction(f"{model}:{CONCEPTS.get(word, word)}", dimension)):
            total[place] += number
    length = math.hypot(*total) or 1.0
    return [number / length for number in total]


@lru_cache(maxsize=10_000)
def _direction(word: str, dimension: int) -> tuple[float, ...]:
    seeded = random.Random(hashlib.sha256(word.encode()).digest())
    return tuple(seeded.gauss(0, 1) for _ in range(dimension))


def said(vectors: Sequence[Any], **more: Any) -> Reply:
    """A well-formed reply with these as its vectors."""
    rows = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    body = {"object": "list", "model": "scripted", "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    return Reply(json.dumps(body | more).encode(), headers={"Content-Type": "application/json"})


class EmbeddingServer:
    """Running on a port of its own. ``script`` answers in its place; returning None it answers as it should."""

    def __init__(self) -> None:
        self.model = ""
        self.dimension = DIMENSION
        self.script: Script | None = None
        self.requests: list[Request] = []
        # Set to let those go that hang.
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def texts(self) -> list[str]:
        """Everything it was ever sent."""
        return [text for request in self.requests for text in request.texts]

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def hang(self, _request: Request) -> None:
        """A script: say nothing until the test is over."""
        self.released.wait(60)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = body["input"]
                vectors = [embed(text, model=server.model, dimension=server.dimension) for text in texts]
                request = Request(texts, body, {key.lower(): value for key, value in self.headers.items()}, vectors)
                server.requests.append(request)
                reply = (server.script(request) if server.script else None) or said(vectors)
                try:
                    self._send(reply)
                except OSError:
                    self.close_connection = True

            def _send(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if reply.cut is not None:
                    self.wfile.write(reply.body[: reply.cut])
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as in the base class
                """Nothing on standard error."""

        return Handler


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    try:
        yield server
    finally:
        server.stop()


def compressed(vectors: Vectors) -> Reply:
    reply = said(vectors)
    return Reply(gzip.compress(reply.body), headers={**reply.headers, "Content-Encoding": "gzip"})
