"""A call of a server ends when its time is over, however much the server has to say by then."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat

import pytest

from pawflow_web.llm.embeddings import EmbeddingFailed, likeness
from pawflow_web.llm.endpoint import EndpointProvider
from tests.llm.server import embed, said

TEXT = "The dog sleeps."
SECONDS = 0.6
# Far below the time that a call has: each piece comes soon enough.
PAUSE = 0.05
# A busy machine may need so much longer to notice, and far less than a server that goes on for ever would have it.
SLACK = 5.0

REPLY = said([embed(TEXT)]).body
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(REPLY)}\r\n".encode()
Pieces = Callable[[], Iterator[bytes]]


def good() -> Iterator[bytes]:
    yield HEAD + b"\r\n" + REPLY


def good_after_a_hundred() -> Iterator[bytes]:
    yield b"HTTP/1.1 100 Continue\r\n\r\n"
    yield from good()


def endless_headers() -> Iterator[bytes]:
    yield HEAD
    yield from repeat(b"X-More: and more\r\n")


def endless_continue() -> Iterator[bytes]:
    return repeat(b"HTTP/1.1 100 Continue\r\n\r\n")


def half_a_status_line() -> Iterator[bytes]:
    return repeat(b"H", 1000)


def endless_body() -> Iterator[bytes]:
    yield HEAD + b"\r\n"
    yield from repeat(b" ", len(REPLY) - 1)


def endless_chunks() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    yield from repeat(b"1\r\n \r\n")


@contextmanager
def speaking(pieces: Pieces, *, pause: float) -> Iterator[str]:
    """A server that answers whatever comes with these pieces, and its address."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_speak, args=(listening, pieces, pause, over))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            over.set()
            thread.join(10)
            assert not thread.is_alive()


def _speak(listening: socket.socket, pieces: Pieces, pause: float, over: threading.Event) -> None:
    listening.settimeout(10)
    connection, _ = listening.accept()
    with connection:
        connection.settimeout(10)
        connection.recv(65536)
        for piece in pieces():
            try:
                connection.sendall(piece)
            except OSError:
                return
            if over.wait(pause):
                return
        over.wait(10)


@pytest.fixture
def asked() -> Iterator[Callable[[str, float], list[tuple[float, ...] | None]]]:
    """Asks the server at an address, and leaves no connection behind."""
    providers: list[EndpointProvider] = []

    def ask(url: str, seconds: float) -> list[tuple[float, ...] | None]:
        providers.append(EndpointProvider(url, "scripted", None))
        return providers[-1].embed([TEXT], seconds=seconds)

    yield ask
    for provider in providers:
        provider.close()


@pytest.mark.parametrize("pieces", [good, good_after_a_hundred])
def test_one_that_answers_in_time_is_understood(
    asked: Callable[[str, float], list[tuple[float, ...] | None]], pieces: Pieces
) -> None:
    with speaking(pieces, pause=PAUSE) as url:
        assert likeness(asked(url, 10)[0] or (), embed(TEXT)) == pytest.approx(1)


@pytest.mark.parametrize(
    "pieces", [endless_headers, endless_continue, half_a_status_line, endless_body, endless_chunks]
)
def test_one_that_never_comes_to_an_end_is_left_when_the_time_is_over(
    asked: Callable[[str, float], list[tuple[float, ...] | None]], pieces: Pieces
) -> None:
    with speaking(pieces, pause=PAUSE) as url:
        began = time.monotonic()
        with pytest.raises(EmbeddingFailed) as failed:
            asked(url, SECONDS)
        took = time.monotonic() - began
    assert failed.value.code == "timeout"
    assert SECONDS <= took < SECONDS + SLACK


def test_what_comes_without_a_pause_is_left_in_time_too(
    asked: Callable[[str, float], list[tuple[float, ...] | None]],
) -> None:
    with speaking(endless_continue, pause=0) as url:
        began = time.monotonic()
        with pytest.raises(EmbeddingFailed) as failed:
            asked(url, SECONDS)
    assert failed.value.code == "timeout"
    assert time.monotonic() - began < SECONDS + SLACK
