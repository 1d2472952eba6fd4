"""Session files are kept to the byte, read on when they grow, read anew when they were rewritten, and go with all that
was made of them."""

import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import call_command

from conversations.models import Chunk, Conversation, Session, SessionGone, SessionUpload
from conversations.recall.index import catch_up, index_of
from conversations.sessions.chunks import FULL_BYTES
from conversations.sessions.heads import Heads, decompressed
from conversations.sessions.storing import Source, store_source
from conversations.tasks import entries_index
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.lib.errors import Conflict
from tests.conversations.turns import told, turn
from tests.factories import make_conversation, make_person_token, make_token
from tests.recall.asking import called, indexed, places, recall, send, sent
from tests.recall.pi_lines import header, said, source, talk
from tests.surfaces.conftest import Rest


def kept(path: str) -> bytes:
    """The source of a session, put together from its chunks."""
    chunks = Chunk.objects.filter(session__path=path, entries__gte=0).order_by("number")
    return b"".join(decompressed(chunk.body or b"") for chunk in chunks)


def test_every_byte_is_kept_and_the_reply_says_what_it_is(agent: Rest) -> None:
    data = b"\xef\xbb\xbf" + talk("one", "two") + b"\r\n{broken\n\n" + source(said(2, "three")) + b'{"type": "mess'
    reply = send(agent, "dir/s.jsonl", data)
    assert reply.status == 201
    shown = reply.json
    assert {name: shown[name] for name in ("kind", "path", "size", "entries", "bad_lines")} == {
        "kind": "pi",
        "path": "dir/s.jsonl",
        "size": len(data),
        "entries": 3,
        "bad_lines": 1,
    }
    assert shown["source_hash"] == hashlib.sha256(data).hexdigest()
    assert kept("dir/s.jsonl") == data
    assert Conversation.objects.get(ref=shown["conversation"]).title == "one"
    assert agent.get(f"/sessions/{shown['ref']}").json["ref"] == shown["ref"]


def test_the_time_of_the_file_decides_which_session_is_newer(agent: Rest) -> None:
    sent(agent, "new.jsonl", talk("rye", name="new"), mtime="2026-03-02T10:00:00Z")
    sent(agent, "old.jsonl", talk("rye", name="old"), mtime="1772359300")
    assert places(recall(agent, query="rye")) == [("new", 0), ("old", 0)]
    assert send(agent, "odd.jsonl", talk("rye"), mtime="yesterday").status == 422


def test_the_same_again_changes_nothing(agent: Rest) -> None:
    first = sent(agent, "s.jsonl", talk("one"))
    seq = Session.objects.get(path="s.jsonl").changed_seq
    again = send(agent, "s.jsonl", talk("one"))
    assert (again.status, again.json["ref"]) == (200, first["ref"])
    assert Session.objects.get(path="s.jsonl").changed_seq == seq


@pytest.mark.parametrize("step", [1, 7, 100])
def test_a_file_that_grows_reads_as_if_it_had_come_at_once(agent: Rest, step: int) -> None:
    lines = source(header(), *[said(n, f"word{n} é😀") for n in range(40)]).splitlines(keepends=True)
    for end in [*range(step, len(lines), step), len(lines)]:
        sent(agent, "grows.jsonl", b"".join(lines[:end]))
    sent(agent, "once.jsonl", b"".join(lines))
    assert kept("grows.jsonl") == kept("once.jsonl")
    grown, once = (Session.objects.get(path=f"{name}.jsonl") for name in ("grows", "once"))
    for name in ("source_hash", "lineage", "entries", "active_entries", "records", "leaf", "consumed"):
        assert getattr(grown, name) == getattr(once, name), name
    texts = [called(agent, "memory_expand", session=f"{name}.jsonl", indices=[39]) for name in ("grows", "once")]
    assert texts[0]["entries"] == texts[1]["entries"]


def test_a_torn_last_line_waits_for_its_end(agent: Rest) -> None:
    whole = talk("one", "the falcon")
    torn = whole[:-20]
    assert sent(agent, "s.jsonl", torn)["entries"] == 1
    assert recall(agent, query="falcon")["total"] == 0
    grown = sent(agent, "s.jsonl", whole)
    assert (grown["entries"], grown["bad_lines"]) == (2, 0)
    assert places(recall(agent, query="falcon")) == [("s", 1)]


