"""Every refusal over real HTTP has the one body, whoever refused: Daphne's request, Django, ninja or we."""

import http.client
import json
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.factories import make_owner, make_token
from tests.live import Live, Reply

Ask = Callable[[Live], Reply]
PATH = "/api/v1/conversations"
FORM = "application/x-www-form-urlencoded"
UPLOAD = "multipart/form-data; boundary=ab"
FILE = b'--ab\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--ab--\r\n'


@pytest.fixture
def agent(live: Live) -> Live:
    return live.bearing(make_token(make_owner("alice")))


def test_the_same_call_without_a_fault_succeeds(agent: Live) -> None:
    assert agent.post(PATH, {"title": "x"}).status == 201
    assert agent.post(PATH).status == 201
    assert agent.get(f"{PATH}?limit=3").status == 200


CASES: dict[str, tuple[int, str, Ask]] = {
    "not JSON": (400, "bad_request", lambda live: live.post(PATH, b"{")),
    "a list": (400, "bad_request", lambda live: live.post(PATH, [])),
    "null": (400, "bad_request", lambda live: live.post(PATH, b"null")),
    "too deep": (400, "bad_request", lambda live: live.post(PATH, b"[" * 200_000)),
    "not UTF-8": (400, "bad_request", lambda live: live.post(PATH, b'{"title":"\xff"}')),
    "another host": (400, "bad_request", lambda live: live.get(PATH, Host="evil.example")),
    "wrong token": (401, "unauthenticated", lambda live: live.get(PATH, Authorization="Bearer pf_wrong")),
    "not a bearer": (401, "unauthenticated", lambda live: live.get(PATH, Authorization="Basic YTpi")),
    "person's route": (403, "not_allowed", lambda live: live.get("/api/v1/tokens")),
    "unknown route": (404, "not_found", lambda live: live.get("/api/v1/nope")),
    "unknown route by POST": (404, "not_found", lambda live: live.post("/api/v1/nope", {})),
    "unknown version": (404, "not_found", lambda live: live.post("/api/v2/tools", {})),
    "root by POST": (404, "not_found", lambda live: live.post("/api/v1/", {})),
    "bare root": (404, "not_found", lambda live: live.get("/api")),
    "odd path": (404, "not_found", lambda live: live.get("/api/v1/%ff")),
    "NUL in a path": (404, "not_found", lambda live: live.get("/api/v1/conversations/%00")),
    "unknown tool": (404, "not_found", lambda live: live.post("/api/v1/tools/nope", {})),
    "unknown ref": (404, "not_found", lambda live: live.get("/api/v1/conversations/0123456789ab")),
    "PUT": (405, "method_not_allowed", lambda live: live.send("PUT", PATH, b"{}")),
    "OPTIONS": (405, "method_not_allowed", lambda live: live.send("OPTIONS", PATH)),
    "a form": (415, "unsupported_media", lambda live: live.post(PATH, b"a=x", **{"Content-Type": FORM})),
    "a broken upload": (415, "unsupported_media", lambda live: live.post(PATH, b"x", **{"Content-Type": UPLOAD})),
    "an upload": (415, "unsupported_media", lambda live: live.post(PATH, FILE, **{"Content-Type": UPLOAD})),
    "an upload without a border": (
        415, "unsupported_media", lambda live: live.post(PATH, FILE, **{"Content-Type": "multipart/form-data"}),
    ),
    "text": (415, "unsupported_media", lambda live: live.post(PATH, b"{}", **{"Content-Type": "text/plain"})),
    "too large": (413, "too_large", lambda live: live.post(PATH, b"x" * 3_000_000)),
    "unknown key": (422, "invalid", lambda live: live.post(PATH, {"titel": "x"})),
    "NaN": (422, "invalid", lambda live: live.post(PATH, b'{"title":NaN}')),
    "1e400": (422, "invalid", lambda live: live.post(PATH, b'{"title":1e400}')),
    "half a character": (422, "invalid", lambda live: live.post(PATH, b'{"title":"\\ud800"}')),
    "half a character in a key": (422, "invalid", lambda live: live.post(PATH, b'{"\\ud800":1}')),
    "below the least": (422, "invalid", lambda live: live.get(f"{PATH}?limit=0")),
    "above the most": (422, "invalid", lambda live: live.get(f"{PATH}?limit=201")),
    "no number": (422, "invalid", lambda live: live.get(f"{PATH}?limit=true")),
    "half a number": (422, "invalid", lambda live: live.get(f"{PATH}?limit=1.5")),
    "unknown query": (422, "invalid", lambda live: live.get(f"{PATH}?limt=1")),
    "wider origin": (422, "invalid", lambda live: live.get(PATH, **{"X-PawFlow-Origin": "user_channel"})),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_has_the_one_body(agent: Live, case: str) -> None:
    status, code, ask = CASES[case]
    reply = ask(agent)

    assert (reply.status, reply.error["code"]) == (status, code)
    assert ("www-authenticate" in reply.headers) == (status == 401)
    assert ("allow" in reply.headers) == (status == 405)


def test_nobody_gets_past_the_door_without_a_token(live: Live) -> None:
    reply = live.get(PATH)

    assert (reply.status, reply.error["code"]) == (401, "unauthenticated")
    assert live.get("/api/v1/docs").error["code"] == "unauthenticated"
    assert live.get("/api/v1/openapi.json").error["code"] == "unauthenticated"
    assert live.post(PATH, b"x" * 2_100_000).status == 401


def test_a_body_without_a_length_is_bounded_too(agent: Live) -> None:
    address = urlsplit(agent.base)
    client = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    headers = {**agent.headers, "Content-Type": "application/json"}

    def answer(size: int) -> tuple[int, bytes]:
        pieces = [b'{"title":"', *[b" " * 65_536 for _ in range(size // 65_536)], b'"}']
        client.request("POST", PATH, iter(pieces), headers, encode_chunked=True)
        reply = client.getresponse()
        return reply.status, reply.read()

    assert answer(0)[0] == 201
    status, body = answer(3_000_000)
    assert (status, json.loads(body)["error"]["code"]) == (413, "too_large")
    client.close()


def test_every_reply_carries_a_request_id(agent: Live) -> None:
    assert agent.get(PATH, **{"X-Request-Id": "abc-1"}).headers["x-request-id"] == "abc-1"
    assert len(agent.get("/api/v1/nope").headers["x-request-id"]) == 16
