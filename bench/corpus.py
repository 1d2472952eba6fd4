"""The file of ``bench retrieval``: beliefs or turns, and questions with the ids of their evidence, as JSON lines.

``docs/retrieval-corpora.md`` says what stands in it. It is read line by line; only the ids of its rows are kept.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pawflow_web.identity.principal import UTC
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import parse_period

LINE_MOST = 4 * 2**20
# So many bad lines are named.
NAMED_MOST = 20
_ID_MOST = 200


@dataclass(frozen=True, slots=True)
class Row:
    """What is to be known: ``at`` is since when it holds, ``supersedes`` the id of an earlier row."""

    id: str
    type: str
    text: str
    session: str = ""
    at: str | None = None
    supersedes: str = ""
    # whoever said it, whose name stands before the words
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """``evidence`` are ids of rows or of sessions; ``absent`` are ids of rows that must not be found; ``part`` is the
    half of the corpus that it belongs to, if the corpus has such."""

    id: str
    text: str
    kind: str
    evidence: tuple[str, ...]
    absent: tuple[str, ...] = ()
    as_of: str | None = None
    part: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A corpus without a fault: the digest of its bytes, and how much it holds of what."""

    sha256: str
    rows: dict[str, int]
    kinds: dict[str, int]


class BadLineError(Exception):
    """What is wrong with a line, as a sentence without its subject."""


def entries(stream: BinaryIO) -> Iterator[tuple[int, Row | Question | BadLineError]]:
    """Every line that is not blank, with its number."""
    number = 0
    while line := stream.readline(LINE_MOST + 1):
        number += 1
        if len(line) > LINE_MOST:
            # The rest of it is no line of its own.
            while not line.endswith(b"\n") and (line := stream.readline(LINE_MOST)):
                pass
            yield number, BadLineError(f"is longer than {LINE_MOST} bytes")
        elif line.strip():
            yield number, _entry(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)


def checked(path: Path, part: str | None) -> Summary:
    """Read all of it once, before anything is made. Raises :class:`Invalid` naming the bad lines."""
    check = _Check(part)
    try:
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            stream.seek(0)
            for number, entry in entries(stream):
                check.take(number, entry)
    except OSError as error:
        raise Invalid(
            f"{ascii(str(path))[:200]} cannot be read: {error.strerror or 'reading failed'}.",
            fields={"path": "must be a file that can be read"},
        ) from error
    check.finish(path)
    return Summary(sha256, dict(check.rows), dict(check.kinds))


class _Check:
    """What can be said of a line only with the others in view."""

    def __init__(self, part: str | None) -> None:
        self.rows: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self._part = part
        self._faults: dict[int, str] = {}
        # the number of the line that each id stands on
        self._ids: dict[str, int] = {}
        self._sessions: set[str] = set()
        self._superseded: set[str] = set()
        self._wanted: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = []
        self._asked: set[str] = set()

    def take(self, number: int, entry: Row | Question | BadLineError) -> None:
        if isinstance(entry, BadLineError):
            self._faults[number] = str(entry)
        elif isinstance(entry, Question):
            self._take_question(number, entry)
        else:
            self._take_row(number, entry)

    def _take_row(self, number: int, row: Row) -> None:
        self.rows[row.type] += 1
        if row.id in self._ids:
            self._faults[number] = f"has the id {row.id!r} of line {self._ids[row.id]}"
        elif row.supersedes and row.supersedes not in self._ids:
            self._faults[number] = f"supersedes {row.supersedes!r}, which is no row above it"
        elif row.supersedes in self._superseded:
            self._faults[number] = f"supersedes {row.supersedes!r}, which another row supersedes already"
        self._ids.setdefault(row.id, number)
        if row.supersedes:
            self._superseded.add(row.supersedes)
        if row.session:
            self._sessions.add(row.session)

    def _take_question(self, number: int, question: Question) -> None:
        self.rows["question"] += 1
        if question.id in self._asked:
            self._faults[number] = f"has the id {question.id!r} of another question"
        self._asked.add(question.id)
        self._wanted.append((number, question.evidence, question.absent))
        if self._part is None or question.part == self._part:
            self.kinds[question.kind] += 1

    def finish(self, path: Path) -> None:
        for number, evidence, absent in self._wanted:
            unknown = [name for name in evidence if name not in self._ids and name not in self._sessions]
            unknown += [name for name in absent if name not in self._ids]
            if unknown:
                self._faults.setdefault(number, f"names {unknown[0]!r}, which is no row of the file")
        if self._faults:
            named = [f"line {number} {fault}" for number, fault in sorted(self._faults.items())]
            more = f"; and {len(named) - NAMED_MOST} more" if len(named) > NAMED_MOST else ""
            count = f"{len(named)} bad line" + ("s" if len(named) > 1 else "")
            raise Invalid(
                f"{path.name} has {count}: {'; '.join(named[:NAMED_MOST])}{more}.",
                fields={f"line {number}": fault for number, fault in sorted(self._faults.items())[:NAMED_MOST]},
            )
        if not self.kinds:
            which = f" of the part {self._part!r}" if self._part is not None else ""
            raise Invalid(f"{path.name} has no question{which}.", fields={"path": f"must hold questions{which}"})


def _entry(line: bytes) -> Row | Question | BadLineError:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return BadLineError("is no JSON")
    if not isinstance(found, dict):
        return BadLineError("is no object")
    kind = found.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        return BadLineError("has another type than belief, turn or question")
    try:
        return read(found)
    except BadLineError as fault:
        return fault


def _row(found: dict[str, Any]) -> Row:
    text, speaker = _words(found, "text"), _words(found, "speaker", needed=False)
    return Row(
        _name(found, "id"),
        found["type"],
        f"{speaker}: {text}" if speaker else text,
        _name(found, "session", needed=False),
        _time(found, "at"),
        _name(found, "supersedes", needed=False),
        speaker,
    )


def _question(found: dict[str, Any]) -> Question:
    return Question(
        _name(found, "id"),
        _words(found, "text"),
        _name(found, "kind"),
        _names(found, "evidence", needed=True),
        _names(found, "absent", needed=False),
        _time(found, "as_of"),
        _name(found, "part", needed=False),
    )


_READERS: dict[str, Callable[[dict[str, Any]], Row | Question]] = {
    "belief": _row,
    "turn": _row,
    "question": _question,
}


def _words(found: dict[str, Any], key: str, *, needed: bool = True) -> str:
    value = found.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or not value.strip():
        raise BadLineError(f"needs words as its {key}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadLineError(f"has half a character in its {key}") from None
    return value


def _name(found: dict[str, Any], key: str, *, needed: bool = True) -> str:
    value = _words(found, key, needed=needed)
    if len(value) > _ID_MOST:
        raise BadLineError(f"has more than {_ID_MOST} characters in its {key}")
    return value


def _names(found: dict[str, Any], key: str, *, needed: bool) -> tuple[str, ...]:
    value = found.get(key, [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadLineError(f"needs a list of ids as its {key}")
    if needed and not value:
        raise BadLineError(f"needs at least one id as its {key}")
    return tuple(dict.fromkeys(_name({key: name}, key) for name in value))


def _time(found: dict[str, Any], key: str) -> str | None:
    value = found.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadLineError(f"needs its {key} as text")
    try:
        parse_period(value, UTC, field=key)
    except Invalid as error:
        raise BadLineError(f"has a bad {key}: it {error.fields[key]}") from None
    return value
