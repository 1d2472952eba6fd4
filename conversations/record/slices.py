"""Where the steps stand in a request, so that each can be kept exactly as it was sent.

The request was parsed and found well-formed before; here its text is only cut.
"""

import json
import re
from collections.abc import Iterator

_decoder = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\n\r]*")


def steps_of(body: str) -> list[list[str]]:
    """For each turn of ``{"turns": [{"steps": [...]}]}`` the text of each of its steps. Of a key that is there twice
    the last counts, as it does for whoever parsed the request. What is of another shape holds no step."""
    turns: list[list[str]] = []
    for name, start in _members(body, _skip(body, 0)):
        if name == "turns":
            turns = [_steps(body, turn) for turn, _ in _elements(body, start)]
    return turns


def _steps(text: str, turn: int) -> list[str]:
    steps: list[str] = []
    for name, start in _members(text, turn):
        if name == "steps":
            steps = [text[begin:end] for begin, end in _elements(text, start)]
    return steps


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The names of the object that begins at ``at``, each with the place of its value."""
    if text[at] != "{":
        return
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        yield name, at
        at = _behind(text, at)


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Beginning and end of each element of the array that begins at ``at``."""
    if text[at] != "[":
        return
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _decoder.raw_decode(text, at)
        yield at, end
        at = _behind(text, at)


def _behind(text: str, at: int) -> int:
    """Behind the value that begins at ``at`` and the comma after it."""
    _, end = _decoder.raw_decode(text, at)
    end = _skip(text, end)
    return _skip(text, end + 1) if text[end] == "," else end


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
