"""The facts of a branch that was left, from the details beside its summary."""

from typing import Any

import pytest

from conversations.sessions.entries import Policy
from conversations.sessions.formats.pi_branch import (
    read_branch_summary,
    read_branch_summary_v1,
    read_branch_summary_v2,
)
from tests.sessions.pi import Session, envelope, fact, left, message, operation_fact, run_fact, session, source

USER = fact("user", "x1", "user", text="try the cache")
CUSTOM = fact("customMessage", "x4", "custom-message", customType="note", text="done", display=False)


def test_every_fact_of_a_branch_that_was_left_is_an_entry() -> None:
    edited = operation_fact(args={"path": "a.py", "profile": "fast"}, error="no match", outcome="failed")
    read = session(left(envelope(USER, CUSTOM, fact("phase", "x2", "phase:0", phase="Build"), run_fact(), edited)))
    assert [entry.role for entry in read.entries] == [
        "branchSummary",
        "branchUser",
        "branchCustomMessage",
        "fabricPhase",
        "fabricRun",
        "fabricOperation",
    ]
    assert read.texts[:5] == [
        "",
        "try the cache",
        "[note] done",
        "Fabric phase Build",
        "Fabric run Prototype → succeeded",
    ]
    run, edit = read.entries[4:]
    assert (run.tool, run.ref, run.outcome, run.operation_address) == (
        "fabric_exec",
        "fabric_exec",
        "succeeded",
        "x2/call:f9",
    )
    assert (edit.tool, edit.ref, edit.provider, edit.action) == ("edit", "pi.edit", "pi", "edit")
    assert (edit.outcome, edit.is_error, edit.paths) == ("failed", True, ("a.py",))
    assert [entry.operation_address for entry in read.entries[:4]] == [None] * 4
    assert read.entries[1].branch_fact == USER


def test_the_summary_itself_says_nothing() -> None:
    assert session(left(None)).texts == [""]
    assert session(left(envelope(USER))).texts == ["", "try the cache"]


def test_a_description_stands_in_the_text_of_a_run() -> None:
    told = session(left(envelope(run_fact(description="measure hits")))).texts[1]
    assert told == "Fabric run Prototype — measure hits → succeeded"


def test_the_result_of_an_operation_is_left_out_where_it_is_not_wanted() -> None:
    carrier = left(envelope(operation_fact(result={"out": "secret"})))
    assert "secret" in session(carrier).texts[1]
    quiet = session(carrier, policy=Policy(tool_output=False)).entries[1]
    assert quiet.text.endswith('"outcome":"succeeded","resultOmitted":true}')
    assert "secret" not in str(quiet)


def test_a_repeated_fact_is_told_by_its_first_summary_alone() -> None:
    own = operation_fact("x9")
    read = session(
        left(envelope(operation_fact(), run_fact(), CUSTOM), "b1"), left(envelope(run_fact(), own, CUSTOM), "b2")
    )
    facts = [(entry.carrier_entry_id, entry.child, entry.entry_id) for entry in read.entries if entry.fact_address]
    assert facts == [("b1", 1, "x3/0"), ("b1", 2, "x2/call:f9"), ("b1", 3, "x4/custom-message"), ("b2", 2, "x9/0")]
    assert read.state.facts == ["x3/0", "x2/call:f9", "x4/custom-message", "x9/0"]
    again = read.alone(read.records[2])
    assert [entry for entry in again if entry.child == 2] == [read.entries[-1]]


def test_a_fact_told_before_reading_stopped_is_not_told_again() -> None:
    first = session(left(envelope(USER, CUSTOM), "b1"))
    kept = type(first.state).from_json(first.state.as_json())
    more = Session(source([left(envelope(USER, run_fact()), "b2", "b1")], header=None), state=kept)
    assert [entry.entry_id for entry in more.entries] == ["b2", "x2/call:f9"]


@pytest.mark.parametrize(
    ("repeated", "reasons"),
    [
        (operation_fact(), ["duplicate_branch_fact_address", "duplicate_operation_address"]),
        (USER, ["duplicate_branch_fact_address"]),
    ],
)
def test_an_envelope_that_names_an_address_twice_is_refused(repeated: dict[str, Any], reasons: list[str]) -> None:
    read = session(left(envelope(CUSTOM, repeated, repeated)))
    assert read.texts == [""]
    assert (read.state.reasons, read.state.facts) == (reasons, [])
    assert session(left(envelope(CUSTOM, repeated))).state.reasons == []


