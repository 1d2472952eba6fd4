"""What a search of sessions says about itself."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.pages.labels import REASONS, reasons_of
from pawflow_web.web.templatetags.pawflow import thousands

# Told by the number of sessions that wait.
_WAITING = {"index_behind", "index_building"}
# What a session itself lacks; the others are about this search.
_OF_SESSIONS = {
    "bad_lines",
    "invalid_parent_graph",
    "dangling_parent",
    "duplicate_entry_id",
    "duplicate_operation_address",
    "duplicate_branch_fact_address",
}


def sentence(total: int, coverage: Mapping[str, Any]) -> str:
    """``Searched all of 5,021 sessions: 37 found.``"""
    every, searched = coverage["eligibleSessions"], coverage["indexedSessions"]
    if not every:
        return _("There is no session to search.")
    if coverage.get("error"):
        return _("Nothing was searched.")
    if searched < every:
        looked = _("Searched %(searched)s of %(every)s sessions") % {
            "searched": thousands(searched),
            "every": thousands(every),
        }
    else:
        looked = ngettext("Searched the one session", "Searched all of %(every)s sessions", every) % {
            "every": thousands(every)
        }
    return _("%(looked)s: %(total)s found.") % {"looked": looked, "total": thousands(total)}


def missing(coverage: Mapping[str, Any]) -> str:
    """Why something may be missing; empty where nothing can be."""
    if coverage["complete"]:
        return ""
    error = coverage.get("error")
    if error:
        reason = REASONS.get(error["code"])
        return f"{str(reason).capitalize()}: {error['message']}" if reason else str(error["message"])
    told = [_waiting(coverage["staleSessions"]), _lacking(coverage), _of_search(coverage)]
    return _("Not complete: %(reasons)s.") % {"reasons": "; ".join(filter(None, told))}


def why_not_whole(coverage: Mapping[str, Any]) -> str:
    """What sessions lack, where some do."""
    if not coverage["incompleteSessions"]:
        return ""
    reasons = reasons_of([code for code in coverage["reasons"] if _is_of_session(code)])
    return _("Of sessions that are not whole: %(reasons)s.") % {"reasons": reasons}


def left_out(numbers: Mapping[str, int]) -> str:
    """How much is never searched: ``sealed`` conversations are encrypted, ``passing`` ones temporary."""
    encrypted, temporary = numbers["sealed"], numbers["passing"]
    if not encrypted and not temporary:
        return ""
    told = []
    if encrypted:
        told.append(_("%(number)s encrypted") % {"number": thousands(encrypted)})
    if temporary:
        told.append(_("%(number)s temporary") % {"number": thousands(temporary)})
    which = _(" and ").join(told)
    return ngettext(
        "Left out: %(which)s conversation, which is never searched.",
        "Left out: %(which)s conversations, which are never searched.",
        encrypted + temporary,
    ) % {"which": which}


def _waiting(sessions: int) -> str:
    if not sessions:
        return ""
    return ngettext(
        "%(number)s session is still being indexed", "%(number)s sessions are still being indexed", sessions
    ) % {"number": thousands(sessions)}


def _lacking(coverage: Mapping[str, Any]) -> str:
    sessions = coverage["incompleteSessions"]
    if not sessions:
        return ""
    return ngettext(
        "%(number)s session could not be read whole", "%(number)s sessions could not be read whole", sessions
    ) % {"number": thousands(sessions)}


def _of_search(coverage: Mapping[str, Any]) -> str:
    of_sessions = coverage["incompleteSessions"] > 0
    waiting = coverage["staleSessions"] > 0
    codes = [
        code
        for code in coverage["reasons"]
        if not (of_sessions and _is_of_session(code)) and not (waiting and code in _WAITING)
    ]
    return reasons_of(codes)


def _is_of_session(code: str) -> bool:
    """A reason that nobody knows here was given by the reader of a format."""
    return code in _OF_SESSIONS or code not in REASONS
