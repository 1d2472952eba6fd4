"""What nobody may find: the words of sealed conversations, and anything of another owner's. Beside each stands what is
found."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.db import connection

from conversations.models import Chunk, Conversation, Session
from conversations.recall.index import index_of
from conversations.sessions.heads import decompressed
from pawflow_web.identity.models import User
from pawflow_web.lib.search import EXACT, STEMS
from pawflow_web.lib.search.schema import KEY
from tests.conversations.turns import message, told, turn
from tests.factories import make_conversation, make_person_token, make_project, make_token
from tests.recall.asking import PI, called, indexed, recall, samples, sent
from tests.recall.pi_lines import talk
from tests.surfaces.conftest import Rest

# --- sealed ---------------------------------------------------------------------------------------------------------


def words_of_index(owner: User, prefix: str) -> set[str]:
    """Every term with this beginning, in whatever field of the owner's index."""
    index = index_of(owner.pk)
    snapshot = index.snapshot()
    assert snapshot is not None
    searcher = snapshot._searcher
    schema = index.schema
    fields = [*schema.terms, *schema.words, EXACT, STEMS, KEY]
    return {term for field in fields for term, _ in searcher.terms_with_prefix(field, prefix, limit=100)}


def tables_with(word: str) -> set[str]:
    """The tables of which a row shows the word, as text or in bytes."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                f'SELECT 1 FROM "{table}" t WHERE t::text ILIKE %s OR t::text ILIKE %s LIMIT 1',
                [f"%{word}%", f"%{word.encode().hex()}%"],
            )
            if cursor.fetchone():
                found.add(table)
    return found


def in_chunks(word: str) -> bool:
    packed = [piece for chunk in Chunk.objects.all() for piece in (chunk.heads, chunk.body) if piece is not None]
    return any(word.encode() in decompressed(piece) for piece in packed)


@pytest.mark.parametrize("flag", ["encrypted", "temporary"])
def test_words_of_a_sealed_conversation_are_nowhere_that_is_searched(agent: Rest, alice: User, flag: str) -> None:
    sealed = agent.post("/conversations", {flag: True, "external_id": "outer"}).json["ref"]
    steps = [
        message("The capercaillie hides."),
        {"kind": "tool_call", "tool": "capercaillietool", "call_id": "capercailliecall", "content": "capercaillie"},
        {"kind": "tool_result", "tool": "capercaillietool", "call_id": "capercailliecall", "content": "capercaillie"},
    ]
    told(agent, sealed, {"role": "user", "steps": steps, "id": "c1"}, run="r1")
    plain = [{**step, **{k: v.replace("caper", "gold") for k, v in step.items()}} for step in steps]
    told(agent, make_conversation(alice, title="Plain").ref, {"role": "user", "steps": plain, "id": "c2"}, run="r2")
    indexed(alice)
    assert words_of_index(alice, "caper") == set()
    assert {"goldcaillie", "goldcaillietool"} <= words_of_index(alice, "gold")
    assert not in_chunks("capercaillie")
    assert in_chunks("goldcailliecall")
    assert Session.objects.get().session_id != "outer"
    searched = {"conversations_session", "conversations_chunk", "conversations_conversation"}
    assert tables_with("capercaillie") & searched == set()
    if flag == "encrypted":
        assert tables_with("capercaillie") == set()
    assert "conversations_step" in tables_with("goldcaillie")
    for query, total in (("capercaillie", 0), ("goldcaillie", 3)):
        assert recall(agent, query=query)["total"] == total
    for query in ("caper.*", "cap(e)rcaillie"):
        assert recall(agent, query=query, queryMode="regex")["total"] == 0
    for name in (sealed, "outer"):
        assert recall(agent, scope=f"session:{name}")["error"]["code"] == "session_not_found"


# --- another owner's ------------------------------------------------------------------------------------------------


@pytest.fixture
def rich(agent: Rest, alice: User) -> Rest:
    """Alice with sessions of every sort, indexed."""
    samples(agent)
    project = make_project(alice, "Aviary")
    sent(agent, "filed.jsonl", talk("the capercaillie", name="filed"), project=project.slug)
    sealed = agent.post("/conversations", {"encrypted": True}).json["ref"]
    told(agent, sealed, turn("sealed"), run="sealed")
    told(agent, make_conversation(alice, external_id="outer").ref, turn("The capercaillie is told."), run="run1")
    indexed(alice)
    return agent


def strangers_of(bob: User) -> Iterator[Rest]:
    yield Rest(make_token(bob, agent="coder"))
    yield Rest(make_person_token(bob))


def names_of_all() -> list[str]:
    """Whatever names a session."""
    found = []
    for session in Session.objects.select_related("conversation"):
        found += [session.ref, session.session_id, session.conversation.ref]
        found += [session.path] if session.path else []
    return found


def test_no_total_and_no_coverage_counts_what_is_anothers(rich: Rest, bob: User) -> None:
    asked = [
        ("memory_recall", {"query": "capercaillie", "scope": "global"}),
        ("memory_recall", {"query": "caper.*", "queryMode": "regex", "scope": "global"}),
        ("memory_recall", {"ref": "pi.bash", "scope": "global"}),
        ("memory_recall", {"scope": "global", "branches": "all"}),
        ("memory_sessions", {"scope": "global"}),
        ("conversation_search", {"query": "capercaillie"}),
        ("conversation_search", {"query": "capercaillie", "agent": "coder"}),
        ("search_conversation_history", {"query": "capercaillie", "scope": "all"}),
        ("search_conversation_history", {"query": "capercaillie", "scope": "all", "run_id": "run1"}),
        ("tool_search", {"query": "bash make test edit write"}),
    ]
    mine = {str(one): called(rich, one[0], **one[1]) for one in asked}
    for stranger in strangers_of(bob):
        for one in asked:
            theirs = called(stranger, one[0], **one[1])
            assert counts(theirs) == {0}, one
            assert counts(mine[str(one)]) != {0}, one


def counts(answer: dict[str, object]) -> set[int]:
    """All numbers of an answer, and how many it lists."""
    coverage = answer.get("coverage")
    numbers = [value for value in (coverage.values() if isinstance(coverage, dict) else ()) if type(value) is int]
    total = answer.get("total", 0)
    assert isinstance(total, int)
    listed = [answer.get(name) for name in ("hits", "items", "sessions")]
    return {total, *numbers, *(_listed(one) for one in listed)}


def _listed(found: object) -> int:
    """Tools are everybody's; what was done with them is not."""
    rows = found if isinstance(found, list) else []
    return sum(row.get("effect", "seen") == "seen" for row in rows)


