"""MCP over the live server: the official client in both of its ways, and what stands before the SDK."""

from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from pawflow_web.identity.models import User
from pawflow_web.lib.tools import registry
from tests.factories import make_conversation, make_owner, make_project, make_token
from tests.live import Live

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
MODES = ("legacy", "auto")


def calling(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {**CALL, "params": {"name": name, "arguments": arguments}}


@pytest.fixture
def token(live: Live) -> str:
    return make_token(make_owner("alice"))


@pytest.fixture
def agent(live: Live, token: str) -> Live:
    return live.bearing(token)


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_lists_and_calls(live: Live, token: str, mode: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
        transport = streamable_http_client(f"{live.base}/mcp?toolset=all", http_client=http)
        async with Client(transport, mode=mode) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == [tool.name for tool in registry.listed()]

            stored = await client.call_tool("remember", {"text": "Prefers pytest", "scope": "global"})
            assert not stored.is_error
            assert stored.structured_content["status"] == "active"
            assert stored.content[0].text == stored.structured_content["display"]

            found = await client.call_tool("recall", {"query": "pytest"})
            assert [item["ref"] for item in found.structured_content["items"]] == [stored.structured_content["ref"]]

            refused = await client.call_tool("recall", {"limit": 1000})
            assert refused.is_error
            assert refused.structured_content["error"]["code"] == "invalid"
            assert list(refused.structured_content["error"]["fields"]) == ["limit"]

            with pytest.raises(MCPError) as unknown:
                await client.call_tool("nonsense", {})
            assert unknown.value.code == -32602


def test_a_call_gives_what_rest_gives(agent: Live) -> None:
    agent.post("/api/v1/tools/remember", {"text": "Prefers pytest"})
    rest = agent.post("/api/v1/tools/recall", {"query": "pytest"}).json
    mcp = agent.post("/mcp", calling("recall", {"query": "pytest"})).json["result"]

    assert len(rest["items"]) == 1
    assert mcp["structuredContent"]["items"][0]["ref"] == rest["items"][0]["ref"]
    assert mcp["structuredContent"].keys() == rest.keys()
    for arguments in ({"limit": 0}, {"limit": True}, {"nonsense": 1}, {"as_of": "yesterday"}):
        over_rest = agent.post("/api/v1/tools/recall", arguments).json
        over_mcp = agent.post("/mcp", calling("recall", arguments)).json["result"]
        assert over_mcp["isError"]
        assert over_mcp["structuredContent"] == over_rest


def test_numbers_and_characters_that_are_none_are_refused_by_name(agent: Live) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"limit":NaN}}}'
    result = agent.post("/mcp", body).json["result"]

    assert result["isError"]
    assert result["structuredContent"]["error"]["fields"] == {"limit": "must be a finite number"}


def test_nothing_is_said_without_a_token(live: Live) -> None:
    for headers in ({}, {"Authorization": "Bearer pf_wrong"}):
        reply = live.post("/mcp", LIST, **headers)
        assert (reply.status, reply.error["code"]) == (401, "unauthenticated")
        assert reply.headers["www-authenticate"] == "Bearer"


def test_every_client_is_answered_in_json_whatever_it_accepts(agent: Live) -> None:
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}, {"Accept": "text/event-stream"}):
        reply = agent.post("/mcp", LIST, **headers)
        assert reply.status == 200
        assert reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_there_are_no_streams_and_no_sessions(agent: Live, method: str) -> None:
    reply = agent.send(method, "/mcp")

    assert (reply.status, reply.error["code"], reply.headers["allow"]) == (405, "method_not_allowed", "POST")


def test_other_hosts_and_pages_of_other_sites_are_refused(agent: Live) -> None:
    port = agent.base.rsplit(":", 1)[1]

    assert agent.post("/mcp", LIST).status == 200
    assert agent.post("/mcp", LIST, Origin=f"http://localhost:{port}").status == 200
    assert agent.post("/mcp", LIST, Host="evil.example").error["code"] == "bad_request"
    for origin in ("http://evil.example", "null", "http://127.0.0.1.evil.example", "http://[", ""):
        reply = agent.post("/mcp", LIST, Origin=origin)
        assert (reply.status, reply.error["code"]) == (403, "not_allowed")


