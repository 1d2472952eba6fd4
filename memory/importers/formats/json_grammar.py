"""Where a JSON object ends, told from its text alone, piece by piece.

A whole decoder needs the whole text. This follows the grammar token by token, so that damage is noticed at the
token where it is, not at the end of the file.
"""

import re
from collections.abc import Set as AbstractSet
from enum import Enum, auto

DEEPEST = 100

# Possessive: a string of sixteen million characters must not leave as many places to come back to.
STRING = r'(?P<string>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")'
_TOKEN = re.compile(rf'[ \t\r\n]*(?:{STRING}|(?P<mark>[{{}}\[\]:,])|(?P<scalar>[^\s{{}}\[\]:,"]+)|(?P<open>"))')
_ONLY_SPACE = re.compile(r"[ \t\r\n]*\Z")


class Step(Enum):
    """What came of following an object through one piece of text."""

    MORE = auto()
    DONE = auto()
    # it is no record but a document, whose list of records has just been opened
    DOCUMENT = auto()
    SPOILT = auto()
    TOO_DEEP = auto()


class _Expect(Enum):
    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()


_VALUES = {_Expect.VALUE, _Expect.VALUE_OR_END}
_KEYS = {_Expect.KEY, _Expect.KEY_OR_END}
_ENDS = {
    "}": ("{", {_Expect.COMMA_OR_END, _Expect.KEY_OR_END}),
    "]": ("[", {_Expect.COMMA_OR_END, _Expect.VALUE_OR_END}),
}


class Grammar:
    """Follows one object, whose first character is ``{``.

    Args:
        document_keys: a list in one of these members makes the object a document.
        record_keys: unless one of these came before it.
    """

    def __init__(self, document_keys: AbstractSet[str], record_keys: AbstractSet[str]) -> None:
        self._document_keys = document_keys
        self._record_keys = record_keys
        self._inside: list[str] = []
        self._expect = _Expect.VALUE
        self._is_record = False
        # the member of the outermost object in which we are
        self.member = ""

    def follow(self, text: str, at: int, *, ends_line: bool) -> tuple[Step, int]:
        """Go on at ``text[at]``. Returns the step and where it was made: for ``MORE`` the end of the text, or the
        start of a token that is cut by it."""
        while match := _TOKEN.match(text, at):
            kind = match.lastgroup or ""
            cut = kind == "open" or (kind == "scalar" and match.end() == len(text))
            if cut and not ends_line:
                return Step.MORE, match.start(kind)
            step = self._take(kind, match[kind])
            at = match.end()
            if step is not Step.MORE:
                return step, at
        # no token and yet no end: a character that JSON does not know between its tokens
        return (Step.MORE, len(text)) if _ONLY_SPACE.match(text, at) else (Step.SPOILT, at)

    def _take(self, kind: str, token: str) -> Step:
        if kind == "mark":
            return self._mark(token)
        if kind == "string" and self._expect in _KEYS:
            if len(self._inside) == 1:
                self.member = token[1:-1]
                self._is_record = self._is_record or self.member in self._record_keys
            self._expect = _Expect.COLON
            return Step.MORE
        if kind == "open" or self._expect not in _VALUES:
            return Step.SPOILT
        self._expect = _Expect.COMMA_OR_END
        return Step.MORE

    def _mark(self, token: str) -> Step:
        if token in "{[":
            return self._enter(token)
        if token in "}]":
            return self._leave(token)
        if token == ":" and self._expect is _Expect.COLON:
            self._expect = _Expect.VALUE
            return Step.MORE
        if token == "," and self._expect is _Expect.COMMA_OR_END:
            self._expect = _Expect.KEY if self._inside[-1] == "{" else _Expect.VALUE
            return Step.MORE
        return Step.SPOILT

    def _enter(self, token: str) -> Step:
        if self._expect not in _VALUES:
            return Step.SPOILT
        if len(self._inside) == DEEPEST:
            return Step.TOO_DEEP
        if token == "[" and len(self._inside) == 1 and not self._is_record and self.member in self._document_keys:
            return Step.DOCUMENT
        self._inside.append(token)
        self._expect = _Expect.KEY_OR_END if token == "{" else _Expect.VALUE_OR_END
        return Step.MORE

    def _leave(self, token: str) -> Step:
        opener, allowed = _ENDS[token]
        if self._inside[-1] != opener or self._expect not in allowed:
            return Step.SPOILT
        self._inside.pop()
        self._expect = _Expect.COMMA_OR_END
        return Step.MORE if self._inside else Step.DONE
