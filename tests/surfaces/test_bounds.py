"""What is too large, or comes under a name that is not ours, is refused while it comes: nothing of it is kept."""

import json
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests.factories import make_owner, make_person_token, make_token
from tests.live import Live

MIB = 1024 * 1024
CHUNK = b"100000\r\n" + b"x" * MIB + b"\r\n"
LAST = b"0\r\n\r\n"
TOKEN = "Authorization: Bearer pf_nobody"
JSON = "Content-Type: application/json"


@contextmanager
def connected(live: Live) -> Iterator[socket.socket]:
    address = urlsplit(live.base)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as client:
        yield client


def ask(live: Live, path: str, *headers: str, pieces: Iterable[bytes] = (), method: str = "POST") -> tuple[int, str]:
    """Status and body of the answer, read until the server ends the connection. Without a ``Host`` among the headers
    it is the server's own."""
    lines = list(headers)
    if not any(line.startswith("Host:") for line in lines):
        lines.append(f"Host: {urlsplit(live.base).netloc}")
    head = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "Connection: close", "", ""])
    with connected(live) as client:
        client.sendall(head.encode())
        for piece in pieces:
            client.sendall(piece)
        answer = b"".join(iter(lambda: client.recv(65_536), b""))
    top, _blank, body = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), body.decode()


def chunks(count: int) -> list[bytes]:
    return [CHUNK] * count + [LAST]


@pytest.mark.parametrize("path", ["/nowhere", "/login", "/admin/login/", "/api/v1/conversations", "/api/nope", "/mcp"])
def test_a_length_over_the_bound_is_refused_before_the_body_comes(live: Live, path: str) -> None:
    status, body = ask(live, path, "Content-Length: 10995116277760", TOKEN)
    assert status == 413
    assert "larger than 2 MiB" in body
    if path.startswith(("/api", "/mcp")):
        assert json.loads(body)["error"]["code"] == "too_large"
    else:
        assert "<h1>This cannot be read</h1>" in body


@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/conversations", "/mcp"])
def test_chunks_are_counted_while_they_come(live: Live, path: str) -> None:
    agent = make_token(make_owner("alice"))
    assert ask(live, path, "Transfer-Encoding: chunked", TOKEN, JSON, pieces=chunks(1))[0] in {401, 404}
    # More is still to come: the answer does not wait for the end.
    more = ask(live, path, "Transfer-Encoding: chunked", f"Authorization: Bearer {agent}", JSON, pieces=[CHUNK] * 3)
    assert more[0] == 413


@pytest.mark.parametrize("more", ["Content-Length: 5", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/import", "/mcp"])
def test_nothing_is_taken_under_another_name(live: Live, path: str, more: str) -> None:
    status, body = ask(live, path, "Host: evil.example", TOKEN, more)
    assert (status, "does not answer to that host name" in body) == (400, True)


def test_a_file_comes_where_files_are_taken_and_from_whoever_shows_who_they_are(live: Live) -> None:
    user = make_owner("alice")
    person = make_person_token(user)
    size = f"Content-Length: {3 * MIB}"
    assert ask(live, "/api/v1/import", size)[0] == 413
    assert ask(live, "/imports", size)[0] == 413
    assert ask(live, "/api/v1/import", f"Content-Length: {2**30 + MIB}", TOKEN)[0] == 413
    # Nobody's token and nobody's session are told so before the file comes.
    nobody = ask(live, "/api/v1/import", size, TOKEN)
    assert (nobody[0], json.loads(nobody[1])["error"]["code"]) == (401, "unauthenticated")
    assert ask(live, "/api/v1/import", "Transfer-Encoding: chunked", TOKEN, pieces=[CHUNK] * 3)[0] == 401
    assert ask(live, "/api/v1/import", "Transfer-Encoding: chunked", TOKEN, pieces=[LAST])[0] == 401
    for key in ("x", "abcdefghijklmnopqrstuvwxyz012345", r'"abcdefghijklmnop\000qrst"'):
        assert ask(live, "/imports", size, f"Cookie: sessionid={key}")[0] == 401
    browser = Client()
    browser.force_login(user)
    session = f"Cookie: sessionid={browser.cookies['sessionid'].value}"
    # A form of a session needs its token, which it is asked for when all of it has come.
    assert ask(live, "/imports", size, session, pieces=[b"x" * MIB] * 3)[0] == 403
    lines = [b"- The canary is green.\n" + b"\n" * (MIB - 23)] * 3
    taken = ask(live, "/api/v1/import?format=markdown", size, f"Authorization: Bearer {person}", pieces=lines)
    assert taken[0] == 202, taken
    known = f"Authorization: Bearer {person}"
    piecewise = [b"%x\r\n" % len(line) + line + b"\r\n" for line in lines]
    sent = ask(live, "/api/v1/import?format=markdown", "Transfer-Encoding: chunked", known, pieces=[*piecewise, LAST])
    assert sent[0] == 202, sent


def test_whoever_goes_on_sending_still_gets_the_answer(live: Live) -> None:
    status, _body = ask(live, "/nowhere", "Transfer-Encoding: chunked", pieces=chunks(40))
    assert status == 413


def test_the_page_is_told_beside_itself_and_carries_the_headers_of_every_answer(live: Live) -> None:
    reply = live.send("POST", "/memories", b"x" * 3 * MIB, {"HX-Request": "true", "X-Request-Id": "abc-1"})
    assert (reply.status, reply.headers["hx-retarget"]) == (413, "#toasts")
    assert (reply.headers["x-request-id"], reply.headers["x-content-type-options"]) == ("abc-1", "nosniff")
    assert "default-src 'self'" in reply.headers["content-security-policy"]


@pytest.mark.parametrize("length", [15_000, 17_000, 70_000])
@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/conversations", "/mcp"])
def test_an_address_or_headers_that_are_too_long_are_told_so(live: Live, path: str, length: int) -> None:
    fits, long = length < 16_000, "a" * length
    plain = ask(live, path, method="GET")[0]
    address, cookie = ask(live, f"{path}?q={long}", method="GET"), ask(live, path, f"Cookie: a={long}", method="GET")
    if fits:
        assert address[0] in {plain, 401, 422}
        assert cookie[0] == plain
        return
    assert (address[0], cookie[0]) == (414, 431)
    if path != "/nowhere":
        assert json.loads(address[1])["error"]["message"] == "The address is longer than 16 KiB."
        assert json.loads(cookie[1])["error"]["code"] == "bad_request"
    many = [f"X-{number}: {'a' * 1000}" for number in range(20)]
    assert ask(live, path, *many, method="GET")[0] == 431


def test_a_session_key_that_no_database_can_be_asked_about_is_no_session(live: Live) -> None:
    socket_headers = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
        f"Origin: {live.base}",
    ]
    for cookie in (r'"abcdefghijklmnop\000qrst"', r'"abcdefghijklmnop\377qrst"', "abcdefghijklmnopqrst"):
        given = f"Cookie: sessionid={cookie}"
        assert ask(live, "/menu", given, method="GET")[0] == 302
        assert ask(live, "/api/v1/conversations", given, method="GET")[0] == 401
        assert ask(live, "/ws/nothing", given, *socket_headers, method="GET")[0] == 403
