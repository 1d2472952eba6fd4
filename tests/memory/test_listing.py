"""``search_memory`` and ``list_memory``: by project and type, paged by cursor or offset; and finding tools."""

from typing import Any

import pytest

from memory.notes.find import list_notes, search_notes
from memory.notes.types import FactType, type_of
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.tools import Effect, registry
from review.search.index import catch_up
from tests.factories import make_person_token, make_project, make_token
from tests.memory.notes import conversation_in, project, tell, within
from tests.review.beliefs import Parties
from tests.surfaces.conftest import Rest

INDEXED = pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])


def listed(principal: Principal, **options: Any) -> list[str]:
    return [hit.item.text for hit in list_notes(principal=principal, **options).hits]


def index(parties: Parties) -> None:
    while catch_up(parties.user.pk):
        pass


SAID: list[tuple[str, str | None, list[str]]] = [
    ("Is called Ada", None, ["identity"]),
    ("Works as a baker", "facts", ["profile"]),
    ("Always ask first", "advice", ["rule"]),
    ("Prefers pytest", "preferences", []),
    ("We use PostgreSQL", "facts", ["decision"]),
    ("Moved in June", "events", ["party"]),
    ("Lives in Porto", "facts", []),
    ("Nobody sorted this", None, ["other"]),
    ("The cache is cold", "discoveries", []),
]


@INDEXED
@pytest.mark.parametrize("kind", FactType)
def test_a_type_lists_what_is_of_it_and_counts_it(parties: Parties, kind: FactType, *, indexed: bool) -> None:
    for text, category, tags in SAID:
        tell(parties.coder, text, category=category, tags=tags)
    if indexed:
        index(parties)
    expected = [text for text, category, tags in reversed(SAID) if type_of(category or "", tags) is kind]
    page = list_notes(principal=parties.coder, type=kind)

    assert [hit.item.text for hit in page.hits] == expected
    assert page.coverage.searched == len(expected) > 0
    assert list_notes(principal=parties.coder).coverage.searched == len(SAID)


@INDEXED
def test_a_project_holds_what_was_first_said_in_it(parties: Parties, *, indexed: bool) -> None:
    shop, tool = project(parties, "Web shop"), project(parties, "Tool")
    in_shop, in_tool = (within(parties.coder, conversation_in(parties, of)) for of in (shop, tool))
    tell(parties.coder, "Bread said anywhere")
    tell(in_shop, "Bread of the shop", scope="agent")
    tell(in_shop, "Bread of this talk", scope="conversation")
    tell(in_tool, "Bread of the tool")
    tell(in_tool, "Bread of the shop", scope="agent")
    if indexed:
        index(parties)

    assert listed(parties.coder, project="web-shop") == ["Bread of the shop"]
    assert listed(in_shop, project="web-shop") == ["Bread of this talk", "Bread of the shop"]
    assert listed(parties.coder, project="tool") == ["Bread of the tool"]
    page = search_notes(principal=in_shop, query="bread", project="web-shop")
    assert {hit.item.text for hit in page.hits} == {"Bread of this talk", "Bread of the shop"}
    assert page.coverage.searched == 2
    assert len(search_notes(principal=in_shop, query="bread").hits) == 4


@INDEXED
def test_filing_a_conversation_anew_moves_what_was_said_in_it(parties: Parties, *, indexed: bool) -> None:
    talk = conversation_in(parties)
    tell(within(parties.coder, talk), "Bread of the shop", scope="agent")
    project(parties, "Web shop")
    if indexed:
        index(parties)
    assert search_notes(principal=parties.coder, query="bread", project="web-shop").hits == []
    talk.project = talk.user.projects.get()
    talk.save()

    assert len(search_notes(principal=parties.coder, query="bread", project="web-shop").hits) == 1
    assert listed(parties.coder, project="web-shop") == ["Bread of the shop"]


def test_the_project_of_a_belief_is_in_its_shape(parties: Parties, agent: Rest) -> None:
    tell(
        within(parties.coder, conversation_in(parties, project(parties, "Web shop"))),
        "It runs on Django",
        scope="agent",
    )
    tell(parties.coder, "Prefers pytest", scope="agent")
    items = agent.post("/tools/list_memory", {}).json["items"]

    assert [(row["text"], row["project"], row["conversation"]) for row in items] == [
        ("Prefers pytest", None, None),
        ("It runs on Django", "web-shop", None),
    ]


@pytest.mark.parametrize("offset", range(9))
def test_an_offset_passes_over_so_many_across_scopes(parties: Parties, offset: int) -> None:
    viewer = within(parties.coder, conversation_in(parties))
    for n in range(2):
        for scope in ("global", "agent", "conversation", "private"):
            tell(viewer, f"{scope} {n}", scope=scope)
    everything = listed(viewer, limit=100)
    page = list_notes(principal=viewer, limit=3, offset=offset)

    assert len(everything) == 8
    assert [hit.item.text for hit in page.hits] == everything[offset : offset + 3]
    assert page.coverage.searched == 8
    assert (page.next is not None) == (offset + 3 < 8)
    if page.next is not None:
        assert listed(viewer, limit=3, cursor=page.next) == everything[offset + 3 : offset + 6]


