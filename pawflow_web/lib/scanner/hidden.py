"""Characters that a reader does not see, judged by where they stand: a joiner inside a family emoji or a Persian
word is spelling, inside a Latin word it hides something."""

import re
from collections.abc import Iterator

from pawflow_web.lib.characters import MARKS

# Alphabets in which nothing invisible belongs between two letters.
_ALPHABETIC = "A-Za-z0-9\u00aa\u00ba\u00c0-\u02af\u0370-\u052f\u0531-\u058a\u10a0-\u10ff\u1e00-\u1fff"
_ZERO_WIDTH = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u115f\u1160\u3164\uffa0"
# A joiner right after a virama or inside an emoji is not followed by one of the letters above.
_INSIDE_WORD = re.compile(f"(?<=[{_ALPHABETIC}{MARKS}])[{_ZERO_WIDTH}]+(?=[{_ALPHABETIC}])")
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_TAGS = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f)|[\U000e0000-\U000e007f]+"
)
# One selector after a character chooses its form; several, or a supplement after Latin, carry data.
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|(?<=[\x00-\u2fff])[\U000e0100-\U000e01ef]+")
_INVISIBLE_RUN = re.compile(
    "[\u200b\u2060-\u2064\u206a-\u206f\ufeff\u3164\uffa0]{4,}|[\u200b-\u200d\u2060-\u2064\ufeff]{6,}"
)
_ANY = re.compile(f"[{_ZERO_WIDTH}\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f\U000e0000-\U000e01ef]")


def hidden(text: str) -> Iterator[tuple[str, int, int]]:
    """``(rule, start, end)`` of every hidden passage of the original text."""
    if text.isascii() or not _ANY.search(text):
        return
    for match in _DIRECTION.finditer(text):
        yield "hidden_direction", match.start(), match.end()
    for match in _TAGS.finditer(text):
        if not match["flag"]:
            yield "hidden_text", match.start(), match.end()
    for expression in (_INSIDE_WORD, _SELECTORS, _INVISIBLE_RUN):
        for match in expression.finditer(text):
            yield "hidden_text", match.start(), match.end()
