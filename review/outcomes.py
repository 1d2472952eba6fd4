"""What became of a decision, in a sentence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.identity.principal import Principal
from pawflow_web.web.render import toast
from review.forms import DecisionForm
from review.lifecycle import BulkResult, Decision, accept, forget, reject, restore
from review.models import GovernanceItem, Privacy
from review.present import MASK
from review.rows import reader_words

# Characters that tell one belief from another in a note at the edge of the page.
_FIRST_WORDS = 48


@dataclass(frozen=True, slots=True)
class Outcome:
    """``fact`` and its consequence ``detail``: ``Accepted.``, ``It is in use: …``; ``item`` as it is now.

    ``beyond`` is what came of it for another belief.
    """

    item: GovernanceItem
    fact: str
    detail: str
    beyond: str = ""


def toast_of(request: HttpRequest, done: Outcome) -> SafeString:
    """The fact and the first words of the belief; what it means was said beside the button."""
    item = done.item
    first = MASK if item.privacy == Privacy.SECRET else Truncator(" ".join(item.text.split())).chars(_FIRST_WORDS)
    seen = reverse("item", args=[item.ref])
    return toast(request, done.fact, detail=done.beyond, status=item.status, url=seen, url_text=first)


def decide(principal: Principal, verb: str, reference: str, form: DecisionForm) -> Outcome:
    """Do what a person asked for with ``form``.

    Raises what the decision raises, and :class:`Invalid` for a form that holds none.
    """
    given = {"principal": principal, "reference": reference, **form.decision()}
    if verb == "accept":
        return _accepted(accept(demote=form.cleaned_data["demote"] or None, **given))
    if verb == "reject":
        detail = _("No agent reads it, and it is refused if anyone offers it again.")
        return Outcome(reject(**given).item, _("Rejected."), detail)
    if verb == "restore":
        detail = _("It waits for you again, and its words are no longer refused.")
        return Outcome(restore(**given).item, _("Brought back."), detail)
    detail = _("No agent reads it any more. It may be said again, and you can bring it back.")
    return Outcome(forget(**given).item, _("Forgotten."), detail)


def _accepted(done: Decision) -> Outcome:
    item = done.item
    agent = item.scope_agent.name if item.scope_agent else None
    detail = _("It is in use: %(who)s may read it.") % {"who": reader_words(item.scope, agent)}
    if item.privacy != Privacy.NORMAL:
        detail = _("It is in use for you; it is %(privacy)s, so agents do not read it.") % {"privacy": item.privacy}
    beyond = ""
    if done.demoted is not None:
        beyond = _("#%(ref)s gave way and stays in the history.") % {"ref": done.demoted.ref}
    return Outcome(item, _("Accepted."), f"{detail} {beyond}".rstrip(), beyond)


def bulk_words(verb: str, results: Sequence[BulkResult]) -> str:
    """``398 accepted. 14 not: 9 contradict, 5 changed meanwhile.``"""
    done = sum(result.error is None for result in results)
    deed = {"accept": _("accepted"), "reject": _("rejected"), "forget": _("taken out of use")}[verb]
    sentence = _("%(count)d %(deed)s.") % {"count": done, "deed": deed}
    causes = Counter(_cause(result) for result in results if result.error is not None)
    if not causes:
        return sentence
    told = ", ".join(f"{number} {cause}" for cause, number in causes.most_common())
    missed = sum(causes.values())
    counted = ngettext("%(count)d not: %(told)s.", "%(count)d not: %(told)s.", missed)
    return f"{sentence} {counted % {'count': missed, 'told': told}}"


def _cause(result: BulkResult) -> str:
    error = result.error
    assert error is not None  # noqa: S101 - only failures are asked for their cause
    if error.code == "needs_approval":
        return _("flagged")
    if error.code == "stale_revision":
        return _("changed meanwhile")
    if error.code == "invalid_transition":
        return _("decided already")
    if "contradicts" in error.fields:
        return _("in contradiction")
    if "duplicate_of" in error.fields:
        return _("said elsewhere")
    return _("gone")
