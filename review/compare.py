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
        gone, come = shown("".join(before[first:last])), shown("".join(after[start:end]))
        if operation == "equal":
            left, right = left + gone, right + come
            continue
        if gone:
            left += format_html('<del><span class="vh">{} </span>{}</del>', _("removed:"), gone)
        if come:
            right += format_html('<ins><span class="vh">{} </span>{}</ins>', _("added:"), come)
    return left, right