def test_size_and_media_are_bounded_with_our_body(agent: Live) -> None:
    assert agent.post("/mcp", b"x" * 3_000_000).error["code"] == "too_large"
    assert agent.post("/mcp", b"{}", **{"Content-Type": "text/plain"}).error["code"] == "unsupported_media"
    assert agent.post("/mcp", b"{").json["error"]["code"] == -32700


@pytest.mark.parametrize(
    "body", [[LIST], [LIST, LIST], [], {}, "x", 7, {**LIST, "method": 7}, {**LIST, "jsonrpc": "1.0"}], ids=repr
)
def test_what_is_no_message_is_refused_in_one_sentence(agent: Live, body: Any) -> None:
    assert agent.post("/mcp", LIST).status == 200
    reply = agent.post("/mcp", body)
    assert (reply.status, list(reply.json), list(reply.json["error"])) == (
        400, ["jsonrpc", "id", "error"], ["code", "message"],
    )  # fmt: skip
    assert reply.json["error"]["code"] == -32600
    assert reply.json["error"]["message"].count("\n") == 0
    assert len(reply.json["error"]["message"]) < 100


def test_toolsets_and_unknown_parameters(agent: Live) -> None:
    core = agent.post("/mcp", LIST).json["result"]["tools"]
    everything = agent.post("/mcp?toolset=all", LIST).json["result"]["tools"]

    assert [tool["name"] for tool in core] == [tool.name for tool in registry.listed(core_only=True)]
    assert [tool["name"] for tool in everything] == [tool.name for tool in registry.listed()]
    assert list(agent.post("/mcp?toolset=compat", LIST).error["fields"]) == ["toolset"]
    assert list(agent.post("/mcp?tool=all", LIST).error["fields"]) == ["tool"]


def test_the_context_comes_from_path_query_and_headers(agent: Live) -> None:
    alice = User.objects.get(username="alice")
    project, conversation = make_project(alice).slug, make_conversation(alice).ref
    body = calling("remember", {"text": "Only here", "scope": "conversation"})

    assert agent.post("/mcp", body).json["result"]["isError"]
    for path, headers in (
        (f"/mcp?conversation={conversation}", {}),
        ("/mcp", {"X-PawFlow-Conversation": conversation}),
        (f"/mcp/{project}?conversation={conversation}", {}),
    ):
        stored = agent.post(path, body, **headers).json["result"]
        assert stored["structuredContent"]["scope"] == "conversation"
    for path in ("/mcp/nowhere", "/mcp?project=nowhere", "/mcp?conversation=0123456789ab", "/mcp/a/b"):
        assert agent.post(path, LIST).error["code"] == "not_found"


def test_the_origin_can_be_narrowed(agent: Live) -> None:
    narrowed = agent.post("/mcp", calling("remember", {"text": "By a job"}), **{"X-PawFlow-Origin": "automation"})
    plain = agent.post("/mcp", calling("remember", {"text": "By the owner"}))

    assert narrowed.json["result"]["structuredContent"]["status"] == "needs_review"
    assert plain.json["result"]["structuredContent"]["status"] == "active"
    assert agent.post("/mcp", LIST, **{"X-PawFlow-Origin": "user_channel"}).error["code"] == "invalid"


def test_what_is_anothers_reads_like_never_used(live: Live, agent: Live) -> None:
    stored = agent.post("/api/v1/tools/remember", {"text": "Prefers pytest"}).json["ref"]
    bob = live.bearing(make_token(make_owner("bob")))

    replies = []
    for ref in (stored, "0123456789ab"):
        reply = bob.post("/mcp", calling("forget", {"memory_id": ref}))
        assert reply.json["result"]["structuredContent"]["error"]["code"] == "not_found"
        replies.append(reply.body.replace(ref.encode(), b"-"))
    assert replies[0] == replies[1]