def test_the_details_of_the_line_come_before_those_of_the_message() -> None:
    within = message("branchSummary", summary="prose", fromId="x7", details=envelope(USER))
    assert session(within).entries[1].carrier_from_id == "x7"
    both = {**within, "details": envelope(CUSTOM)}
    assert session(both).texts == ["", "[note] done"]
    broken = {**within, "details": envelope(CUSTOM, version=9)}
    assert session(broken).texts == ["", "try the cache"]


def test_only_version_2_tells_of_runs() -> None:
    plain, runs = envelope(USER, version=1), envelope(run_fact())
    assert read_branch_summary_v1(plain) == [USER]
    assert read_branch_summary_v2(runs) == [run_fact()]
    assert read_branch_summary_v2(plain) is None
    assert read_branch_summary_v1(runs) is None
    assert read_branch_summary(envelope(run_fact(), version=1)) is None
    assert (read_branch_summary(plain), read_branch_summary(runs)) == ([USER], [run_fact()])


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"in": value}
    return value


def facts(count: int) -> list[dict[str, Any]]:
    return [fact("phase", "x", f"phase:{number}", phase="p") for number in range(count)]


def valued(*counts: int) -> list[dict[str, Any]]:
    """Facts whose arguments have so many items each, with two values around them."""
    return [operation_fact("x", str(at), result=[0] * count) for at, count in enumerate(counts)]


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "details",
    [
        envelope(),
        envelope(*facts(256), sections=["s"] * 64),
        envelope(CUSTOM | {"details": None}),
        envelope(run_fact("n" * 256, description="d" * 1024)),
        envelope(operation_fact(result=nested(16))),
        # each fact has its arguments, its list and the items: 16 * (2 + 254) = 4096
        envelope(*valued(*[254] * 16)),
        envelope(USER | {"text": "x" * 130_000}),
    ],
)
def test_an_envelope_to_the_letter_is_read(details: Any) -> None:
    assert read_branch_summary(details) == details["facts"]


@pytest.mark.parametrize(
    "details",
    [
        None,
        envelope(extra=1),
        envelope(version=9),
        envelope(version=True),
        envelope(kind="other"),
        envelope(*facts(257)),
        envelope(sections=["s"] * 65),
        envelope(omittedFacts=-1),
        envelope(source={"firstEntryId": "a", "lastEntryId": "b"}),
        envelope(request={"text": "", "sourceBytes": 0, "truncated": 0}),
        envelope(None),
        envelope({"kind": ["user"]}),
        envelope(fact("unknown", "x", "0")),
        envelope(USER | {"address": "x1/other"}),
        envelope(USER | {"extra": 1}),
        envelope({key: value for key, value in USER.items() if key != "text"}),
        envelope(CUSTOM | {"display": 1}),
        envelope(operation_fact(outcome="unknown")),
        envelope(operation_fact(args=[])),
        envelope(operation_fact(error=None)),
        envelope(operation_fact(result=nested(17))),
        envelope(operation_fact(result=[0] * 257)),
        envelope(operation_fact(result=float("inf"))),
        envelope(operation_fact(result=CYCLE)),
        # one value more: 15 * 256 + 255 + 2
        envelope(*valued(*[254] * 15, 253, 0)),
        envelope(run_fact("n" * 257)),
        envelope(run_fact("é" * 129)),
        envelope(run_fact(" ")),
        envelope(run_fact(description="d" * 1025)),
        envelope(fact("fabricRun", "x2", "call:", name="n", outcome="failed")),
        envelope(fact("fabricRun", "x2", "0", name="n", outcome="failed")),
        envelope(USER | {"text": "x" * 131_072}),
        {key: value for key, value in envelope(USER).items() if key != "request"},
    ],
)
def test_what_is_no_envelope_to_the_letter_gives_nothing(details: Any) -> None:
    assert read_branch_summary(details) is None
