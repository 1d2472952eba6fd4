"""The client walks through sessions over HTTP, as a program does."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conversations.recall import walking
from conversations.sessions import chunks
from pawflow_web.env import CHECKOUT
from pawflow_web.identity.models import User
from tests.factories import make_owner, make_token
from tests.live import Live, live, live_server_process
from tests.recall.asking import called, sent
from tests.recall.pi_lines import header, said, source, talk
from tests.surfaces.conftest import Rest

__all__ = ["live", "live_server_process"]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(Path(CHECKOUT) / "relay" / "client"))
    import pawflow_relay

    yield pawflow_relay
    for name in [name for name in sys.modules if name.startswith("pawflow_relay")]:
        del sys.modules[name]


@pytest.fixture
def recall(client: Any, agent: Rest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client whose calls reach the server of this process."""
    made = client.Recall("http://127.0.0.1", "unused")

    def call(call: dict[str, Any]) -> dict[str, Any]:
        reply = agent.post("/call", json.loads(json.dumps(call)))
        assert reply.status == 200, reply.body
        answer: dict[str, Any] = reply.json
        return answer

    monkeypatch.setattr(made, "call", call)
    return made


def test_a_whole_session_is_walked_and_texts_are_put_together(recall: Any, agent: Rest) -> None:
    texts = ["one", "two 😀" * 500, "three", "", "five"]
    sent(agent, "s.jsonl", source(header(), *[said(n, text) for n, text in enumerate(texts)]))
    seen: list[tuple[int, str]] = []
    walked = recall.walk(
        {"session": "s", "maxChars": 256, "maxEntries": 2}, lambda entry, n: seen.append((n, entry["text"]))
    )
    assert (walked.visited, walked.stopped, walked.error) == (5, False, None)
    assert seen == list(enumerate(texts))


def test_only_false_itself_ends_a_walk(recall: Any, agent: Rest) -> None:
    sent(agent, "s.jsonl", talk("one", "two", "three"))
    assert recall.walk({"session": "s"}, lambda entry, n: 0).visited == 3
    walked = recall.walk({"session": "s"}, lambda entry, n: n < 1)
    assert (walked.visited, walked.stopped) == (2, True)


def test_a_selection_is_walked_alone_and_parents_can_be_followed(recall: Any, agent: Rest) -> None:
    sent(agent, "s.jsonl", talk("root", "left") + source(said(2, "right", role="assistant", parent=0)))
    parents: dict[str, str | None] = {}
    recall.walk({"session": "s", "branches": "all"}, lambda e, n: parents.update({e["entryId"]: e["parentId"]}))
    assert parents == {"e0": None, "e1": "e0", "e2": "e0"}
    seen: list[int] = []
    recall.walk({"session": "s", "indices": [1], "before": 1}, lambda entry, n: seen.append(entry["index"]))
    assert seen == [0, 1]


def test_what_the_server_refuses_is_the_error_of_the_walk(recall: Any, agent: Rest) -> None:
    walked = recall.walk({"session": "nobody"}, lambda entry, n: None)
    assert (walked.visited, walked.error["code"]) == (0, "session_not_found")
    with pytest.raises(ValueError, match="textOffset"):
        recall.walk({"session": "s", "textOffset": 5}, lambda entry, n: None)


@pytest.mark.django_db(transaction=True)
def test_what_the_server_does_not_take_is_said_in_its_words(client: Any, live: Live) -> None:
    token = make_token(make_owner("lotta"))
    for held, status, words in ((token, 422, "session"), ("wrong", 401, "token")):
        with pytest.raises(client.Refused, match=words) as refused:
            client.Recall(live.base, held).walk({}, lambda entry, n: None)
        assert refused.value.status == status
        assert refused.value.code


def test_an_empty_session_is_walked_at_once(recall: Any, agent: Rest) -> None:
    sent(agent, "s.jsonl", source(header()))
    assert recall.walk({"session": "s"}, lambda entry, n: None).visited == 0


def test_pages_that_do_not_fit_together_are_noticed(client: Any, recall: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    piece = {"index": 0, "text": "ab", "textRange": {"start": 0, "end": 2, "total": 4, "complete": False}}
    later = {"index": 0, "text": "d", "textRange": {"start": 3, "end": 4, "total": 4, "complete": False}}
    answers = iter(
        [{"entries": [piece], "next": {"ref": "memory.expand", "args": {}}}, {"entries": [later], "next": None}]
    )
    monkeypatch.setattr(recall, "call", lambda call: next(answers))
    with pytest.raises(client.recall.Broken, match="does not go on"):
        recall.walk({"session": "s", "indices": [0]}, lambda entry, n: None)


@pytest.mark.parametrize("branches", ["active", "all"])
def test_a_branch_that_moves_while_it_is_streamed_is_said(
    agent: Rest, monkeypatch: pytest.MonkeyPatch, branches: str
) -> None:
    tree = talk("root", *["left" * chunks.FULL_BYTES] * 2) + source(said(3, "right", role="assistant", parent=0))
    ref = sent(agent, "s.jsonl", tree + source(said(4, "left again", parent=2)))["ref"]
    records = walking.record_of
    moved: list[int] = []

    def late(*args: Any) -> Any:
        if not moved:
            moved.append(agent.patch(f"/sessions/{ref}", {"leaf": "e0"}).status)
        return records(*args)

    monkeypatch.setattr(walking, "record_of", late)
    last = json.loads(agent.get(f"/recall/walk?session=s.jsonl&branches={branches}").body.splitlines()[-1])
    assert moved == [200]
    if branches == "all":
        # All that there is does not depend on where the branch ends.
        assert last == {"type": "end", "visited": 5}
    else:
        assert last["error"]["code"] == "stale_pointer"


def test_the_stream_of_records_is_the_same(agent: Rest, alice: User) -> None:
    sent(agent, "s.jsonl", talk("one", "two", "three"))
    lines = [json.loads(line) for line in agent.get("/recall/walk?session=s.jsonl").body.splitlines()]
    assert lines[-1] == {"type": "end", "visited": 3}
    whole = called(agent, "memory_expand", session="s", entryRange={"first": 0, "last": 2})["entries"]
    for entry in whole:
        entry.pop("textRange")
    assert lines[:-1] == whole
    some = [json.loads(line) for line in agent.get("/recall/walk?session=s&first=1&last=1").body.splitlines()]
    assert [line.get("text") for line in some] == ["two", None]
    beyond = [json.loads(line) for line in agent.get("/recall/walk?session=s&first=1&last=3").body.splitlines()]
    assert beyond[-1]["error"]["code"] == "index_out_of_bounds"
    assert Rest(make_token(alice, agent="nightly")).get("/recall/walk?session=s").status == 200
