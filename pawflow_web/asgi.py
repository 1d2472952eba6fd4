"""The web process: REST and pages through Django, MCP beside it, websockets for those who are signed in."""

import os
import sys

# Before settings load: only the web process has a pool of connections and a time limit on statements.
os.environ.setdefault("PAWFLOW_PROCESS", "web")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pawflow_web.settings")

import django

django.setup()

# ruff: noqa: E402 - these need the apps
from typing import Any, cast

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.urls import re_path

from pawflow_web.env import SettingError
from pawflow_web.identity.door import require_caller
from pawflow_web.jobs.node import start_indexer_thread
from pawflow_web.key_check import require_own_key
from pawflow_web.llm.questions import warm_up
from pawflow_web.mcp.endpoint import McpEndpoint, Receive, Scope, Send
from pawflow_web.web.asgi_handler import OneHopHandler
from pawflow_web.web.daphne_requests import stay_within_bounds

try:
    require_own_key(settings.ENV)
except SettingError as refused:
    sys.exit(str(refused))

stay_within_bounds(require_caller)
if settings.ENV.process == "web":
    start_indexer_thread()
    warm_up()

_pages = OneHopHandler()
_mcp = McpEndpoint()


async def http(scope: Scope, receive: Receive, send: Send) -> None:
    """``/mcp`` and ``/mcp/<project>`` go to the MCP surface, everything else to Django."""
    path = scope["path"]
    if path == "/mcp" or path.startswith("/mcp/"):
        await _mcp(scope, receive, send)
        return
    # The first request is the supervisor's or a person's: the server answers already.
    _mcp.warm()
    await _pages(cast("dict[str, Any]", scope), receive, cast("Any", send))


async def no_socket(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - an ASGI application
    """Refuse the handshake (403) on any address that no consumer takes."""
    await receive()
    await send({"type": "websocket.close"})


sockets = URLRouter([re_path(r"", cast("Any", no_socket))])
application = ProtocolTypeRouter({"http": http, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(sockets))})
