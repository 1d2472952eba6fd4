"""How much room words take in a drawing, without knowing the reader's font."""

import unicodedata

LABEL_MOST = 26
_NARROW = frozenset("iIjlrtf.,:;'|!()[] ")
_WIDE = frozenset("mMwW@%")
# Share of the font's size that a letter takes, on the safe side.
_SHARES = {"narrow": 0.36, "usual": 0.6, "capital": 0.72, "wide": 0.95, "full": 1.05}
# Letters by their class that nothing is drawn for.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0")
_JOINERS = frozenset("\u200c\u200d")


def drawn(text: str, most: int = LABEL_MOST) -> str:
    """A label in one line of at most ``most`` letters. What a reader would not see, and what turns the order of
    letters, becomes a mark that they do see."""
    line = " ".join("".join(map(_visible, text)).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def width_of(text: str, size: float) -> float:
    """About so many units wide in a font of that size."""
    return size * sum(_SHARES[_class_of(letter)] for letter in text)


def _visible(letter: str) -> str:
    hidden = unicodedata.category(letter) == "Cf" and letter not in _JOINERS
    return "\N{REPLACEMENT CHARACTER}" if hidden or letter in _BLANK else letter


def _class_of(letter: str) -> str:
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return "full"
    if letter in _NARROW:
        return "narrow"
    if letter in _WIDE:
        return "wide"
    return "capital" if letter.isupper() or letter.isdigit() else "usual"
