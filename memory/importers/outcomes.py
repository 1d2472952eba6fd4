"""What an import did, in sentences."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pawflow_web.web.templatetags.pawflow import thousands

Count = Callable[[int], str]

# The keys of ``items`` in a report, as the head of a figure and as part of a sentence.
OUTCOMES: dict[str, str | Promise] = {
    "needs_review": gettext_lazy("wait in review"),
    "duplicates": gettext_lazy("were there already"),
    "tombstoned": gettext_lazy("are refused, as you rejected them"),
    "invalid": gettext_lazy("cannot be stored"),
}
_TOLD: dict[str, Count] = {
    "needs_review": lambda number: ngettext("%(count)s waits in review", "%(count)s wait in review", number),
    "duplicates": lambda number: ngettext("%(count)s was there already", "%(count)s were there already", number),
    "tombstoned": lambda number: ngettext(
        "%(count)s is refused, as you rejected it", "%(count)s are refused, as you rejected them", number
    ),
    "invalid": lambda number: ngettext("%(count)s cannot be stored", "%(count)s cannot be stored", number),
}
# Kinds of records that are counted under ``skipped``.
SKIPPED: dict[str, str | Promise] = {
    "code": gettext_lazy("code blocks"),
    "generated": gettext_lazy("parts that a program wrote"),
    "include": gettext_lazy("names of other files"),
    "image": gettext_lazy("pictures"),
    "label": gettext_lazy("names of lists that do not follow"),
    "interface": gettext_lazy("words of the page it was copied from"),
}
_LEFT_OUT: dict[str, Count] = {
    "code": lambda number: ngettext("%(count)s code block", "%(count)s code blocks", number),
    "generated": lambda number: ngettext(
        "%(count)s part that a program wrote", "%(count)s parts that a program wrote", number
    ),
    "include": lambda number: ngettext("%(count)s name of another file", "%(count)s names of other files", number),
    "image": lambda number: ngettext("%(count)s picture", "%(count)s pictures", number),
    "label": lambda number: ngettext(
        "%(count)s name of a list that does not follow", "%(count)s names of lists that do not follow", number
    ),
    "interface": lambda number: ngettext(
        "%(count)s line of the page it was copied from", "%(count)s lines of the page it was copied from", number
    ),
}


def outcome(report: Mapping[str, Any]) -> str:
    """``Of 623: 619 wait in review, 4 were there already.``"""
    items = report["items"]
    told = [_counted(count(items[name]), items[name]) for name, count in _TOLD.items() if items[name]]
    if not told:
        return _("Nothing was found in it.")
    return _("Of %(proposed)s: %(told)s.") % {"proposed": thousands(items["proposed"]), "told": ", ".join(told)}


def left_out(counts: Mapping[str, int]) -> list[str]:
    """``3 code blocks``."""
    return [_counted(_LEFT_OUT.get(kind, _other)(count), count) for kind, count in counts.items() if count]


def _other(number: int) -> str:
    return ngettext("%(count)s record of another kind", "%(count)s records of other kinds", number)


def _counted(sentence: str, number: int) -> str:
    return sentence % {"count": thousands(number)}
