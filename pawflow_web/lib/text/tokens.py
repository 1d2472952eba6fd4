"""The one tokenizer of index, query and score."""

import re
from dataclasses import dataclass

from pawflow_web.lib.characters import DENSE, HANGUL, MARKS
from pawflow_web.lib.text.stems import stem
from pawflow_web.lib.text.views import plain


@dataclass(frozen=True, slots=True)
class Tokens:
    """``stems[n]`` is the stem of ``exact[n]``, the same word where its language has none. At most
    :data:`TOKEN_LIMIT`: index and score look no further into a text."""

    exact: tuple[str, ...]
    stems: tuple[str, ...]


Located = tuple[str, int, int]

TOKEN_LIMIT = 400

_LONGEST = 128
_WORD = f"\\w[\\w{MARKS}]*"
# Words tied by one connector are one piece: user@host, v1.2.3, src/main.py, pre-commit, don't. A leading sign
# counts only where a word begins (.net, @ada, #42), a trailing one only where it ends (c++, c#).
_PIECE = re.compile(
    f"(?:[.@#$](?<![^\\s(\\[{{\"'`].))?{_WORD}(?:(?:://|[./\\\\@:'+~&-]){_WORD})*(?:[+#]{{1,2}}(?!(?![{DENSE}{HANGUL}])\\w))?"
    "|[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\U0001f300-\U0001faff]"
)
_DENSE_OR_HANGUL = re.compile(f"[{DENSE}{HANGUL}]")
_SCRIPTS = re.compile(f"([{DENSE}][{DENSE}{MARKS}]*)|([{HANGUL}]+)|[^{DENSE}{HANGUL}]+")
_LETTER = re.compile(f".[{MARKS}]*", re.DOTALL)
_PARTS = (
    re.compile(r"[^/\\@:~&#$]+"),
    re.compile(r"[^.'+-]+"),
    re.compile(r"[^_]+"),
)
_CONNECTOR = re.compile("[^\\w" + MARKS + "]|_")
_CLITICS = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})


def analyse(text: str) -> Tokens:
    """The first tokens of ``text`` in order, repeats kept: the one tokenizer of index, query and score.

    Words are runs of letters, digits, marks and ``_``, lower-cased; a composite (``user_id``, ``v1.2.3``, a path,
    an address) stands whole before its parts; scripts without spaces become overlapping pairs of characters;
    Korean words stand whole before their pairs. No token holds whitespace.
    """
    if text.isascii():
        exact = _ascii_words(text.lower())
    else:
        exact = [token for token, _, _ in locate(plain(text).lower(), TOKEN_LIMIT)]
    return Tokens(tuple(exact), tuple(map(stem, exact)))


# The same pieces of an ASCII text, in which a word has no marks and no script without spaces begins.
_ASCII_PIECE = re.compile(r"(?:[.@#$](?<![^\s(\[{\"'`].))?\w+(?:(?:://|[./\\@:'+~&-])\w+)*(?:[+#]{1,2}(?!\w))?")


def _ascii_words(text: str) -> list[str]:
    """The tokens of a lower-cased ASCII text without their places, which only highlighting asks for."""
    out: list[str] = []
    for piece in _ASCII_PIECE.findall(text):
        if piece.isalnum():
            out.append(piece[:_LONGEST])
        else:
            located: list[Located] = []
            _composite(piece, 0, located)
            out += [token for token, _, _ in located]
        if len(out) >= TOKEN_LIMIT:
            break
    return out[:TOKEN_LIMIT]


def locate(text: str, limit: int) -> list[Located]:
    """``(token, start, end)`` of an already normalised and lower-cased text."""
    out: list[Located] = []
    for match in _PIECE.finditer(text):
        piece, start = match[0], match.start()
        if piece.isascii():
            if piece.isalnum():
                out.append((piece[:_LONGEST], start, start + len(piece)))
            else:
                _composite(piece, start, out)
        elif _DENSE_OR_HANGUL.search(piece):
            _dense(piece, start, out, limit)
        elif piece.isalnum():
            out.append((piece[:_LONGEST], start, start + len(piece)))
        else:
            _composite(piece, start, out)
        if len(out) >= limit:
            return out[:limit]
    return out


def _dense(piece: str, start: int, out: list[Located], limit: int) -> None:
    for run in _SCRIPTS.finditer(piece):
        word, at = run[0], start + run.start()
        if run.lastindex == 1:
            _pairs(word, at, out, limit)
        elif run.lastindex == 2:
            if len(word) > 2:
                out.append((word[:_LONGEST], at, at + len(word)))
            _pairs(word, at, out, limit)
        else:
            for inner in _PIECE.finditer(word):
                _composite(inner[0], at + inner.start(), out)
        if len(out) >= limit:
            return


def _pairs(run: str, at: int, out: list[Located], limit: int) -> None:
    """Overlapping pairs of letters, each with its marks; a letter alone stays alone."""
    run = run[: 8 * limit]
    edges = range(len(run) + 1) if run.isalnum() else [*(m.start() for m in _LETTER.finditer(run)), len(run)]
    if len(edges) == 2:
        out.append((run, at, at + len(run)))
    out += [(run[i:k], at + i, at + k) for i, k in zip(edges, edges[2:], strict=False)]


def _composite(piece: str, start: int, out: list[Located]) -> None:
    """The whole, then what it is made of: segments of a path or address, words, words without underscores."""
    if piece.strip("_"):
        out.append((piece[:_LONGEST], start, start + len(piece)))
    # C is no part of C#.
    if _CONNECTOR.search(piece) and not (piece[-1] in "+#" and len(piece.rstrip("+#")) <= 2):
        _split(piece, start, 0, out)


def _split(piece: str, start: int, level: int, out: list[Located]) -> None:
    for match in _PARTS[level].finditer(piece):
        part, at = match[0], start + match.start()
        clitic = match.start() and piece[match.start() - 1] == "'" and part in _CLITICS
        if part != piece and part.strip("_.'+-") and not clitic:
            out.append((part[:_LONGEST], at, at + len(part)))
        if level + 1 < len(_PARTS):
            _split(part, at, level + 1, out)
