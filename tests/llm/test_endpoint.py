"""What an endpoint may send, and what is believed of it."""

import json
import logging
import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from pawflow_web.llm import endpoint
from pawflow_web.llm.embeddings import EmbeddingFailed, likeness, unit
from pawflow_web.llm.endpoint import EndpointProvider
from tests.llm.fixtures import KEY
from tests.llm.server import EmbeddingServer, Reply, Request, compressed, embed, said

TEXTS = ["The dog sleeps.", "A car drives by."]


def provider_of(server: EmbeddingServer) -> EndpointProvider:
    """As the product has it, so that its connections are closed with the test."""
    return endpoint.provider(server.url, "scripted", KEY)


def test_texts_become_vectors_of_length_one_in_their_order(server: EmbeddingServer) -> None:
    server.script = lambda request: said([[number * 7 for number in vector] for vector in request.vectors])
    found = provider_of(server).embed(TEXTS, seconds=5)
    assert [round(likeness(vector or (), embed(text)), 6) for vector, text in zip(found, TEXTS, strict=True)] == [1, 1]
    assert server.requests[0].body == {"input": TEXTS, "model": "scripted", "encoding_format": "float"}
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_an_order_of_its_own_is_put_right(server: EmbeddingServer) -> None:
    def reversed_rows(request: Request) -> Reply:
        rows = [{"index": index, "embedding": vector} for index, vector in enumerate(request.vectors)][::-1]
        return Reply(json.dumps({"data": rows}).encode(), headers={"Content-Type": "application/json"})

    server.script = reversed_rows
    first, second = provider_of(server).embed(TEXTS, seconds=5)
    assert first is not None
    assert second is not None
    assert (likeness(first, embed(TEXTS[0])), likeness(second, embed(TEXTS[1]))) == pytest.approx((1, 1))


@pytest.mark.parametrize(
    "lie",
    [
        [math.nan, 1.0],
        [math.inf, 1.0],
        [1.7e308, 1.7e308],
        [0.0, 0.0],
        [],
        ["1", "2"],
        [True, False],
        [None, 1.0],
        [[1.0], [2.0]],
        [1.0] * 4001,
        "AAAA",
        None,
        {"0": 1.0},
    ],
    ids=lambda value: repr(value)[:20],
)
def test_one_vector_that_is_none_spoils_no_other(server: EmbeddingServer, lie: Any) -> None:
    server.script = lambda request: said([lie, request.vectors[1]])
    spoilt, good = provider_of(server).embed(TEXTS, seconds=5)
    assert spoilt is None
    assert likeness(good or (), embed(TEXTS[1])) == pytest.approx(1)


ONE = b'{"index":0,"embedding":[1]}'
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (lambda request: said(request.vectors[:1]), "bad_reply"),
        (lambda request: said([*request.vectors, request.vectors[0]]), "bad_reply"),
        (lambda _: Reply(b"<html>Not found</html>", headers={"Content-Type": "text/html"}), "bad_reply"),
        (lambda _: Reply(b"", headers=JSON), "bad_reply"),
        (lambda _: Reply(b'{"data": 7}', headers=JSON), "bad_reply"),
        (lambda _: Reply(b'{"data": [1, 2]}', headers=JSON), "bad_reply"),
        (lambda _: Reply(b'{"error": "no"}', headers=JSON), "bad_reply"),
        (lambda _: Reply(b'[' * 100_000, headers=JSON), "bad_reply"),
        (lambda _: Reply(b'{"data": [' + b"9" * 5000 + b"]}", headers=JSON), "bad_reply"),
        (lambda _: Reply(b'{"data":[{"index":5,"embedding":[1]},' + ONE + b"]}", headers=JSON), "bad_reply"),
        (lambda _: Reply(b'{"data":[{"index":-1,"embedding":[1]},' + ONE + b"]}", headers=JSON), "bad_reply"),
        (lambda _: Reply(b"{}", status=401, headers=JSON), "refused_401"),
        (lambda _: Reply(b"{}", status=429, headers=JSON), "refused_429"),
        (lambda _: Reply(b"overloaded", status=503), "refused_503"),
        (lambda _: Reply(b"", status=302, headers={"Location": "http://127.0.0.1:9/v1"}), "refused_302"),
        (lambda request: Reply(said(request.vectors).body, headers=JSON, cut=50), "unreachable"),
        (lambda request: compressed(request.vectors), "too_large"),
    ],
)  # fmt: skip
def test_a_reply_that_is_none_is_a_failure_with_a_code(
    server: EmbeddingServer, script: Callable[[Request], Reply], code: str
) -> None:
    server.script = script
    with pytest.raises(EmbeddingFailed) as failed:
        provider_of(server).embed(TEXTS, seconds=5)
    assert failed.value.code == code
    assert len(server.requests) == 1
    server.script = None
    assert None not in provider_of(server).embed(TEXTS, seconds=5)


def test_an_enormous_reply_is_not_read_to_its_end(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "REPLY_BYTES_MOST", 20_000)
    server.script = lambda request: said(request.vectors, padding="x" * 50_000)
    with pytest.raises(EmbeddingFailed) as failed:
        provider_of(server).embed(TEXTS, seconds=5)
    assert failed.value.code == "too_large"
    server.script = None
    assert None not in provider_of(server).embed(TEXTS, seconds=5)


def test_one_that_hangs_or_trickles_is_left_when_its_time_is_over(server: EmbeddingServer) -> None:
    server.script = server.hang
    began = time.monotonic()
    with pytest.raises(EmbeddingFailed) as failed:
        provider_of(server).embed(TEXTS, seconds=0.2)
    assert failed.value.code == "timeout"
    assert time.monotonic() - began < 30


def test_nobody_there_is_a_failure_too() -> None:
    nobody = EndpointProvider("http://127.0.0.1:9/v1", "m", None)
    with pytest.raises(EmbeddingFailed) as failed:
        nobody.embed(TEXTS, seconds=2)
    nobody.close()
    assert failed.value.code == "unreachable"


def test_neither_the_key_nor_what_the_server_says_reaches_a_log(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server.script = lambda _: Reply(f'{{"error": "wrong key {KEY}"}}'.encode(), status=401, headers=JSON)
    caplog.set_level(logging.INFO)
    with pytest.raises(EmbeddingFailed) as failed:
        provider_of(server).embed(TEXTS, seconds=5)
    logging.getLogger("tests").warning("control %s", failed.value.code)
    written = "".join([caplog.text, *capfd.readouterr(), repr(failed.value), repr(failed.value.__cause__)])
    assert "control refused_401" in written
    assert KEY not in written
    assert "wrong key" not in written


def test_a_direction_is_what_is_kept_of_a_vector() -> None:
    assert unit([3, 4]) == (0.6, 0.8)
    assert unit((5.0,)) == (1.0,)
    assert [unit(value) for value in (None, 7, "ab", [], [0], [math.nan])] == [None] * 6
    assert likeness((1.0,), (1.0, 0.0)) == 0
