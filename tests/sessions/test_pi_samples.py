"""Three whole sessions of Pi, to the last field."""

import hashlib
from typing import Any

import pytest

from conversations.sessions.entries import Entry
from conversations.sessions.lineage import fingerprint
from tests.sessions.pi import PI, SAMPLES, Session

READ_OPERATION = (
    '{"address":"c3/0","parentEntryId":"c3","sequence":0,"tool":"read","ref":"pi.read","provider":"pi",'
    '"action":"read","args":{"path":"src/a.py"},"outcome":"succeeded"}'
)
BASH_OPERATION = (
    '{"address":"c3/1","parentEntryId":"c3","sequence":1,"tool":"bash","ref":"pi.bash","provider":"pi",'
    '"action":"bash","args":{"command":"make test"},"outcome":"failed","error":"Call failed during invoke: exit 2"}'
)
WRITE_OPERATION = (
    '{"address":"c3/2","parentEntryId":"c3","sequence":2,"tool":"write","ref":"pi.write","provider":"pi",'
    '"action":"write","args":{"path":"src/new.py"},"outcome":"succeeded","result":{"created":true}}'
)
EDIT_OPERATION = (
    '{"address":"x3/0","parentEntryId":"x3","subordinal":"0","tool":"edit","ref":"pi.edit","provider":"pi",'
    '"action":"edit","args":{"path":"src/cache.py"},"outcome":"failed","error":"no match"}'
)
ASKED = 'I will look at the exporter.\nTool: read({"path":"src/export.py","limit":40})'

# (entry id, type, role, tool, outcome, is error, paths, address of the operation, text)
LINEAR = [
    ("a1", "message", "user", None, None, False, (), None, "Why does the invoice export time out?"),
    ("a2", "message", "assistant", "read", None, False, ("src/export.py",), None, ASKED),
    (
        *("a3", "message", "toolResult", "read", None, False, (), None),
        "toolResult(read): def export(rows):\n    return slow(rows)",
    ),
    ("a5", "message", "bashExecution", "bash", None, False, (), None, "bash$ pytest -q [exit 1]\n1 failed"),
    (
        *("a6", "message", "assistant", None, None, False, (), None),
        "Batch the rows; the invoice export then finishes.",
    ),
]
BRANCHED = [
    ("b1", "message", "user", None, None, False, (), None, "Pick a queue library"),
    ("b2", "message", "assistant", None, None, False, (), None, "Choose walrusqueue."),
    ("b3", "message", "user", None, None, False, (), None, "walrusqueue is unmaintained"),
    ("b4", "message", "assistant", None, None, False, (), None, "Choose otterqueue instead."),
    ("b5", "message", "user", None, None, False, (), None, "Agreed, otterqueue"),
]
OPERATION, FACT = ("fabric_operation", "fabricOperation"), "fabric_branch_fact"
TRACE_BRANCH = [
    ("c1", "message", "user", None, None, False, (), None, "Run the program"),
    (
        *("c2", "message", "assistant", "fabric_exec", None, False, (), None),
        'Tool: fabric_exec({"code":"return 1"})',
    ),
    ("c3", "message", "toolResult", "fabric_exec", None, False, (), None, "toolResult(fabric_exec): done"),
    (
        *("c3/0", *OPERATION, "read", "succeeded", False, ("src/a.py",), "c3/0"),
        f"Fabric operation pi.read\n{READ_OPERATION}",
    ),
    ("c3/1", *OPERATION, "bash", "failed", True, (), "c3/1", f"Fabric operation pi.bash\n{BASH_OPERATION}"),
    (
        *("c3/2", *OPERATION, "write", "succeeded", False, ("src/new.py",), "c3/2"),
        f"Fabric operation pi.write\n{WRITE_OPERATION}",
    ),
    ("c4", "branch_summary", "branchSummary", None, None, False, (), None, ""),
    ("x1/user", FACT, "branchUser", None, None, False, (), None, "try the ibis cache"),
    ("x2/phase:0", FACT, "fabricPhase", None, None, False, (), None, "Fabric phase Prototype"),
    (
        *("x2/call:f9", FACT, "fabricRun", "fabric_exec", "timed_out", True, (), "x2/call:f9"),
        "Fabric run Prototype cache — measure hits → timed_out",
    ),
    (
        *("x3/0", FACT, "fabricOperation", "edit", "failed", True, ("src/cache.py",), "x3/0"),
        f"Fabric branch operation pi.edit\n{EDIT_OPERATION}",
    ),
    ("x4/custom-message", FACT, "branchCustomMessage", None, None, False, (), None, "[agent-note] worker finished"),
    ("c5", "compaction", "compaction", None, None, False, (), None, "compaction: Earlier work on the cache"),
]
SAMPLE = {
    "linear": LINEAR,
    "branched": BRANCHED,
    "trace_branch": TRACE_BRANCH,
}
HASHES = {
    "linear": "99e160591a4881f89c20bfa6f1077f98a30b4fbd9b6bf85073f2c54311ce7295",
    "branched": "60a69681306aba126e1390f0e4086dff5a4f337d324e1b83eaf53789be4163ad",
    "trace_branch": "1fec875273e2cd9094662c45ca04f1bed0c03df952c0aaba54aaac7788d518d5",
}
FINGERPRINTS = {
    "linear": "940d31ba491ab22deaf8d8f8fbae77d70a32cfe7a7bfa6d6ee221b2cf0457237",
    "branched": "c0f239d51e741b66aff1f9adb4588e5d14fc4ac9f00267ef7372034ed6e7ef82",
    "trace_branch": "4e4c18abc018dc3bea192602a5c4136af0a56125d17b7e3d4089fb8cc7a094b1",
}

