"""Sessions of a coding agent as Pi keeps them, made up: the same ones for the same seed.

A session goes round: a person asks, the agent thinks, says something and reads a file, the file is 120 words long, the
agent answers or, one time in ten, runs a program of three traced operations. Words follow Zipf's law among 500. Each
session holds one word that no other has, and one in twenty left a branch behind.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

LINES = 200
VOCABULARY = 500
RESULT_WORDS = 120
EXECUTED_SHARE, BRANCHED_SHARE = 0.10, 0.05
REFS = ("pi.grep", "pi.read", "pi.bash")
# The number of the session that is much longer than the others.
LARGE = 20_000
# A phrase is three words of which none is among the most frequent, from so many sessions at the most.
_PHRASES, _FREQUENT = 20, 50
_FIRST = datetime(2024, 1, 1, tzinfo=UTC)
_APART = timedelta(hours=1)
# A round has at most so many lines.
_ROUND = 5
_NOTHING_LOST = {"droppedValues": 0, "truncatedValues": 0, "redactedValues": 0, "droppedOperations": 0}
_USAGE = {"input": 900, "output": 120, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1020}


def _vocabulary() -> list[str]:
    """Invented words, the most frequent first."""
    language = random.Random(0)
    syllables = [first + second for first in "bdfgklmprstvz" for second in "aeiou"]
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(language.choices(syllables, k=language.choice((2, 2, 3))))] = None
    return list(found)


WORDS = _vocabulary()
_UPTO = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
_RANKS = {word: rank for rank, word in enumerate(WORDS)}


def needle(number: int) -> str:
    """The word that only this session has."""
    return f"needle_{number:05d}"


def session_id(number: int) -> str:
    return f"bench-{number:05d}"


@dataclass(slots=True)
class Known:
    """What a corpus holds, so that answers can be compared with it. ``operations``: of active branches, by their refs;
    ``phrases``: three words with the session in which they stand; ``said``: sessions whose own word a person said."""

    paths: list[Path] = field(default_factory=list)
    size: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    phrases: list[tuple[str, str]] = field(default_factory=list)
    said: list[int] = field(default_factory=list)


def write_corpus(folder: Path, *, sessions: int, seed: int) -> Known:
    """A file for each session in a new folder, an hour apart, the oldest first."""
    folder.mkdir()
    known = Known()
    every = max(1, sessions // _PHRASES)
    for number in range(sessions):
        made = SessionWriter(seed, number)
        made.fill(LINES)
        known.paths.append(made.write(folder))
        known.size += made.size
        known.operations += made.operations
        known.said += [number] if made.said else []
        phrase = made.phrase() if number % every == 0 else None
        if phrase is not None:
            known.phrases.append((phrase, made.id))
    return known


class SessionWriter:
    """Writes one session, line by line."""

    def __init__(self, seed: int, number: int) -> None:
        self._random = random.Random(f"{seed}/{number}")
        self._number = number
        self.id = session_id(number)
        self._at = _FIRST + number * _APART
        self._parent: str | None = None
        self._results: list[list[str]] = []
        self.operations: Counter[str] = Counter()
        # Whether a person said the word of this session, rather than a tool.
        self.said = False
        header = {"type": "session", "version": 3, "id": self.id, "timestamp": self._time(), "cwd": "/home/ada/bench"}
        self.lines: list[bytes] = [_json(header)]

    @property
    def size(self) -> int:
        return sum(map(len, self.lines))

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.id}.jsonl"
        path.write_bytes(b"".join(self.lines))
        changed = (_FIRST + self._number * _APART).timestamp()
        os.utime(path, (changed, changed))
        return path

    def fill(self, lines: int) -> None:
        """Up to so many lines, the header among them. Raises ``ValueError`` for fewer than twenty."""
        if lines < 4 * _ROUND:
            raise ValueError(f"a session has at least {4 * _ROUND} lines")
        rounds = lines // _ROUND - 1
        hidden_in = self._random.randrange(rounds)
        left_after = self._random.randrange(rounds) if self._random.random() < BRANCHED_SHARE else None
        count = 0
        while len(self.lines) + _ROUND <= lines:
            self._round(needle(self._number) if count == hidden_in else "")
            if count == left_after:
                self._leave_branch()
            count += 1
        while len(self.lines) < lines:
            self.say(self._text(20))

    def say(self, text: str) -> bytes:
        """One more line, from the person; that line."""
        self._message("user", content=text)
        return self.lines[-1]

    def phrase(self) -> str | None:
        """Three words that stand together in what a tool answered here."""
        for words in self._results:
            for three in zip(words, words[1:], words[2:], strict=False):
                if all(_RANKS.get(word, 0) > _FREQUENT for word in three):
                    return " ".join(three)
        return None

    def _round(self, hidden: str) -> None:
        in_result = self._random.random() < 0.5
        self.said = self.said or bool(hidden and not in_result)
        self.say(self._text(20, hidden="" if in_result else hidden))
        call = f"call_{len(self.lines)}"
        path = f"src/{self._random.choice(WORDS)}.py"
        self._assist([{"type": "thinking", "thinking": self._text(30)}, _block(self._text(20)),
                      _call(call, "read", path=path, limit=200)])  # fmt: skip
        self._result(call, "read", self._words(RESULT_WORDS, hidden=hidden if in_result else ""))
        if self._random.random() < EXECUTED_SHARE:
            self._execute()
        else:
            self._assist([_block(self._text(50))])

    def _execute(self) -> None:
        call = f"call_{len(self.lines)}"
        self._assist([_call(call, "fabric_exec", code=f"return {self._random.choice(WORDS)}()")])
        operations = [
            {
                "type": "call",
                "sequence": sequence,
                "ref": ref,
                "args": {"path": f"src/{self._random.choice(WORDS)}.py"},
                "outcome": self._random.choice(("succeeded", "succeeded", "failed")),
            }
            for sequence, ref in enumerate(REFS)
        ]
        trace = {"kind": "pi-fabric.execution", "version": 1, "outcome": "succeeded", "phases": [],
                 "operations": operations, "counts": _NOTHING_LOST}  # fmt: skip
        self.operations.update(REFS)
        self._result(call, "fabric_exec", self._words(10), details={"success": True, "trace": trace})

    def _leave_branch(self) -> None:
        """A round that nothing goes on from."""
        before, operations = self._parent, self.operations.copy()
        self._round("")
        self._results.pop()
        self._parent, self.operations = before, operations

    def _result(self, call: str, tool: str, words: list[str], **more: Any) -> None:
        if tool == "read":
            self._results.append(words)
        content = [_block(" ".join(words))]
        self._message("toolResult", toolCallId=call, toolName=tool, content=content, isError=False, **more)

    def _assist(self, content: Sequence[dict[str, Any]]) -> None:
        reason = "toolUse" if content[-1]["type"] == "toolCall" else "stop"
        self._message("assistant", content=list(content), model="bench-1", usage=_USAGE, stopReason=reason)

    def _message(self, role: str, **said: Any) -> None:
        self._at += timedelta(seconds=1)
        name = f"{self._number:04x}{len(self.lines):05x}"
        line = {"type": "message", "id": name, "parentId": self._parent, "timestamp": self._time()}
        self.lines.append(_json({**line, "message": {"role": role, **said}}))
        self._parent = name

    def _time(self) -> str:
        return self._at.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _text(self, count: int, hidden: str = "") -> str:
        return " ".join(self._words(count, hidden=hidden))

    def _words(self, count: int, hidden: str = "") -> list[str]:
        words = self._random.choices(WORDS, cum_weights=_UPTO, k=count)
        if hidden:
            words[self._random.randrange(count)] = hidden
        return words


def growing(writer: SessionWriter, words: Sequence[str]) -> Iterator[bytes]:
    """The file of a session as it is after each line that says one of the words."""
    content = bytearray(b"".join(writer.lines))
    for word in words:
        content += writer.say(f"{WORDS[0]} {word} {WORDS[1]}")
        yield bytes(content)


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": identity, "name": name, "arguments": arguments}


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
