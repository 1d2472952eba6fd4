"""Two texts side by side: which words go and which come."""

import difflib
import re

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from pawflow_web.web.visible import shown

# Past this many words a comparison costs more than it tells; below this likeness it is nothing but marks.
WORDS_MOST = 600
LIKENESS_LEAST = 0.25
_WORD = re.compile(r"\s+|\w+|[^\w\s]+")


def in_one(old: str, new: str) -> SafeString:
    """One text that holds both: what went in ``<del>``, what came in ``<ins>``."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if len(before) + len(after) > WORDS_MOST:
        return _gone(old) + mark_safe(" ") + _come(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < LIKENESS_LEAST:
        return _gone(old) + mark_safe(" ") + _come(new)
    whole = mark_safe("")
    for operation, first, last, start, end in matcher.get_opcodes():
        gone, come = "".join(before[first:last]), "".join(after[start:end])
        between = mark_safe(" ") if gone and come and operation != "equal" else mark_safe("")
        whole += shown(come) if operation == "equal" else _gone(gone) + between + _come(come)
    return whole


def compared(old: str, new: str) -> tuple[SafeString, SafeString]:
    """``old`` with what goes in ``<del>``, ``new`` with what comes in ``<ins>``; plain when too different."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if len(before) + len(after) > WORDS_MOST:
        return shown(old), shown(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < LIKENESS_LEAST:
        return shown(old), shown(new)
    left, right = mark_safe(""), mark_safe("")
    for operation, first, last, start, end in matcher.get_opcodes():
        gone, come = "".join(before[first:last]), "".join(after[start:end])
        left += shown(gone) if operation == "equal" else _gone(gone)
        right += shown(come) if operation == "equal" else _come(come)
    return left, right


def _gone(words: str) -> SafeString:
    if not words:
        return mark_safe("")
    return format_html('<del><span class="vh">{} </span>{}</del>', _("removed:"), shown(words))


def _come(words: str) -> SafeString:
    if not words:
        return mark_safe("")
    return format_html('<ins><span class="vh">{} </span>{}</ins>', _("added:"), shown(words))
