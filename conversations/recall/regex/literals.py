"""What every text that a pattern matches must contain, so that an index of words can pass by all others.

Texts are compared as an index holds them, ``NFKC(text).lower()``, while RE2 matches them as they came and in either
case. So a character is a literal only if each character that RE2 takes for it becomes the same one in that form,
whatever stands around it.
"""

import re
from collections.abc import Iterable
from itertools import groupby
from unicodedata import category, is_normalized

SHORTEST = 3
# Characters of a pattern, and groups within groups; what is beyond is not worth the reading and requires nothing.
LONGEST = 4096
DEEPEST = 50

# RE2 takes no leading zero for a number: a{01} is text.
_COUNT = re.compile(r"\{(0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*)?)?\}")
_GROUP = re.compile(r"\(\?(?::|P?<[A-Za-z_][A-Za-z0-9_]*>|[imsU]*(?:-[imsU]+)?:)")
# A count that follows flags is one of what stands before them.
_FLAGS = re.compile(r"\(\?[imsU]*(?:-[imsU]+)?\)(?![*+?{])")
_CLASS = re.compile(r"\[\^?+\]?+(?:[^\\\[\]]|\\[dDwWsSntrfv]|\\[^\w\s])*+\]", re.ASCII)
_PLACE = re.compile(r"[\^$]|\\[bBAz]")
_ANY = re.compile(r"\.|\\[dDwWsSntrfv]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")

# Letters of Latin and Russian whose only other form is the other case. Not so: İ and ı, ſ, those that NFKC takes
# apart, and the six Cyrillic letters that have a third form (ᲀ is a в) which NFKC leaves alone.
_LETTERS = re.compile(r"[À-ÖØ-öø-įĴ-ľŁ-ňŊ-ž\u0400-\u045f]")
_NOT_LETTERS = frozenset("вдостъВДОСТЪ")
# Hangul in pieces, which NFKC puts together.
_JAMO = re.compile(r"[\u1100-\u11ff]")

# The characters that every match has one after the other; None is a place where anything may stand.
Run = list[str | None]


class _Doubt(Exception):
    """The pattern holds something that is not read here; nothing is required then."""


def required(pattern: str) -> tuple[str, ...]:
    """Lower-case strings of at least three characters, each of them in ``NFKC(text).lower()`` of every ``text`` that
    RE2 finds the pattern in, in either case. Empty where nothing is known. An invalid pattern is found nowhere, so
    that any answer holds for it."""
    if len(pattern) > LONGEST:
        return ()
    try:
        parser = _Parser(pattern)
        run = parser.alternatives(depth=0)
    except _Doubt:
        return ()
    return tuple(sorted({*parser.literals, *_literals(run)}))


class _Parser:
    """Reads the part of RE2's syntax that people write. What is in an alternative or may be left out requires nothing
    by itself; ``literals`` are those common to the alternatives passed so far."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self.literals: set[str] = set()

    def alternatives(self, depth: int) -> Run:
        """Up to the end of the group, or of the pattern at depth 0."""
        if depth > DEEPEST:
            raise _Doubt
        around, branches = self.literals, []
        while True:
            self.literals = set()
            branches.append((self._sequence(depth), self.literals))
            if not self._take("|"):
                break
        if (depth == 0) != (self._at == len(self._pattern)):
            raise _Doubt
        if len(branches) == 1:
            self.literals |= around
            return branches[0][0]
        self.literals = around | _common([{*_literals(run), *literals} for run, literals in branches])
        return [None]

    def _sequence(self, depth: int) -> Run:
        run: Run = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            before = set(self.literals)
            part = self._part(depth)
            least = self._least()
            if least == 0:
                self.literals = before
                part = [None]
            elif least is not None:
                part.append(None)
            run += part
        return run

    def _part(self, depth: int) -> Run:
        if self._match(_FLAGS) or self._match(_PLACE):
            return []
        if self._match(_CLASS) or self._match(_ANY):
            return [None]
        if self._match(_GROUP) or (not self._ahead("(?") and self._take("(")):
            run = self.alternatives(depth + 1)
            if not self._take(")"):
                raise _Doubt
            return run
        if escaped := self._match(_ESCAPED):
            return [_literal(escaped[1])]
        character = self._pattern[self._at]
        if character in "\\[(*+?" or self._match(_COUNT):
            raise _Doubt
        self._at += 1
        return [_literal(character)]

    def _least(self) -> int | None:
        """How often the part before must at least occur; None if it is not repeated at all."""
        if self._take("*") or self._take("?"):
            least = 0
        elif self._take("+"):
            least = 1
        elif count := self._match(_COUNT):
            least = int(count[1] != "0")
        else:
            return None
        self._take("?")
        return least

    def _ahead(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def _take(self, text: str) -> bool:
        taken = self._ahead(text)
        self._at += len(text) * taken
        return taken

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        found = expression.match(self._pattern, self._at)
        if found:
            self._at = found.end()
        return found


def _literal(character: str) -> str | None:
    """The character in the form of the index, or None if it has no single one."""
    if " " <= character <= "~":
        return character.lower()
    if character > "\uffff" or not is_normalized("NFKC", character) or _JAMO.match(character):
        return None
    cased = _LETTERS.match(character) and character not in _NOT_LETTERS
    return character.lower() if cased or category(character) == "Lo" else None


def _literals(run: Run) -> set[str]:
    """The strings in a run that stay what they are, whatever follows them in the text."""
    pieces = ("".join(filter(None, piece)) for known, piece in groupby(run, lambda c: c is not None) if known)
    return {whole for piece in pieces if len(whole := _without_open_end(piece)) >= SHORTEST}


def _without_open_end(piece: str) -> str:
    # An accent that follows in the text would become one with the last character.
    return piece[:-1] if piece[-1].isalpha() or piece[-1] in "<=>" else piece


def _common(branches: list[set[str]]) -> set[str]:
    """What is in each branch, by itself or as a part of something longer."""
    shortest = min(branches, key=lambda branch: sum(map(len, branch)))
    return {text for text in shortest if all(_holds(branch, text) for branch in branches)}


def _holds(branch: Iterable[str], text: str) -> bool:
    return any(text in literal for literal in branch)
