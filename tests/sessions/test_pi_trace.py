"""The operations that a program ran, from the trace beside its result."""

import json
from typing import Any

import pytest

from conversations.sessions.entries import Entry, Policy
from conversations.sessions.formats.pi_trace import read_trace
from tests.sessions.pi import executed, message, operation, session, trace, words


def nested(depth: int) -> dict[str, Any]:
    """An object with so many levels below it."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"in": value}
    return value


def sized(size: int) -> dict[str, Any]:
    """A trace of so many bytes as compact JSON."""
    empty = trace(operation(0, "pi.bash", result=""), error="é")
    taken = len(json.dumps(empty, ensure_ascii=False, separators=(",", ":")).encode())
    return trace(operation(0, "pi.bash", result="x" * (size - taken)), error="é")


def operations(traced: Any, policy: Policy | None = None) -> list[Entry]:
    return [entry for entry in session(executed(traced), policy=policy).entries if entry.child]


def test_every_operation_follows_the_result_in_its_sequence() -> None:
    refs = ["pi.read", "pi.edit", "pi.bash", "agents.run", "fabric.discovery.search", "mcp.github.search"]
    read = session(executed(trace(*(operation(2 * number, ref) for number, ref in enumerate(refs)))))
    assert [entry.entry_id for entry in read.entries] == ["e2", *(f"e2/{2 * number}" for number in range(6))]
    assert [entry.child for entry in read.entries] == list(range(7))
    assert [entry.tool for entry in read.entries[4:]] == ["run", "discovery.search", "github.search"]
    assert [entry.provider for entry in read.entries[4:]] == ["agents", "fabric", "mcp"]
    assert {entry.parent_id for entry in read.entries} == {"e1"}
    assert {entry.type for entry in read.entries[1:]} == {"fabric_operation"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"ref": "pi.read"}, ("read", "pi", "read")),
        ({"ref": "alone"}, ("alone", None, None)),
        ({"ref": ".read"}, (".read", None, None)),
        ({"ref": "pi."}, ("pi.", None, None)),
        ({"ref": "pi.read", "provider": "own"}, ("read", "own", "read")),
        ({"ref": "pi.read", "action": "own"}, ("own", "pi", "own")),
    ],
)
def test_what_names_an_operation(given: dict[str, str], expected: tuple[str, str | None, str | None]) -> None:
    (entry,) = operations(trace(operation(0, **given)))
    assert (entry.tool, entry.provider, entry.action) == expected
    assert entry.ref == given["ref"]


@pytest.mark.parametrize(
    ("ref", "arguments", "paths"),
    [
        ("pi.read", {"path": " a.py ", "file": "b.py"}, ("a.py",)),
        ("pi.grep", {"path": "", "file": "b.py"}, ("b.py",)),
        ("pi.ls", {"dir": "src"}, ("src",)),
        ("pi.bash", {"path": "a.py"}, ()),
        ("own.read", {"path": "a.py"}, ()),
        ("pi.write", {"path": 7}, ()),
    ],
)
def test_only_the_file_tools_of_pi_name_a_file(ref: str, arguments: dict[str, Any], paths: tuple[str, ...]) -> None:
    (entry,) = operations(trace(operation(0, ref, args=arguments)))
    assert entry.paths == paths


def test_only_the_outcome_says_whether_an_operation_failed() -> None:
    outcomes = ["succeeded", "failed", "aborted", "timed_out"]
    found = operations(trace(*(operation(at, "pi.bash", outcome=one) for at, one in enumerate(outcomes))))
    assert [entry.outcome for entry in found] == outcomes
    assert [entry.is_error for entry in found] == [False, True, True, True]
    assert [entry.outcome for entry in session(executed(trace())).entries] == [None]


def test_the_result_of_an_operation_is_left_out_where_it_is_not_wanted() -> None:
    traced = trace(operation(0, "pi.bash", error="exit 2", result={"out": "secret"}), operation(1, "pi.ls"))
    told = operations(traced)
    quiet = operations(traced, Policy(tool_output=False))
    assert "secret" in told[0].text
    assert quiet[0].text.endswith('"outcome":"succeeded","error":"exit 2","resultOmitted":true}')
    assert quiet[0].operation is not None
    assert "result" not in quiet[0].operation
    assert quiet[1] == told[1]


def test_a_very_large_result_is_left_out_and_said_to_be() -> None:
    sizes = (90_000, 99_000)
    fits, large = operations(trace(*(operation(at, "pi.bash", result="x" * n) for at, n in enumerate(sizes))))
    assert fits.text.endswith('x"}')
    assert large.text.endswith('"resultOmitted":true}')


def test_a_trace_belongs_to_the_result_of_a_program_with_an_id() -> None:
    carrier = executed(trace(operation(0, "pi.ls")))
    other_tool = executed(trace(operation(0, "pi.ls")))
    other_tool["message"]["toolName"] = "bash"
    nameless = {key: value for key, value in carrier.items() if key != "id"}
    spoken = message("assistant", content=[words("x")], details=carrier["message"]["details"])
    assert len(session(carrier).entries) == 2
    assert [len(session(one).entries) for one in (other_tool, nameless, spoken)] == [1, 1, 1]


GOOD = operation(0, "pi.read", provider="pi", failureStage="invoke", error="e", result=None, resultTruncated=True)
CYCLE: dict[str, Any] = {}
CYCLE["again"] = CYCLE


@pytest.mark.parametrize(
    "traced",
    [
        trace(),
        trace(GOOD, operation(7, "pi.ls"), error="said", phases=["Inspect"]),
        trace(operation(0, "pi.ls", result=nested(14))),
        sized(524_288),
    ],
)
def test_a_trace_to_the_letter_is_read(traced: Any) -> None:
    assert read_trace(traced) == traced["operations"]


@pytest.mark.parametrize(
    "traced",
    [
        None,
        [],
        trace(version=2),
        trace(version=9),
        trace(version=True),
        trace(kind="other"),
        trace(extra=1),
        trace(outcome="unknown"),
        trace(outcome=["failed"]),
        trace(phases=[1]),
        trace(counts={}),
        trace(counts={**trace()["counts"], "droppedValues": -1}),
        trace(counts={**trace()["counts"], "droppedValues": 2**53}),
        trace(counts={**trace()["counts"], "more": 0}),
        trace(operations=None),
        trace(GOOD | {"extra": 1}),
        trace(GOOD | {"type": "note"}),
        trace(GOOD | {"sequence": True}),
        trace(GOOD | {"sequence": -1}),
        trace(GOOD | {"provider": None}),
        trace(GOOD | {"failureStage": "later"}),
        trace(GOOD | {"args": []}),
        trace(GOOD | {"args": {"n": float("nan")}}),
        trace(GOOD | {"args": CYCLE}),
        trace(GOOD | {"args": {"raw": b"bytes"}}),
        trace({key: value for key, value in GOOD.items() if key != "outcome"}),
        trace(operation(1, "pi.ls"), operation(1, "pi.ls")),
        trace(operation(2, "pi.ls"), operation(1, "pi.ls")),
        trace(operation(0, "pi.ls", result=nested(15))),
        sized(524_289),
        {key: value for key, value in trace().items() if key != "counts"},
    ],
)
def test_what_is_no_trace_to_the_letter_gives_nothing(traced: Any) -> None:
    assert read_trace(traced) is None


def test_no_operation_is_made_up_where_the_trace_is_refused() -> None:
    assert operations(trace(GOOD, version=9)) == []
    assert len(operations(trace(GOOD))) == 1