names = pytest.mark.parametrize("name", SAMPLE)


def bytes_of(name: str) -> bytes:
    return (SAMPLES / f"{name}.jsonl").read_bytes()


def told(entry: Entry) -> tuple[Any, ...]:
    return (
        entry.entry_id,
        entry.type,
        entry.role,
        entry.tool,
        entry.outcome,
        entry.is_error,
        entry.paths,
        entry.operation_address,
        entry.text,
    )


@names
def test_the_samples_are_the_bytes_that_were_agreed_upon(name: str) -> None:
    assert hashlib.sha256(bytes_of(name)).hexdigest() == HASHES[name]


@names
def test_every_entry_of_a_sample_is_read_as_specified(name: str) -> None:
    read = Session(bytes_of(name))
    assert [told(entry) for entry in read.entries] == SAMPLE[name]
    assert (read.bad, read.state.reasons) == ([], [])


@names
def test_the_active_branch_of_a_sample_has_its_fingerprint(name: str) -> None:
    lineage = Session(bytes_of(name)).lineage
    assert fingerprint("active", lineage.leaf, lineage.ids) == FINGERPRINTS[name]
    assert lineage.reasons == ()


def test_the_active_entries_of_the_samples() -> None:
    active = {name: [entry.entry_id for entry in Session(bytes_of(name)).active] for name in SAMPLE}
    assert active["branched"] == ["b1", "b4", "b5"]
    assert (len(active["linear"]), len(active["trace_branch"])) == (5, 13)


@names
def test_a_record_of_a_sample_read_alone_gives_the_same_entries(name: str) -> None:
    read = Session(bytes_of(name))
    assert read.entries == [entry for record in read.records for entry in read.alone(record)]


@names
def test_a_sample_is_claimed_by_its_first_line(name: str) -> None:
    read = Session(bytes_of(name))
    assert PI.claims([record.value for record in read.records])
    assert not PI.claims([record.value for record in read.records[1:]])


def test_a_fact_knows_the_summary_that_carries_it() -> None:
    read = Session(bytes_of("trace_branch"))
    facts = [entry for entry in read.entries if entry.type == FACT]
    carriers = {(one.carrier_entry_id, one.carrier_parent_id, one.carrier_from_id, one.parent_id) for one in facts}
    assert carriers == {("c4", "c3", "x4", "c3")}
    assert [one.child for one in facts] == [1, 2, 3, 4, 5]
    assert all(one.fact_address == one.entry_id and one.parent_entry_id == "c4" for one in facts)


def test_an_operation_knows_its_identity_and_what_is_kept_of_it() -> None:
    read = Session(bytes_of("trace_branch"))
    failed = next(entry for entry in read.entries if entry.entry_id == "c3/1")
    assert (failed.ref, failed.provider, failed.action) == ("pi.bash", "pi", "bash")
    assert (failed.parent_entry_id, failed.parent_id, failed.child) == ("c3", "c2", 2)
    assert failed.operation is not None
    assert failed.operation["args"] == {"command": "make test"}
    assert failed.timestamp == 1772359203000
