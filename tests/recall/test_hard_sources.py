"""Session files that were made to break something, and files that many bring at once."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.test import override_settings

from conversations.models import Chunk, Conversation, Session, SessionUpload
from conversations.recall import answering
from conversations.recall import places as places_module
from conversations.sessions import chunks, watching
from conversations.sessions.entries import KINDS_MOST, OTHER_KINDS, State
from conversations.sessions.files import opened, spooled
from conversations.sessions.heads import Heads, decompressed
from pawflow_web.identity.models import User
from tests.factories import make_owner, make_person_token, make_token
from tests.recall.asking import called, indexed, places, recall, send, sent
from tests.recall.pi_lines import said, source, talk
from tests.surfaces.conftest import Asked, Rest

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def kept(path: str) -> bytes:
    """The source of a session, put together from its chunks."""
    rows = Chunk.objects.filter(session__path=path).order_by("number")
    return b"".join(decompressed(row.body or b"") for row in rows)


# --- what stands in them --------------------------------------------------------------------------------------------
def test_kinds_of_records_without_end_are_counted_together() -> None:
    state = State()
    for number in range(3 * KINDS_MOST):
        state.skip(f"kind{number}")
        state.skip("kind0")
    assert (len(state.skipped), state.skipped["kind0"]) == (KINDS_MOST + 1, 3 * KINDS_MOST + 1)
    assert state.skipped[OTHER_KINDS] == 2 * KINDS_MOST


def flood(results: int) -> bytes:
    """One record of Claude Code with so many answers of tools, and a word behind it."""
    answers = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": f"answer{n}"} for n in range(results)]
    lines = [
        {"uuid": "u1", "parentUuid": None, "message": {"role": "user", "content": answers}},
        {"uuid": "u2", "parentUuid": "u1", "message": {"role": "user", "content": "The zebra."}},
    ]
    return source(*[{"type": "user", "sessionId": "cc", "timestamp": "2026-03-01T10:00:00Z", **one} for one in lines])


def test_a_record_with_more_entries_than_have_numbers_says_what_it_left_out(
    agent: Rest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "RECORD_ENTRIES_MOST", 30)
    assert sent(agent, "cc.jsonl", flood(40))["entries"] == 31
    for _ in range(2):
        for word, expected in (("answer29", [("cc", 29)]), ("answer30", []), ("zebra", [("cc", 30)])):
            found = recall(agent, query=word)
            assert places(found) == expected
            assert "max_record_entries" in found["coverage"]["reasons"]
        indexed(alice)
    assert "max_record_entries" not in sent(agent, "few.jsonl", flood(30))["reasons"]


def test_every_chunk_has_fewer_entries_than_there_are_numbers_for_its_places() -> None:
    from conversations.recall.index import PLACES

    # The last chunk goes on growing while it is small; each of its entries takes some twenty bytes at the least.
    assert chunks.RECORD_ENTRIES_MOST + chunks.FULL_ENTRIES + chunks.OPEN_BYTES // 20 < 1 << PLACES


def export(*names: str) -> bytes:
    """Conversations of claude.ai of these ids, each with a word of its own."""
    message = {"uuid": "m", "sender": "human", "created_at": "2026-03-01T10:00:00Z", "content": []}
    return json.dumps(
        [
            {"uuid": name, "name": "n", "chat_messages": [{**message, "text": f"word{number}"}]}
            for number, name in enumerate(names)
        ]
    ).encode()


@pytest.mark.parametrize(
    "names",
    [("u" * 3000 + "a", "u" * 3000 + "b"), ("same", "same", "same"), ("../../x#y", "é😀\0\ud800"), ("", "#0", "a#b")],
)
def test_conversations_of_an_export_stay_apart_whatever_they_are_called(
    agent: Rest, capsys: pytest.CaptureFixture[str], names: tuple[str, ...]
) -> None:
    data = export(*names)
    first = sent(agent, "conversations.json", data)
    assert len(first["sessions"]) == len(names)
    again = sent(agent, "conversations.json", data)
    assert [one["ref"] for one in again["sessions"]] == [one["ref"] for one in first["sessions"]]
    before = list(Session.objects.order_by("pk").values_list("pk", "path"))
    call_command("reindex", "--reread", "--json")
    capsys.readouterr()
    assert list(Session.objects.order_by("pk").values_list("pk", "path")) == before
    for number in range(len(names)):
        assert recall(agent, query=f"word{number}")["total"] == 1


@pytest.mark.parametrize("before", ["", "x " * 50, "x " * 57, "x" * 112 + " "])
def test_no_part_of_a_secret_makes_a_title(agent: Rest, before: str) -> None:
    shown = sent(agent, "s.jsonl", talk(f"{before}{TOKEN} is my token"))
    title = Conversation.objects.get(ref=shown["conversation"]).title
    assert "ghp_" not in title
    harmless = sent(agent, "t.jsonl", talk(f"{before}words are my words", name="t"))
    assert Conversation.objects.get(ref=harmless["conversation"]).title.startswith((before + "words")[:110].strip())


def test_a_secret_behind_the_title_costs_no_title(agent: Rest) -> None:
    shown = sent(agent, "s.jsonl", talk("The deploy. " + "x" * 300 + f" {TOKEN}"))
    assert Conversation.objects.get(ref=shown["conversation"]).title.startswith("The deploy. xxx")


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "a#b#c", "p" * 1600, "ü😀\u202e/x.jsonl", "/etc/passwd", "%00%2e", "___", "s.jsonl#x"]
)
def test_a_path_is_a_name_and_nothing_else(agent: Rest, alice: User, path: str) -> None:
    sent(agent, path, talk("the heron", name="h"))
    other = sent(agent, "plain.jsonl", talk("the robin", name="r"))
    assert places(recall(agent, scope=f"session:{path}", query="heron")) == [("h", 0)]
    assert recall(agent, scope=f"session:{path}", query="robin")["total"] == 0
    (hit,) = recall(agent, query="heron")["hits"]
    assert agent.post("/call", hit["follow"]).json["entries"][0]["text"] == "the heron"
    assert agent.get(f"/sessions/{other['ref']}").json["path"] == "plain.jsonl"


def test_a_path_that_is_too_long_is_refused(agent: Rest, alice: User, tmp_path: Path) -> None:
    refused = send(agent, "p" * 1601, talk("one"))
    assert (refused.status, list(refused.error["fields"])) == (422, ["path"])
    deep = tmp_path / "/".join(["d" * 250] * 7)
    deep.mkdir(parents=True)
    (deep / "a.jsonl").write_bytes(talk("the heron"))
    (tmp_path / "e.jsonl").write_bytes(talk("the robin", name="e"))
    followed(tmp_path, alice)
    assert recall(agent, query="heron robin")["total"] == 1


# --- folders that are followed --------------------------------------------------------------------------------------
def followed(folder: Path, owner: User, looks: int = 1) -> None:
    from django.conf import settings

    with override_settings(ENV=replace(settings.ENV, sessions_dirs=(folder,), owner=owner.username)):
        for _ in range(looks):
            watching.look(float("inf"))


@pytest.mark.parametrize("name", [b"caf\xe9.jsonl", "über#die#Brücke.jsonl".encode(), b"a b%2F.jsonl", b"-rf.jsonl"])
def test_a_file_of_any_name_is_followed_and_stays(agent: Rest, alice: User, tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    path.write_bytes(talk("the heron"))
    (tmp_path / "z.jsonl").write_bytes(talk("the robin", name="z"))
    followed(tmp_path, alice, looks=3)
    assert recall(agent, query="heron robin")["total"] == 2
    assert recall(agent, query="heron")["coverage"]["complete"]
    path.unlink()
    followed(tmp_path, alice, looks=2)
    assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (0, 1)


def test_conversations_of_a_file_with_a_sign_in_its_name_stay_with_it(agent: Rest, alice: User, tmp_path: Path) -> None:
    path = tmp_path / "a#b.json"
    path.write_bytes(export("one", "two#three"))
    followed(tmp_path, alice)
    first = set(Session.objects.values_list("ref", flat=True))
    followed(tmp_path, alice, looks=2)
    assert set(Session.objects.values_list("ref", flat=True)) == first
    found = recall(agent, query="word0 word1")
    assert (found["total"], found["coverage"]["complete"]) == (2, True)
    (tmp_path / "c.json").write_bytes(export("other"))
    path.unlink()
    followed(tmp_path, alice, looks=2)
    assert [session.path for session in Session.objects.all()] == [f"{tmp_path}/c.json#other"]


def test_a_large_file_that_is_cut_off_while_it_is_read_is_read_as_it_was(db: None, tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_bytes(b"x" * (9 * 2**20))
    with opened(path) as data:
        # The process would not outlive it if it were mapped.
        assert str(path) not in Path("/proc/self/maps").read_text()
        os.truncate(path, 0)
        assert (len(data), data[-1:]) == (9 * 2**20, b"x")


def test_what_is_sent_lies_in_no_file_that_could_be_left_behind(db: None) -> None:
    from django.conf import settings

    before = set(Path(settings.ENV.data_dir).iterdir())
    with spooled((b"x" * 2**20 for _ in range(9)), most=2**30) as data:
        assert data[8 * 2**20 :] == b"x" * 2**20
        assert set(Path(settings.ENV.data_dir).iterdir()) == before


# --- many at once ---------------------------------------------------------------------------------------------------
def at_once(*acts: Callable[[], Asked]) -> list[Asked]:
    def run(act: Callable[[], Asked]) -> Asked:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))


def is_whole(path: str, among: list[bytes]) -> bytes:
    """One of what was sent, with the entries that it has."""
    session = Session.objects.get(path=path)
    rows = Chunk.objects.filter(session=session)
    found = kept(path)
    assert found in among
    assert session.size == len(found)
    assert session.entries == sum(row.entries for row in rows)
    return found


@pytest.mark.django_db(transaction=True)
def test_of_many_who_bring_one_file_at_once_it_is_kept_once_and_whole() -> None:
    owner = make_owner("alice")
    agent = Rest(make_token(owner))
    versions = [talk(*[f"word{n}" for n in range(size)]) for size in (5, 10, 15, 20)]
    replies = at_once(*[lambda data=data: send(agent, "s.jsonl", data) for data in versions * 2])
    assert {reply.status for reply in replies} <= {200, 201, 409}
    assert [reply.status for reply in replies].count(201) >= 1
    found = is_whole("s.jsonl", versions)
    for reply in replies:
        assert reply.status != 409 or reply.error["code"] == "conflict"
    assert sent(agent, "s.jsonl", versions[-1])["entries"] == 20
    indexed(owner)
    assert recall(agent, query="word0")["total"] == 1
    assert found


@pytest.mark.django_db(transaction=True)
def test_growing_rewriting_deleting_and_searching_at_once_leaves_one_of_them() -> None:
    owner = make_owner("alice")
    agent, person = Rest(make_token(owner)), Rest(make_person_token(owner))
    begun = talk("the heron", "one")
    grown, rewritten = begun + source(said(2, "the heron again")), talk("the robin", "two")
    for _ in range(4):
        ref = sent(agent, "s.jsonl", begun)["ref"]
        indexed(owner)
        replies = at_once(
            lambda: send(agent, "s.jsonl", grown),
            lambda: send(agent, "s.jsonl", rewritten),
            lambda ref=ref: person.delete(f"/sessions/{ref}"),
            lambda: agent.post("/tools/memory_recall", {"query": "heron robin", "scope": "global"}),
            lambda: agent.post("/tools/memory_expand", {"session": "s.jsonl", "indices": [0]}),
            lambda: agent.get("/recall/walk?session=s.jsonl"),
        )
        assert {reply.status for reply in replies[:3]} <= {200, 201, 404, 409}, [reply.body for reply in replies]
        assert {reply.status for reply in replies[3:]} == {200}, [reply.body for reply in replies]
        last = json.loads(replies[5].body.splitlines()[-1])
        assert last["type"] in {"end", "error"}
        indexed(owner)
        if Session.objects.exists():
            found = is_whole("s.jsonl", [begun, grown, rewritten])
            assert recall(agent, query="heron")["total"] == (0 if found == rewritten else found.count(b"heron"))
        assert Chunk.objects.count() == Chunk.objects.filter(session__path="s.jsonl").count()


@pytest.mark.django_db(transaction=True)
def test_an_upload_that_two_go_on_with_holds_each_piece_once() -> None:
    owner = make_owner("alice")
    agent = Rest(make_token(owner))
    data = talk(*[f"word{n}" for n in range(100)])
    address = f"/sessions/uploads/{agent.post('/sessions/uploads').json['upload']}"
    at = 0
    while at < len(data):
        piece = data[at : at + 4000]
        replies = at_once(
            *[lambda p=piece, a=at: agent.send("PATCH", address, p, **{"Upload-Offset": str(a)}) for _ in range(2)]
        )
        assert sorted(reply.status for reply in replies) == [200, 409]
        at += len(piece)
        assert agent.get(address).json["offset"] == at
    done = at_once(*[lambda: agent.post(f"{address}/finish?path=up.jsonl") for _ in range(3)])
    assert {reply.status for reply in done} <= {200, 201, 404, 409}, [reply.body for reply in done]
    assert kept("up.jsonl") == data
    assert not SessionUpload.objects.exists()


@pytest.mark.parametrize("scope", ["global", "session:s.jsonl"])
def test_what_is_deleted_while_an_answer_is_made_is_left_out(
    agent: Rest, person: Rest, alice: User, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    ref = sent(agent, "s.jsonl", talk("the heron"))["ref"]
    sent(agent, "t.jsonl", talk("the heron too", name="t"))
    indexed(alice)
    found = answering.pieces_of

    def late(*args: Any) -> Any:
        pieces = found(*args)
        person.delete(f"/sessions/{ref}")
        return pieces

    monkeypatch.setattr(answering, "pieces_of", late)
    answer = recall(agent, query="heron", scope=scope)
    assert places(answer) == ([("t", 0)] if scope == "global" else [])


@pytest.mark.parametrize("streamed", [False, True], ids=["expand", "walk"])
def test_a_session_that_is_deleted_while_it_is_read_is_said_to_be_gone(
    agent: Rest, person: Rest, monkeypatch: pytest.MonkeyPatch, streamed: bool
) -> None:
    ref = sent(agent, "s.jsonl", talk(*["x" * chunks.FULL_BYTES for _ in range(3)]))["ref"]
    unpack = places_module.Heads.unpack

    def late(packed: bytes) -> Heads:
        person.delete(f"/sessions/{ref}")
        return unpack(packed)

    def asked() -> Any:
        if streamed:
            return json.loads(agent.get("/recall/walk?session=s.jsonl").body.splitlines()[-1])
        return called(agent, "memory_expand", session="s.jsonl", entryRange={"first": 0, "last": 2}, maxChars=256)

    assert not asked().get("error")
    monkeypatch.setattr(places_module, "Heads", SimpleNamespace(unpack=late))
    assert asked()["error"]["code"] == "source_unavailable"
