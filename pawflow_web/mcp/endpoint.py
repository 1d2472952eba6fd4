"""What stands before the MCP SDK: host, origin, token, rate, context and size, with our error body.

``/mcp`` does not pass through Django's middleware, so nothing that must hold may live in middleware alone;
who calls and from where is decided by the same functions as on REST.
"""

import asyncio
import importlib
import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import ThreadSensitiveContext
from channels.db import database_sync_to_async
from django.conf import settings
from django.http import QueryDict
from django.http.request import split_domain_port, validate_host
from django.utils.datastructures import CaseInsensitiveMapping
from structlog.contextvars import bound_contextvars

from conversations.context import CONTEXT_PARAMETERS, call_context
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.call import Call
from pawflow_web.lib.errors import (
    BadRequest,
    DomainError,
    Invalid,
    MethodNotAllowed,
    NotAllowed,
    NotFound,
    TooLarge,
    UnsupportedMedia,
)
from pawflow_web.lib.text import clean
from pawflow_web.lib.tools import shown_name
from pawflow_web.web.errors import failure_of
from pawflow_web.web.middleware import request_id_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# Where the SDK's handlers find what was decided here.
CALL = "pawflow.call"
TOOLSET = "pawflow.toolset"
TOOLSETS = ("core", "all")

# In the words of JSON-RPC, where nobody can say which request it was.
_NO_MESSAGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32600, "message": "The body must be one JSON-RPC 2.0 message; batches are not taken."},
}

_PATH = re.compile(r"/mcp(?:/(?P<project>[^/]+))?/?")


class McpEndpoint:
    """ASGI application for ``/mcp`` and ``/mcp/<project>``."""

    def __init__(self) -> None:
        self._warming = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        request_id = request_id_of(headers.get("X-Request-Id", ""))
        reply = _Tracked(send, request_id)
        with bound_contextvars(request_id=request_id):
            # Without it all calls of the process would share one thread.
            async with ThreadSensitiveContext():
                try:
                    await self._serve(scope, receive, reply, headers)
                except Exception as error:
                    if reply.started:
                        raise
                    await _refuse(reply, failure_of(error, path=scope["path"]))

    async def _serve(self, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, str]) -> None:
        _check_host(headers)
        match = _PATH.fullmatch(scope["path"])
        if match is None:
            raise NotFound("There is no such route.")
        if scope["method"] != "POST":
            raise MethodNotAllowed("MCP is spoken by POST here; there are no streams and no sessions.")
        query = QueryDict(scope["query_string"], mutable=True)
        if match["project"]:
            query.setdefault("project", match["project"])
        call, toolset = await database_sync_to_async(_admit)(headers, query)
        _check_media(headers)
        body = await _read(receive, headers)
        server = await asyncio.to_thread(_server)
        if not server.is_message(body):
            await _answer(send, 400, _NO_MESSAGE)
            return
        inner = {**scope, "headers": _accepting(scope["headers"]), CALL: call, TOOLSET: toolset}
        await server.serve(inner, _replay(body, receive), send)

    def warm(self) -> None:
        """Import the SDK in a thread of its own; that takes long, and the first call should not wait."""
        if not self._warming:
            self._warming = True
            threading.Thread(target=_server, name="mcp-import", daemon=True).start()


def _admit(headers: Mapping[str, str], query: QueryDict) -> tuple[Call, str]:
    principal = principal_of_token(headers.get("Authorization"))
    unknown = sorted(set(query) - CONTEXT_PARAMETERS - {"toolset"})
    if unknown:
        name = shown_name(unknown[0])
        sentence = "is not a parameter; the parameters are conversation, project, toolset"
        raise Invalid(f"{name} {sentence}.", fields={name: sentence})
    toolset = clean(query.get("toolset", "core"), field="toolset")
    if toolset not in TOOLSETS:
        raise Invalid(
            f"toolset is {ascii(toolset)[:40]}; it must be one of {', '.join(TOOLSETS)}.",
            fields={"toolset": f"must be one of {', '.join(TOOLSETS)}"},
        )
    return call_context(principal, headers=headers, query=query, surface="mcp"), toolset


def _server() -> Any:
    """The module that imports the SDK."""
    return importlib.import_module("pawflow_web.mcp.server")


# --- the request --------------------------------------------------------------------------------------------


def _headers(scope: Scope) -> Mapping[str, str]:
    """By name in any letter case; of a repeated header the last one, as most servers take it."""
    return CaseInsensitiveMapping({name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]})


def _accepting(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The SDK refuses a client that does not list both media types; we answer in JSON whatever it lists."""
    kept = [(name, value) for name, value in headers if name.lower() != b"accept"]
    return [*kept, (b"accept", b"application/json, text/event-stream")]


def _check_host(headers: Mapping[str, str]) -> None:
    """A name that is not ours, or a page of another site, does not get as far as the token."""
    allowed = settings.ALLOWED_HOSTS
    domain, _ = split_domain_port(headers.get("Host", ""))
    if not domain or not validate_host(domain, allowed):
        raise BadRequest("This server does not answer to that host name.")
    origin = headers.get("Origin")
    if origin is not None and not validate_host(_hostname(origin), allowed):
        raise NotAllowed("Pages of other sites may not call this server.")


def _hostname(origin: str) -> str:
    try:
        name = urlsplit(origin).hostname or ""
    except ValueError:
        return ""
    return f"[{name}]" if ":" in name else name


def _check_media(headers: Mapping[str, str]) -> None:
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMedia


async def _read(receive: Receive, headers: Mapping[str, str]) -> bytes:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = headers.get("Content-Length", "0")
    if length.isdigit() and int(length) > limit:
        raise TooLarge
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("The request ended early.")
        body += message.get("body", b"")
        if len(body) > limit:
            raise TooLarge
        more = message.get("more_body", False)
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body once more, then whatever comes (a disconnect)."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


# --- the reply ----------------------------------------------------------------------------------------------


class _Tracked:
    """``send`` that adds the request id and remembers whether a reply has begun."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            added = [(b"x-request-id", self._request_id.encode()), (b"cache-control", b"no-store")]
            kept = [
                row for row in message.get("headers", []) if bytes(row[0]).lower() not in {name for name, _ in added}
            ]
            message = {**message, "headers": [*kept, *added]}
        await self._send(message)


async def _refuse(send: Send, error: DomainError) -> None:
    headers: list[tuple[bytes, bytes]] = []
    if error.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if error.status == 405:
        headers.append((b"allow", b"POST"))
    if error.retry_after is not None:
        headers.append((b"retry-after", str(error.retry_after).encode()))
    await _answer(send, error.status, error.body(), headers)


async def _answer(
    send: Send, status: int, answer: Mapping[str, object], headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    body = json.dumps(answer).encode()
    about = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*about, *headers]})
    await send({"type": "http.response.body", "body": body})
