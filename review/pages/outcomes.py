"""What became of a decision: its sentences, its receipt, and the way back."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.web import ways_back
from pawflow_web.web.render import toast
from pawflow_web.web.templatetags.pawflow import thousands
from review.display import labels
from review.display.rows import reader_words
from review.display.shape import first_words
from review.display.steps import kept_from_agents
from review.lifecycle import BulkResult, Decision, Undone, accept, edit, forget, reject, restore, undo
from review.lifecycle.bulk import cause_of
from review.models import GovernanceItem, Status
from review.pages import sitting
from review.pages.forms import DecisionForm
from review.readership.receipts import take_receipt

# Characters that tell one belief from another in a note at the edge of the page.
_FIRST_WORDS = 48


@dataclass(frozen=True, slots=True)
class Outcome:
    """``fact`` and its consequence ``detail``: ``Accepted.``, ``It is in use: …``; ``item`` as it is now.

    ``beyond`` is what came of it for another belief. ``leaves_readers``: every reader had to lose it, which can be
    checked.
    """

    item: GovernanceItem
    verb: str
    fact: str
    detail: str
    beyond: str = ""
    leaves_readers: bool = False
    can_be_undone: bool = True


def decide(principal: Principal, verb: str, reference: str, form: DecisionForm) -> Outcome:
    """Do what a person asked for with ``form``.

    Raises what the decision raises, and :class:`Invalid` for a form that holds none.
    """
    return _DEEDS[verb](principal, {"principal": principal, "reference": reference, **form.decision()}, form)


def note_of(request: HttpRequest, done: Outcome) -> SafeString:
    """The fact, the first words of the belief, what it means, and the way back, for the edge of the page."""
    item = done.item
    more = {}
    if done.leaves_readers:
        # Asking them all takes longer than the decision; the note fetches what they say.
        check = reverse("item-receipt", args=[item.ref])
        more = {"detail_url": f"{check}?line=1", "more_url": check, "more_text": _("See the check")}
    return toast(
        request,
        done.fact,
        detail=done.beyond,
        url=reverse("item", args=[item.ref]),
        url_text=first_words(item, _FIRST_WORDS),
        way_back=way_back_of(request, done),
        **more,
    )


def told(request: HttpRequest, done: Outcome) -> str:
    """All of it in a line, the way back remembered, for a page that is loaded anew."""
    way_back_of(request, done)
    gone = take_receipt(person_of(request), done.item).sentence if done.leaves_readers else ""
    return " ".join(part for part in (done.fact, gone, done.detail) if part)


def way_back_of(request: HttpRequest, done: Outcome) -> ways_back.WayBack | None:
    """Remember how it is taken back, and count it; None for what has no way back."""
    item = done.item
    url = reverse("item-act", args=[item.ref, "undo"])
    fields = {"revision": str(item.revision)}
    if done.verb == "undo":
        if walked := ways_back.used(request, url, fields=fields):
            sitting.count(request, walked.deed, -1)
        return None
    sitting.count(request, done.verb)
    if not done.can_be_undone:
        return None
    words_of_it = f"{done.fact.rstrip('.')} #{item.number}"
    return ways_back.remember(request, url=url, words=words_of_it, fields=fields, deed=done.verb)


# --- one belief -----------------------------------------------------------------------------------------------


def _accept(_principal: Principal, given: Mapping[str, Any], form: DecisionForm) -> Outcome:
    done = accept(demote=form.cleaned_data["demote"] or None, **given)
    return accepted(done, "accept", _("Accepted."))


def accepted(done: Decision, verb: str, fact: str) -> Outcome:
    """A belief came into use, and may have taken the place of another."""
    item = done.item
    beyond = ""
    if done.demoted is not None:
        beyond = _("#%(ref)s gave way and stays in the history.") % {"ref": done.demoted.ref}
    return Outcome(item, verb, fact, f"{_in_use(item)} {beyond}".rstrip(), beyond)


def _in_use(item: GovernanceItem) -> str:
    if kept := kept_from_agents(item, timezone.now()):
        return kept
    agent = item.scope_agent.name if item.scope_agent else None
    return _("It is in use: %(who)s may read it.") % {"who": reader_words(item.scope, agent)}


def _reject(_principal: Principal, given: Mapping[str, Any], _form: DecisionForm) -> Outcome:
    return rejected(reject(**given))


def rejected(done: Decision) -> Outcome:
    """It is out of every reader, and its words are refused."""
    detail = _("No agent reads it, and it is refused if anyone offers it again.")
    return Outcome(done.item, "reject", _("Rejected."), detail, leaves_readers=True)


def _restore(_principal: Principal, given: Mapping[str, Any], _form: DecisionForm) -> Outcome:
    detail = _("It waits for you again, and its words are no longer refused.")
    return Outcome(restore(**given).item, "restore", _("Brought back."), detail)


def _forget(_principal: Principal, given: Mapping[str, Any], _form: DecisionForm) -> Outcome:
    detail = _("No agent reads it any more. It may be said again, and you can bring it back.")
    return Outcome(forget(**given).item, "forget", _("Forgotten."), detail, leaves_readers=True)


def corrected(done: Decision) -> Outcome:
    """The new words, and whether they wait or took the place of the old ones at once."""
    item = done.item
    if item.status == Status.ACTIVE:
        old = f"#{done.demoted.ref}" if done.demoted else ""
        beyond = _("%(old)s keeps the old words in the history.") % {"old": old} if old else ""
        return Outcome(item, "correct", _("Corrected."), f"{_in_use(item)} {beyond}".rstrip(), beyond)
    told = {"why": labels.why(item.reason)}
    detail = _("The new words wait for you: %(why)s. Until then the old ones stay as they are.") % told
    return Outcome(item, "correct", _("Kept, but it waits."), detail, detail)


def ended(done: Decision) -> Outcome:
    """Until when it held."""
    day = date_format(localtime(done.item.valid.upper), "j F Y")
    detail = _("It was true until %(day)s; questions about the time before still find it.") % {"day": day}
    return Outcome(done.item, "end", _("Ended."), detail, detail)


def edited(item: GovernanceItem) -> Outcome:
    """What belongs to it was changed, not its words."""
    return Outcome(item, "edit", _("Saved."), "", can_be_undone=False)


def _pin(_principal: Principal, given: Mapping[str, Any], _form: DecisionForm) -> Outcome:
    item = edit(changes={"pinned": True}, **given)
    detail = _("Agents can neither replace nor forget it.")
    return Outcome(item, "pin", _("Pinned."), detail, detail, can_be_undone=False)


def _unpin(_principal: Principal, given: Mapping[str, Any], _form: DecisionForm) -> Outcome:
    return Outcome(edit(changes={"pinned": False}, **given), "unpin", _("Unpinned."), "", can_be_undone=False)


def _undo(_principal: Principal, given: Mapping[str, Any], _form: DecisionForm) -> Outcome:
    return undone(undo(**given))


def undone(done: Undone) -> Outcome:
    """Where the belief stands again, what came back with it, and what stayed as it is."""
    parts = [_AGAIN[Status(done.item.status)]()]
    if done.restored is not None:
        now = str(labels.STATUS[done.restored.status].shown).lower()
        parts.append(_("#%(ref)s is as it was before: %(status)s.") % {"ref": done.restored.ref, "status": now})
    if done.left:
        told = ", ".join(f"#{ref}" for ref in done.left)
        parts.append(_("Changed since, and left as it is: %(refs)s.") % {"refs": told})
    detail = " ".join(parts)
    return Outcome(done.item, "undo", _("Taken back."), detail, detail, can_be_undone=False)


_AGAIN: dict[Status, Callable[[], str]] = {
    Status.CANDIDATE: lambda: _("It is proposed again."),
    Status.ACTIVE: lambda: _("It is in use."),
    Status.NEEDS_REVIEW: lambda: _("It waits for you again."),
    Status.STALE: lambda: _("It is out of use."),
    Status.SUPERSEDED: lambda: _("It counts as replaced again."),
    Status.REJECTED: lambda: _("It is rejected again, and its words are refused."),
}

_DEEDS: dict[str, Callable[[Principal, Mapping[str, Any], DecisionForm], Outcome]] = {
    "accept": _accept,
    "reject": _reject,
    "restore": _restore,
    "forget": _forget,
    "pin": _pin,
    "unpin": _unpin,
    "undo": _undo,
}


# --- many beliefs ---------------------------------------------------------------------------------------------


def many_words(verb: str, results: Sequence[BulkResult]) -> str:
    """``398 accepted. 14 not: 9 in contradiction, 5 changed meanwhile.``"""
    errors = [result.error for result in results if result.error is not None]
    return told_of_many(verb, len(results) - len(errors), Counter(map(cause_of, errors)))


def told_of_many(verb: str, done: int, left: Mapping[str, int]) -> str:
    """The same from numbers; ``left`` by what :func:`~review.lifecycle.bulk.cause_of` says."""
    deed = {
        "accept": _("accepted"),
        "reject": _("rejected"),
        "forget": _("taken out of use"),
        "undo": _("taken back"),
    }[verb]
    sentence = _("%(count)s %(deed)s.") % {"count": thousands(done), "deed": deed}
    if not left:
        return sentence
    causes = {
        "flagged": _("flagged"),
        "changed": _("changed meanwhile"),
        "decided": _("decided already"),
        "contradicts": _("in contradiction"),
        "said": _("said elsewhere"),
        "gone": _("gone"),
    }
    told = ", ".join(f"{thousands(number)} {causes[cause]}" for cause, number in Counter(left).most_common())
    missed = sum(left.values())
    counted = ngettext("%(count)s not: %(told)s.", "%(count)s not: %(told)s.", missed)
    return f"{sentence} {counted % {'count': thousands(missed), 'told': told}}"
