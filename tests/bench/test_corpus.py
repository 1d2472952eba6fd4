"""Reading a corpus: what a line may be, which lines are bad, and that ours is sound."""

import hashlib
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench import corpus
from bench.corpus import Question, Row, checked, entries
from pawflow_web.env import CHECKOUT
from pawflow_web.lib.errors import Invalid

CORPORA = CHECKOUT / "bench" / "corpora"
BELIEF = {"type": "belief", "id": "b1", "text": "Tea without sugar"}
QUESTION = {"type": "question", "id": "q1", "kind": "plain", "text": "How is the tea?", "evidence": ["b1"]}


def line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def written(folder: Path, *lines: bytes) -> Path:
    path = folder / "corpus.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def faults(folder: Path, *lines: bytes) -> dict[str, str]:
    with pytest.raises(Invalid) as raised:
        checked(written(folder, *lines), None)
    return dict(raised.value.fields)


def test_rows_and_questions_are_read_with_what_they_say_and_blank_lines_are_none() -> None:
    stream = io.BytesIO(
        b"\xef\xbb\xbf"
        + line(**BELIEF, at="2025-03", supersedes="b0", more="ignored")
        + b"\n"
        + line(type="turn", id="t1", text="вечером", speaker="Вера", session="s1")
        + line(**QUESTION, as_of="2025", absent=["b0", "b0"], part="held").rstrip()
    )
    assert list(entries(stream)) == [
        (1, Row("b1", "belief", "Tea without sugar", at="2025-03", supersedes="b0")),
        (3, Row("t1", "turn", "Вера: вечером", session="s1", speaker="Вера")),
        (4, Question("q1", "How is the tea?", "plain", ("b1",), ("b0",), "2025", "held")),
    ]


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (b"{\n", "is no JSON"),
        (b"\xff\n", "is no JSON"),
        (b"[" * 100_000 + b"\n", "is no JSON"),
        (b"[]\n", "is no object"),
        (line(type="note", id="x", text="y"), "has another type than belief, turn or question"),
        (line(type=["belief"], id="x", text="y"), "has another type than belief, turn or question"),
        (line(type="belief", text="y"), "needs words as its id"),
        (line(type="belief", id=7, text="y"), "needs words as its id"),
        (line(type="belief", id="x", text="  "), "needs words as its text"),
        (line(type="belief", id="x" * 201, text="y"), "has more than 200 characters in its id"),
        (line(type="belief", id="x", text="y", at="soon"), "has a bad at: it must be an ISO time with zone"),
        (line(type="belief", id="x", text="y", at=2025), "needs its at as text"),
        (line(type="belief", id="b1", text="again"), "has the id 'b1' of line 1"),
        (line(type="belief", id="x", text="y", supersedes="later"), "supersedes 'later', which is no row above it"),
        (line(**{**QUESTION, "evidence": []}), "needs at least one id as its evidence"),
        (line(**{**QUESTION, "evidence": "b1"}), "needs a list of ids as its evidence"),
        (line(**{**QUESTION, "evidence": ["b1", "b9"]}), "names 'b9', which is no row of the file"),
        (line(**QUESTION, absent=["b9"]), "names 'b9', which is no row of the file"),
        (b'{"type": "belief", "id": "x", "text": "\\ud800"}\n', "has half a character in its text"),
        (line(**{**QUESTION, "kind": None}), "needs words as its kind"),
        (line(type="belief", id="x", text="y" * corpus.LINE_MOST), f"is longer than {corpus.LINE_MOST} bytes"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_hides_no_other(bad: bytes, fault: str, tmp_path: Path) -> None:
    good = line(**{**QUESTION, "id": "q0"})
    named = faults(tmp_path, line(**BELIEF), bad, good, b"{}\n")
    assert named.keys() == {"line 2", "line 4"}
    assert named["line 2"].startswith(fault)
    assert checked(written(tmp_path, line(**BELIEF), good), None).rows == {"belief": 1, "question": 1}


def test_so_many_bad_lines_are_named_and_the_others_counted(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as raised:
        checked(written(tmp_path, *[b"{}\n"] * 30), None)
    assert raised.value.message.startswith("corpus.jsonl has 30 bad lines: line 1 ")
    assert raised.value.message.endswith("; and 10 more.")
    assert len(raised.value.fields) == corpus.NAMED_MOST


def test_evidence_may_be_a_session_and_stand_below_its_question(tmp_path: Path) -> None:
    turn = line(type="turn", id="t1", text="hello", session="s1")
    summary = checked(written(tmp_path, line(**{**QUESTION, "evidence": ["s1", "t1"]}), turn), None)
    assert (summary.rows, summary.kinds) == ({"question": 1, "turn": 1}, {"plain": 1})


def test_a_corpus_without_a_question_of_that_part_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, line(**BELIEF), line(**QUESTION, part="held"))
    assert checked(path, "held").kinds == {"plain": 1}
    with pytest.raises(Invalid, match="no question of the part 'tuning'"):
        checked(path, "tuning")
    with pytest.raises(Invalid, match="cannot be read"):
        checked(tmp_path / "absent.jsonl", None)


@pytest.mark.parametrize(("name", "fewest"), [("notes", 101), ("talks", 26)])
def test_our_corpora_are_sound_and_their_halves_are_alike(name: str, fewest: int) -> None:
    path = CORPORA / f"{name}.jsonl"
    summary = checked(path, None)
    assert summary.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    held, tuning = checked(path, "held").kinds, checked(path, "tuning").kinds
    assert Counter(held) + Counter(tuning) == Counter(summary.kinds)
    assert held.keys() == tuning.keys()
    assert all(abs(held[kind] - tuning[kind]) <= 1 for kind in held)
    assert sum(held.values()) >= fewest