def test_no_name_of_anothers_session_opens_anything(rich: Rest, bob: User) -> None:
    stranger = next(strangers_of(bob))
    for name in names_of_all():
        for number, rest in enumerate((rich, stranger)):
            answers = [
                called(rest, "memory_recall", scope=f"session:{name}", query="the"),
                called(rest, "memory_sessions", scope=f"session:{name}"),
                called(rest, "memory_expand", session=name, indices=[0]),
                called(rest, "call", ref="memory.expand", args={"session": name}),
            ]
            codes = {answer["error"]["code"] if answer.get("error") else None for answer in answers}
            assert codes == ({"session_not_found"} if number else {None}), name
            walked = rest.get(f"/recall/walk?session={quote(name, safe='')}").body
            assert (b'"session_not_found"' in walked) == bool(number)


def test_what_is_said_of_anothers_session_is_said_of_none(rich: Rest, bob: User) -> None:
    stranger = next(strangers_of(bob))
    for session in Session.objects.all():
        body = stranger.post("/tools/memory_expand", {"session": session.ref}).body
        never = stranger.post("/tools/memory_expand", {"session": "0123456789ab"}).body
        assert body.replace(session.ref.encode(), b"0123456789ab") == never
        assert stranger.post("/tools/read_turn", {"ref": f"{session.ref}:1"}).status == 404
        assert stranger.get(f"/sessions/{session.ref}").status == 404
    assert rich.post("/tools/read_turn", {"ref": f"{Session.objects.get(path='filed.jsonl').ref}:1"}).status == 200
    assert stranger.post("/tools/read_turn", {"ref": "run1:1"}).status == 404
    assert rich.post("/tools/read_turn", {"ref": "run1:1"}).status == 200


def test_cursors_pointers_and_uploads_of_another_owner_are_worth_nothing(rich: Rest, bob: User) -> None:
    listed = called(rich, "memory_sessions", scope="global", limit=1)
    for stranger in strangers_of(bob):
        for path, body in (
            ("/tools/memory_sessions", {"scope": "global", "limit": 1, "cursor": listed["next"]}),
            ("/tools/memory_sessions", {"scope": "session:filed.jsonl", "cursor": listed["next"]}),
        ):
            reply = stranger.post(path, body)
            assert reply.status == 422 or reply.json["sessions"] == []
        (hit,) = recall(rich, query="capercaillie", scope="session:filed.jsonl")["hits"]
        assert stranger.post("/call", hit["follow"]).json["error"]["code"] == "session_not_found"
        assert rich.post("/call", hit["follow"]).json["entries"][0]["text"] == "the capercaillie"
    begun = rich.post("/sessions/uploads").json["upload"]
    stranger = next(strangers_of(bob))
    address = f"/sessions/uploads/{begun}"
    assert stranger.send("PATCH", address, b"x", **{"Upload-Offset": "0"}).status == 404
    assert stranger.post(f"{address}/finish?path=x").status == 404
    assert rich.get(address).json["offset"] == 0


def test_the_same_file_of_two_owners_is_two_sessions(rich: Rest, bob: User, alice: User) -> None:
    stranger = next(strangers_of(bob))
    before = called(rich, "memory_sessions", scope="global")
    first = sent(stranger, "pi/linear.jsonl", (PI / "linear.jsonl").read_bytes())
    sent(stranger, "filed.jsonl", talk("a dotterel", name="filed"))
    indexed(bob)
    assert called(rich, "memory_sessions", scope="global") == before
    assert recall(rich, query="dotterel")["total"] == 0
    assert recall(stranger, query="dotterel capercaillie")["total"] == 1
    assert rich.get(f"/sessions/{first['ref']}").status == 404
    assert index_of(bob.pk).folder != index_of(alice.pk).folder
    assert words_of_index(bob, "caper") == set()
    assert "capercaillie" in words_of_index(alice, "caper")


def test_a_project_of_another_owner_takes_and_gives_nothing(rich: Rest, bob: User) -> None:
    stranger = next(strangers_of(bob))
    refused = stranger.send("POST", "/sessions?path=x.jsonl&project=aviary", talk("one"))
    assert refused.status == 404
    named = {"X-PawFlow-Project": "aviary"}
    assert rich.post("/tools/memory_recall", {"scope": "project", "query": "capercaillie"}, **named).json["total"] == 1
    assert stranger.post("/tools/memory_recall", {"scope": "project", "query": "capercaillie"}, **named).status == 404
    assert not Conversation.objects.filter(user=bob).exists()
