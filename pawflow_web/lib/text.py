"""Text as the product compares, searches and shows it. Pure functions over ``str``, no state, no language setting.

Three forms, each for one purpose: :func:`clean` is what is stored, :func:`fold` is what "the same words" means
for duplicates and tombstones, :func:`analyse` is what search compares.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html.entities import html5

import Stemmer

from pawflow_web.lib.characters import (
    ACCENTS,
    DENSE,
    EMOJI,
    EVERY_MARK,
    HANGUL,
    IGNORABLE,
    JOINING,
    LATIN,
    LOOKALIKES,
    MARKS,
    OVERLAYS,
    SMALL_CAPITALS,
)
from pawflow_web.lib.errors import Invalid

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_IGNORED = re.compile(f"[{IGNORABLE}]")
_DOTTED_I = re.compile("(?<=[iI])\u0307")
_VISIBLE = re.compile(f"[^\\s\u2800\x00-\x1f\x7f-\x9f{IGNORABLE}]")
_SPELLING = {0x130: "I", 0x2019: "'", 0x2BC: "'", 0x2010: "-"}


# --- stored form ----------------------------------------------------------------------------------------------
def clean(text: str, *, field: str = "text") -> str:
    r"""What may be stored of ``text``: line ends become ``\n``; NUL and control characters other than tab and
    line feed are removed. Raises :class:`Invalid` for half a character (a lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = ascii(text[error.start])
        raise Invalid(
            f"{field} holds half a character ({half} at position {error.start}); send complete characters.",
            fields={field: f"holds half a character, {half}"},
        ) from None
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing at all."""
    return _VISIBLE.search(text) is None


# --- letters that pass for others -----------------------------------------------------------------------------
_SMALL_CAPITAL = re.compile(f"[{''.join(map(chr, SMALL_CAPITALS))}]")
_LOOKALIKE = re.compile(f"[{''.join(map(chr, LOOKALIKES))}]")
_LATIN = re.compile(f"[{LATIN}]")
# A word with its marks and digits; what parts words in ASCII and in the blocks of punctuation is no part of it.
_WRITTEN = re.compile("[^\x00-/:-@\\[-`{-\xbf\u2000-\u206f\u3000-\u303f\\s]+")
# Also one that was itself escaped; the semicolon after a number may be missing.
ENTITY = re.compile(
    "&(?:(?:amp|#0{0,4}38|#[xX]0{0,4}26);){0,8}(?:#(\\d{1,7});?|#[xX]([0-9a-fA-F]{1,6});?|([A-Za-z][A-Za-z0-9]{1,31};))"
)


def latin(text: str) -> str:
    """``text``, letter for letter, with letters of other alphabets that stand in a word with Latin ones read as the
    Latin letters they resemble, and small capitals as letters. A word wholly of another alphabet stays."""
    if text.isascii():
        return text
    if _SMALL_CAPITAL.search(text):
        text = text.translate(SMALL_CAPITALS)
    if _LOOKALIKE.search(text) and _LATIN.search(text):
        text = _WRITTEN.sub(_as_latin, text)
    return text


def _as_latin(match: re.Match[str]) -> str:
    word = match[0]
    return word if word.isascii() or not _LATIN.search(word) else word.translate(LOOKALIKES)


def entity(match: re.Match[str]) -> str:
    """What an HTML entity that :data:`ENTITY` matched stands for; itself when it stands for nothing."""
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(name, match[0])
    number = int(decimal) if decimal else int(hexadecimal, 16)
    if (number < 0x20 and number not in (9, 10, 13)) or 0xD800 <= number < 0xE000 or number > 0x10FFFF:
        return match[0]
    return chr(number)


# --- folded form ----------------------------------------------------------------------------------------------
_QUOTES_BRACKETS = "\"'`\u00b4‘’‚‛“”„‟«»‹›「」『』〝〞〟()[]{}〈〉《》【】〔〕〖〗〘〙〚〛⟨⟩⟦⟧⟪⟫"
_WORD_ENDS = ".,;:!?…。、・،؛؟۔।॥։።፧" + _QUOTES_BRACKETS
_JOINER_IN_PLACE = f"(?<=[{JOINING}{EMOJI}])[\u200c\u200d](?=[{JOINING}{EMOJI}])"
_TAGGED_FLAG = "(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
_FOLDED_AWAY = re.compile(f"({_JOINER_IN_PLACE}|{_TAGGED_FLAG})|[{IGNORABLE}]")
_PRESENTATION = re.compile("[\ufe0e\ufe0f]")
# Overlays of letters (of a sign they are part: not equal, not less than), and on Latin letters all that are no accents.
_STRAY = re.compile(f"(?<=[^\\W_])[{OVERLAYS}]+|(?<=[{LATIN}])(?:(?![{ACCENTS}])[{MARKS}])+")
_FOLD_SPELLING = {**_SPELLING, 0x131: "i"}


def fold(text: str) -> str:
    """Two texts with the same fold are the same words: the form that duplicates and tombstones compare.

    Case, width, composition, invisible characters, whitespace, closing punctuation and quotes or brackets around
    a word make no difference, nor do HTML entities, strokes and circles drawn over letters, and letters of other
    alphabets inside Latin words; everything else does (``C#``, ``-5``, ``.NET``, ``@ada``, ``5%`` stay themselves).
    All four i of Turkish are one letter, since without knowing the language ``I`` may be either.
    Returns ``""`` when nothing is left.
    """
    folded = _fold_once(text)
    # Dropping one thing can bring two others together; real text is stable after one pass.
    for _ in range(4):
        again = _fold_once(folded)
        if again == folded:
            break
        folded = again
    return folded


def _fold_once(text: str) -> str:
    if "&" in text:
        text = ENTITY.sub(entity, text)
    if text.isascii():
        text = text.casefold()
    else:
        text = _PRESENTATION.sub("", unicodedata.normalize("NFKC", text))
        text = _FOLDED_AWAY.sub(lambda match: match[1] or "", text)
        if not EVERY_MARK.isdisjoint(text):
            text = _STRAY.sub("", text)
        text = unicodedata.normalize("NFKC", latin(text).casefold())
        text = _DOTTED_I.sub("", text).translate(_FOLD_SPELLING)
    words = (word.lstrip(_QUOTES_BRACKETS).rstrip(_WORD_ENDS) for word in text.split())
    return " ".join(word for word in words if word)


# --- a normalised view that remembers where it came from ------------------------------------------------------
@dataclass(frozen=True, slots=True)
class View:
    """A normalised text; character ``n`` of it came from ``[starts[n], ends[n])`` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original behind the non-empty span ``[start, end)`` of the view."""
        return self.starts[start], self.ends[end - 1]


_LEADING = "\u1100-\u1112\u3131-\u314e\uffa1-\uffbe"
_VOWEL = "\u1161-\u1175\u314f-\u3163\uffc2-\uffdc"
_FOLLOWING = f"[{MARKS}{IGNORABLE}\uff9e\uff9f]*"
_CLUSTER_EXPRESSION = (
    f"(?:[{_LEADING}]{_FOLLOWING}[{_VOWEL}]|[\uac00-\ud7a3]|.){_FOLLOWING}(?:[\u11a8-\u11c2]{_FOLLOWING})?"
)
_CLUSTER = re.compile(_CLUSTER_EXPRESSION, re.DOTALL)
_CLUSTERS = re.compile(f"(?:{_CLUSTER_EXPRESSION}){{1,8}}", re.DOTALL)


def plain(text: str) -> str:
    """NFKC without characters that draw nothing; case is kept."""
    if text.isascii():
        return text
    text = _IGNORED.sub("", text)
    if not unicodedata.is_normalized("NFKC", text):
        text = _IGNORED.sub("", unicodedata.normalize("NFKC", text))
    return _DOTTED_I.sub("", text).translate(_SPELLING)


def plain_view(text: str, form: Callable[[str], str] = plain) -> View:
    """:func:`plain`, or another ``form`` that adds to it letter by letter, with the way back to the original."""
    size = len(text)
    if text.isascii() or form(text) == text:
        return View(text, range(size), range(1, size + 1))
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    # Most text is plain already: a few characters at a time are compared before each is looked at alone.
    for several in _CLUSTERS.finditer(text):
        start, end = several.span()
        piece = form(several[0])
        if piece == several[0]:
            pieces.append(piece)
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            continue
        for match in _CLUSTER.finditer(text, start, end):
            piece = form(match[0])
            pieces.append(piece)
            starts.extend([match.start()] * len(piece))
            ends.extend([match.end()] * len(piece))
    return View("".join(pieces), starts, ends)


# --- search form ----------------------------------------------------------------------------------------------
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
        exact = [token for token, _, _ in _locate(plain(text).lower(), TOKEN_LIMIT)]
    return Tokens(tuple(exact), tuple(map(_stem, exact)))


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


def spans(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Where the tokens ``words`` or words of the same stem stand in ``text``: sorted, apart from each other."""
    wanted = {plain(word).lower() for word in words}
    stems = {_stem(word) for word in wanted}
    if not wanted:
        return []
    view = plain_view(text)
    found = sorted(
        view.span(start, end)
        for token, start, end in _locate(view.text.lower(), len(text) * 3)
        if token in wanted or _stem(token) in stems
    )
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def excerpt(text: str, words: Iterable[str], *, chars: int = 200) -> str:
    """At most ``chars`` characters of ``text`` on one line, around the place where most of ``words`` stand."""
    line = " ".join(text.split())
    if len(line) <= chars:
        return line
    room = max(1, chars - 2)
    found = spans(line, words)
    first = max(
        range(len(found)), key=lambda n: (sum(end <= found[n][0] + room for _, end in found[n:]), -n), default=None
    )
    start = 0 if first is None else max(0, min(found[first][0] - room // 5, len(line) - room))
    latest = start if first is None else found[first][0]
    start = _cut(line, start, latest) if start else 0
    end = min(len(line), start + room + (start == 0))
    if end < len(line):
        blank = line.rfind(" ", max(start, end - 24), end)
        end = blank if blank > start else _cut_back(line, start, end)
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


_STUCK = re.compile(f"[{MARKS}{IGNORABLE}\U0001f3fb-\U0001f3ff]")


def _cut(line: str, start: int, latest: int) -> int:
    """The next place from ``start``, at most ``latest``, where a word or at least a whole character begins."""
    blank = line.find(" ", start, min(latest, start + 24))
    if blank >= 0:
        return blank + 1
    while start < latest and (_STUCK.match(line[start]) or line[start - 1] == "\u200d"):
        start += 1
    return start


def _cut_back(line: str, start: int, end: int) -> int:
    """The last place up to ``end`` that does not part a character from its marks."""
    cut = end
    while cut > start + 1 and (_STUCK.match(line[cut]) or line[cut - 1] == "\u200d"):
        cut -= 1
    return cut if cut > start + 1 else end


def _locate(text: str, limit: int) -> list[Located]:
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


# --- stems ----------------------------------------------------------------------------------------------------
def _without_marks(token: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))


# Without a cache: the cache of a stemmer would keep the words of people in memory for good.
_english: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
_russian: Callable[[str], str] = Stemmer.Stemmer("russian", 0).stemWord
_LATIN_SPELLING = str.maketrans({"ı": "i", "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d"})


def _stem(token: str) -> str:
    """English for Latin letters (accents aside), Russian for Cyrillic ones; Arabic and Hebrew lose vowel marks."""
    if token.isascii():
        return _english(token) if token.isalpha() or token.replace("'", "").isalpha() else token
    first = token[0]
    if first > "\u1eff":
        return token
    if first < "\u0250" or first >= "\u1e00":
        bare = _without_marks(token.translate(_LATIN_SPELLING))
        return _english(bare) if bare.isalpha() and bare.isascii() else bare
    if "\u0400" <= first <= "\u04ff":
        return _russian(token.replace("ё", "е"))
    if "\u0590" <= first <= "\u06ff":
        return _without_marks(token)
    return token