def test_a_rewritten_file_is_read_anew_and_its_old_words_are_gone(agent: Rest, alice: User) -> None:
    sent(agent, "s.jsonl", talk("the heron"))
    indexed(alice)
    assert recall(agent, query="heron")["total"] == 1
    sent(agent, "s.jsonl", talk("the robin"))
    for _ in range(2):
        assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (0, 1)
        indexed(alice)


def test_a_file_that_became_shorter_leaves_nothing_of_its_end(agent: Rest, alice: User) -> None:
    long = source(header(), *[said(n, f"heron {n} " + "x" * 4000) for n in range(3 * FULL_BYTES // 4000)])
    sent(agent, "s.jsonl", long)
    indexed(alice)
    assert Chunk.objects.filter(session__path="s.jsonl").count() > 2
    sent(agent, "s.jsonl", talk("the robin"))
    indexed(alice)
    assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (0, 1)
    assert kept("s.jsonl") == talk("the robin")


def test_of_two_who_bring_one_file_at_once_the_first_is_kept(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    person = principal_of_user(alice)
    store_source(principal=person, source=Source("s.jsonl", talk("one")))
    grown = talk("one", "two")
    from conversations.sessions import storing

    write = storing._write

    def late(*args: object) -> Session:
        monkeypatch.setattr(storing, "_write", write)
        store_source(principal=person, source=Source("s.jsonl", talk("one", "two", "three")))
        return write(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(storing, "_write", late)
    with pytest.raises(Conflict):
        store_source(principal=person, source=Source("s.jsonl", grown))
    assert kept("s.jsonl") == talk("one", "two", "three")


def test_deleting_a_session_takes_it_out_of_every_answer_and_index(agent: Rest, person: Rest, alice: User) -> None:
    shown = sent(agent, "s.jsonl", talk("the heron"))
    sent(agent, "t.jsonl", talk("the robin"))
    indexed(alice)
    assert agent.delete(f"/sessions/{shown['ref']}").status == 403
    assert person.delete(f"/sessions/{shown['ref']}").json == {"deleted": True}
    assert recall(agent, query="heron")["total"] == 0
    assert not Chunk.objects.filter(session__path="s.jsonl").exists()
    assert not Conversation.objects.filter(ref=shown["conversation"]).exists()
    indexed(alice)
    snapshot = index_of(alice.pk).snapshot()
    assert snapshot is not None
    assert snapshot.documents == 1
    assert recall(agent, query="robin")["total"] == 1
    assert SessionGone.objects.filter(user=alice).count() == 1


def test_pieces_of_an_upload_are_put_together(agent: Rest) -> None:
    data = talk(*[f"word {n}" for n in range(200)])
    begun = agent.post("/sessions/uploads")
    assert begun.status == 201
    address = f"/sessions/uploads/{begun.json['upload']}"
    half = len(data) // 2
    assert agent.send("PATCH", address, data[:half], **{"Upload-Offset": "0"}).json["offset"] == half
    refused = agent.send("PATCH", address, data[half:], **{"Upload-Offset": "5"})
    assert (refused.status, refused.error["fields"]) == (409, {"offset": half})
    assert agent.get(address).json["offset"] == half
    assert agent.send("PATCH", address, data[half:], **{"Upload-Offset": str(half)}).json["offset"] == len(data)
    done = agent.post(f"{address}/finish?{urlencode({'path': 'up.jsonl'})}")
    assert (done.status, done.json["entries"]) == (201, 200)
    assert kept("up.jsonl") == data
    assert not SessionUpload.objects.exists()


def test_nothing_comes_to_an_upload_that_is_being_finished(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    from conversations.sessions import uploads

    data = talk("the heron")
    address = f"/sessions/uploads/{agent.post('/sessions/uploads').json['upload']}"
    agent.send("PATCH", address, data, **{"Upload-Offset": "0"})
    pieces, late = uploads.pieces_of, []

    def slowly(upload: SessionUpload) -> Any:
        late.append(agent.send("PATCH", address, b"more", **{"Upload-Offset": str(len(data))}))
        return pieces(upload)

    monkeypatch.setattr(uploads, "pieces_of", slowly)
    refused = agent.post(f"{address}/finish?path=up.jsonl&kind=chatgpt")
    assert refused.status == 422
    assert (late[0].status, late[0].error["fields"]) == (409, {"offset": len(data)})
    # What could not be finished goes on as it was.
    monkeypatch.setattr(uploads, "pieces_of", pieces)
    more = agent.send("PATCH", address, source(said(1, "the wren")), **{"Upload-Offset": str(len(data))})
    assert more.status == 200
    assert agent.post(f"{address}/finish?path=up.jsonl").json["entries"] == 2
    gone = agent.send("PATCH", address, b"more", **{"Upload-Offset": str(more.json["offset"])})
    assert gone.status == 404


def test_who_cannot_finish_an_upload_does_not_open_it_for_somebody_who_can(agent: Rest, alice: User) -> None:
    from conversations.sessions import uploads

    person = principal_of_user(alice)
    upload = uploads.begin_upload(person)
    address = f"/sessions/uploads/{upload.ref}"
    data = talk("the heron")
    agent.send("PATCH", address, data, **{"Upload-Offset": "0"})
    with uploads.finishing(upload):
        assert agent.post(f"{address}/finish?path=up.jsonl&kind=chatgpt").status == 422
        assert agent.send("PATCH", address, b"more", **{"Upload-Offset": str(len(data))}).status == 409
    assert agent.send("PATCH", address, b"more", **{"Upload-Offset": str(len(data))}).status == 404


def test_a_path_that_is_a_part_of_another_file_is_refused(agent: Rest) -> None:
    chats = [{"uuid": "c1", "name": "n", "chat_messages": [{"uuid": "m", "sender": "human", "text": "the heron"}]}]
    sent(agent, "exp.json", json.dumps(chats).encode())
    assert Session.objects.get().path == "exp.json#c1"
    refused = send(agent, "exp.json#c1", talk("the robin"))
    assert (refused.status, refused.error["code"]) == (409, "conflict")
    assert recall(agent, query="heron")["total"] == 1


def test_a_stranger_sees_nothing_of_it(agent: Rest, bob: User) -> None:
    shown = sent(agent, "s.jsonl", talk("the heron"))
    begun = agent.post("/sessions/uploads").json["upload"]
    for stranger in (Rest(make_token(bob, agent="coder")), Rest(make_person_token(bob))):
        assert stranger.get(f"/sessions/{shown['ref']}").status == 404
        assert stranger.get(f"/sessions/uploads/{begun}").status in {403, 404}
        assert recall(stranger, query="heron")["coverage"]["eligibleSessions"] == 0
        assert recall(stranger, query="heron", scope="session:s.jsonl")["error"]["code"] == "session_not_found"
        lines = stranger.get("/recall/walk?session=s.jsonl").body.splitlines()
        assert [json.loads(line)["type"] for line in lines] == ["error"]
    assert recall(agent, query="heron")["total"] == 1


@pytest.mark.parametrize(
    ("query", "field"), [("kind=nonsense", "kind"), ("", "path"), ("project=none-such", None), ("kind=codex", None)]
)
def test_what_cannot_be_taken_is_refused(agent: Rest, query: str, field: str | None) -> None:
    path = "" if field == "path" else "path=s.jsonl&"
    reply = agent.send("POST", f"/sessions?{path}{query}", b"no session at all")
    assert reply.status in {404, 422}
    assert field is None or field in reply.error["fields"]
    assert not Session.objects.exists()


def test_the_command_takes_a_folder(
    tmp_path: Path, alice: User, agent: Rest, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_bytes(talk("the heron", name="a"))
    (tmp_path / "b.jsonl").write_bytes(talk("the robin", name="b"))
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "c.txt").write_bytes(talk("the wren"))
    call_command("import", "sessions", str(tmp_path), "--owner", alice.username, "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["sessions"] == {"all": 2, "new": 2, "changed": 0}
    assert (report["files"], report["passed_by"], report["entries"]) == (3, 1, 2)
    assert recall(agent, query="heron robin wren")["total"] == 2
    (tmp_path / "b.jsonl").write_bytes(talk("the robin", "the wren", name="b"))
    call_command("import", "pi", str(tmp_path / "b.jsonl"), "--owner", alice.username, "--json")
    assert json.loads(capsys.readouterr().out)["sessions"] == {"all": 1, "new": 0, "changed": 1}


def test_an_import_waits_for_another_of_the_same_file(
    tmp_path: Path, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conversations.sessions import importing

    path = tmp_path / "a.jsonl"
    path.write_bytes(talk("the heron", name="a"))
    take_in, tries = importing.take_in, []

    def late(*args: Any, **more: Any) -> list[Session]:
        tries.append(args)
        if len(tries) < 3:
            raise Conflict("This file was taken in by somebody else at the same moment. Send it again.")
        return take_in(*args, **more)

    monkeypatch.setattr(importing, "take_in", late)
    taken = importing.import_sessions(owner=alice.username, path=tmp_path)
    assert (taken.sessions, taken.passed_by, len(tries)) == (1, 0, 3)


def test_the_index_is_followed_in_batches(agent: Rest, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from conversations.recall import index

    monkeypatch.setattr(index, "_BATCH_ENTRIES", 10)
    for number in range(6):
        sent(agent, f"{number}.jsonl", talk(*[f"heron {n}" for n in range(6)], name=str(number)))
    batches = 0
    while catch_up(alice.pk):
        batches += 1
    assert batches >= 2
    assert recall(agent, query="heron")["total"] == 36


def test_everything_derived_is_made_again_from_what_is_kept(
    agent: Rest, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    sent(agent, "s.jsonl", talk("the heron", "a robin"))
    chats = json.dumps([chat("a", "the wren"), chat("b", "the finch")]).encode()
    sent(agent, "conversations.json", chats)
    told(agent, make_conversation(alice).ref, turn("The owl is told."))
    indexed(alice)
    before = [recall(agent, query=word)["hits"] for word in ("heron", "wren", "finch", "owl")]
    assert all(before)
    Chunk.objects.exclude(body=None).update(heads=Heads().pack())
    call_command("reindex", "--owner", alice.username, "--reread", "--json")
    assert json.loads(capsys.readouterr().out)["owners"] == [{"owner": "alice", "entries": 5, "reread": 3}]
    after = [recall(agent, query=word)["hits"] for word in ("heron", "wren", "finch", "owl")]
    assert [[hit["snippet"] for hit in hits] for hits in after] == [[hit["snippet"] for hit in hits] for hits in before]
    assert Session.objects.count() == 4


def chat(name: str, text: str) -> dict[str, object]:
    """A conversation of a claude.ai export."""
    message = {"uuid": f"{name}1", "sender": "human", "text": text, "created_at": "2026-03-01T10:00:00Z", "content": []}
    return {"uuid": name, "name": name, "created_at": "2026-03-01T10:00:00Z", "chat_messages": [message]}


def test_what_was_told_before_there_were_sessions_is_adopted(agent: Rest, alice: User) -> None:
    ref = make_conversation(alice).ref
    told(agent, ref, turn("The owl was told."), turn("Long ago.", "assistant"))
    Chunk.objects.all().delete()
    Session.objects.all().delete()
    assert recall(agent, query="owl")["total"] == 0
    indexed(alice)
    assert places(recall(agent, query="owl")) == [(ref, 0)]
    told(agent, ref, turn("And told again, the owl."))
    assert recall(agent, query="owl")["total"] == 2


def test_the_worker_brings_every_index_up_to_date(agent: Rest, alice: User, bob: User) -> None:
    other = Rest(make_token(bob, agent="coder"))
    sent(agent, "s.jsonl", talk("the heron"))
    sent(other, "s.jsonl", talk("the robin"))
    assert entries_index(float("inf")) is False
    for owner in (alice, bob):
        snapshot = index_of(owner.pk).snapshot()
        assert snapshot is not None
        assert snapshot.documents == 1
    assert (recall(agent, query="robin")["total"], recall(other, query="robin")["total"]) == (0, 1)


def test_files_with_words_of_deleted_sessions_are_built_anew(agent: Rest, person: Rest, alice: User) -> None:
    shown = sent(agent, "s.jsonl", talk("the heron"))
    sent(agent, "t.jsonl", talk("the robin"))
    indexed(alice)
    built = index_of(alice.pk).built_under
    person.delete(f"/sessions/{shown['ref']}")
    while entries_index(float("inf")):
        pass
    assert built is not None
    assert (index_of(alice.pk).built_under or 0) > built
    snapshot = index_of(alice.pk).snapshot()
    assert snapshot is not None
    assert (snapshot.frequency("heron"), snapshot.frequency("robin")) == (0, 1)