def test_pages_by_cursor_meet_every_belief_once(parties: Parties, agent: Rest) -> None:
    for n in range(7):
        tell(parties.coder, f"Fact number {n}", scope=("global", "agent")[n % 2])
    seen: list[str] = []
    arguments: dict[str, Any] = {"limit": 3}
    while True:
        reply = agent.post("/tools/list_memory", arguments).json
        seen += [row["text"] for row in reply["items"]]
        assert reply["total"] == 7
        if reply["next"] is None:
            break
        arguments["cursor"] = reply["next"]

    assert len(seen) == len(set(seen)) == 7


def test_a_page_begins_at_an_offset_or_behind_a_cursor(parties: Parties, agent: Rest) -> None:
    for n in range(3):
        tell(parties.coder, f"Fact number {n}")
    cursor = agent.post("/tools/list_memory", {"limit": 1}).json["next"]
    both = agent.post("/tools/list_memory", {"limit": 1, "offset": 1, "cursor": cursor})

    assert both.status == 422
    assert set(both.error["fields"]) == {"offset", "cursor"}
    assert agent.post("/tools/list_memory", {"offset": -1}).status == 422
    assert agent.post("/tools/list_memory", {"limit": 101}).status == 422
    assert agent.post("/tools/list_memory", {"type": "wish"}).status == 422
    assert agent.post("/tools/list_memory", {"limit": 1, "cursor": cursor}).status == 200


def test_an_unknown_project_and_one_of_another_owner_read_alike(bob: User, agent: Rest) -> None:
    theirs = make_project(bob, "Secret plan").slug
    for tool, arguments in (("list_memory", {}), ("search_memory", {"query": "bread"})):
        foreign = agent.post(f"/tools/{tool}", {**arguments, "project": theirs})
        unknown = agent.post(f"/tools/{tool}", {**arguments, "project": "nowhere"})
        assert (foreign.status, unknown.status) == (404, 404)
        assert foreign.body.replace(theirs.encode(), b"-") == unknown.body.replace(b"nowhere", b"-")


def test_a_search_needs_words(agent: Rest) -> None:
    assert agent.post("/tools/search_memory", {}).status == 422
    assert agent.post("/tools/search_memory", {"query": "   "}).status == 422
    reply = agent.post("/tools/search_memory", {"query": "bread"}).json
    assert reply.keys() == {"items", "next", "coverage", "display"}


# --- tools ----------------------------------------------------------------------------------------------------


def test_tools_are_found_by_what_one_wants_to_do(agent: Rest) -> None:
    def first(query: str) -> str:
        name: str = agent.post("/tools/tool_search", {"query": query}).json["items"][0]["name"]
        return name

    assert first("store a durable fact or decision") == "remember"
    assert first("take a wrong belief out of use") == "forget"
    assert first("list_memory") == "list_memory"
    assert agent.post("/tools/tool_search", {"query": "zebra crossing"}).json["items"] == []
    assert len(agent.post("/tools/tool_search", {"query": "belief memory", "limit": 2}).json["items"]) == 2


def test_only_tools_that_the_caller_may_use_are_found(alice: User, agent: Rest) -> None:
    reader = Rest(make_token(alice, agent="coder", abilities=["read"]))
    found = {
        row["name"]
        for row in reader.post("/tools/tool_search", {"query": "belief words memory", "limit": 100}).json["items"]
    }

    assert all(Effect.READ in registry.get(name).effects.values() for name in found)
    assert not found & {"remember", "forget", "kg_add", "diary_write"}
    assert "recall" in found
    refused = reader.post("/tools/get_tool_schema", {"name": "remember"})
    unknown = reader.post("/tools/get_tool_schema", {"name": "nonsense"})
    assert (refused.status, unknown.status) == (404, 404)
    assert refused.body.replace(b"remember", b"-") == unknown.body.replace(b"nonsense", b"-")
    assert agent.post("/tools/get_tool_schema", {"name": "remember"}).json["name"] == "remember"


def test_a_schema_is_that_of_the_tool_list(agent: Rest) -> None:
    described = agent.get("/tools/schema?name=recall").json
    found = agent.post("/tools/get_tool_schema", {"name": "recall"}).json
    family = agent.post("/tools/get_tool_schema", {"family": "memory"}).json

    assert {key: found[key] for key in described} == described
    assert described in family["tools"]
    assert family["family"] == "memory"
    shown = found["display"].splitlines()
    assert shown[0] == "recall: Find what is known. Search before saying that you do not know."
    assert "- tag_mode: whether any or all tags must be there [any, all]" in shown
    assert "- text (required): one belief in a sentence or two" in family["display"].splitlines()
    assert agent.post("/tools/get_tool_schema", {}).status == 422
    assert agent.post("/tools/get_tool_schema", {"name": "recall", "family": "memory"}).status == 422
    assert agent.post("/tools/get_tool_schema", {"family": "horoscopes"}).status == 404
    assert (
        Rest(make_person_token(User.objects.get(username="alice")))
        .post("/tools/get_tool_schema", {"name": "forget"})
        .status
        == 200
    )
