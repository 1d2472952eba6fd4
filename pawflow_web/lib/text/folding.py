"""The form in which two texts are the same words."""

import re
import unicodedata

from pawflow_web.lib.characters import ACCENTS, EMOJI, EVERY_MARK, IGNORABLE, JOINING, LATIN, MARKS, OVERLAYS
from pawflow_web.lib.text.disguises import ENTITY, entity, latin
from pawflow_web.lib.text.views import DOTTED_I, SPELLING

_QUOTES_BRACKETS = "\"'`\u00b4‘’‚‛“”„‟«»‹›「」『』〝〞〟()[]{}〈〉《》【】〔〕〖〗〘〙〚〛⟨⟩⟦⟧⟪⟫"
_WORD_ENDS = ".,;:!?…。、・،؛؟۔।॥։።፧" + _QUOTES_BRACKETS
_JOINER_IN_PLACE = f"(?<=[{JOINING}{EMOJI}])[\u200c\u200d](?=[{JOINING}{EMOJI}])"
_TAGGED_FLAG = "(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
_FOLDED_AWAY = re.compile(f"({_JOINER_IN_PLACE}|{_TAGGED_FLAG})|[{IGNORABLE}]")
_PRESENTATION = re.compile("[\ufe0e\ufe0f]")
# Overlays of letters (of a sign they are part: not equal, not less than), and on Latin letters all that are no accents.
_STRAY = re.compile(f"(?<=[^\\W_])[{OVERLAYS}]+|(?<=[{LATIN}])(?:(?![{ACCENTS}])[{MARKS}])+")
_FOLD_SPELLING = {**SPELLING, 0x131: "i"}


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
        text = DOTTED_I.sub("", text).translate(_FOLD_SPELLING)
    words = (word.lstrip(_QUOTES_BRACKETS).rstrip(_WORD_ENDS) for word in text.split())
    return " ".join(word for word in words if word)
