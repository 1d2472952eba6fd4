"""One decision over many beliefs: what is asked first, what became of it, and how it is taken back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.web import ways_back
from pawflow_web.web.render import render_panel, toast
from review import sitting
from review.forms import BulkForm
from review.lifecycle import BulkResult, decide_many
from review.models import GRAVE, GovernanceItem
from review.outcomes import many_words
from review.queue import AMONG_MOST, ASK_ABOVE, Wanted, waiting_items

QUESTION = "review/many.html"
_VERBS: Mapping[str, tuple[str | Promise, str | Promise]] = {
    "accept": (gettext_lazy("Accept"), gettext_lazy("Accepting")),
    "reject": (gettext_lazy("Reject"), gettext_lazy("Rejecting")),
    "forget": (gettext_lazy("Forget"), gettext_lazy("Forgetting")),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be decided at once. ``rest``: so many match beyond these and stay."""

    refs: Sequence[str]
    revisions: Mapping[str, int] = field(default_factory=dict)
    rest: int = 0


@dataclass(frozen=True, slots=True)
class ManyDone:
    """What became of many: ``sentence`` says it; ``show`` leads to those that stayed and still wait."""

    verb: str
    number: int
    sentence: str
    way_back: ways_back.WayBack | None = None
    show: str = ""


def needs_asking(form: BulkForm, chosen: Chosen) -> bool:
    """Many at once are confirmed, with counts."""
    return len(chosen.refs) > ASK_ABOVE and not form.cleaned_data["sure"]


def ask(request: HttpRequest, form: BulkForm, chosen: Chosen, *, back: str, target: str) -> HttpResponse:
    """How many, which of them will stay, and the same form once more.

    Args:
        back: the list that the question comes from.
        target: the id of what the answer replaces.
    """
    verb = form.cleaned_data["verb"]
    shown, busy = _VERBS[verb]
    context = {
        "verb": verb,
        "shown": shown,
        "busy": busy,
        "number": len(chosen.refs),
        "rest": chosen.rest,
        "staying": _staying(person_of(request), verb, chosen.refs),
        "whole": form.cleaned_data["whole"],
        "reason": form.cleaned_data["reason"],
        "ticked": [] if form.cleaned_data["whole"] else form.ticked,
        "action": request.get_full_path(),
        "back": back,
        "target": target,
    }
    headers = {"HX-Retarget": "#dialog", "HX-Reswap": "innerHTML"}
    return render_panel(request, QUESTION, context, partial="question", headers=headers)


def decide(request: HttpRequest, form: BulkForm, chosen: Chosen) -> ManyDone:
    """Decide each by itself. Raises :class:`Invalid` when nothing is chosen."""
    if not chosen.refs:
        raise Invalid(_("Choose at least one row, and what to do with it."))
    verb = form.cleaned_data["verb"]
    batch, results = decide_many(
        principal=person_of(request),
        action=verb,
        references=chosen.refs,
        revisions=chosen.revisions,
        comment=form.cleaned_data["reason"],
    )
    sentence = many_words(verb, results)
    done = sum(result.error is None for result in results)
    sitting.count(request, verb, done)
    way = None
    if done:
        url = reverse("review-batch-undo", args=[batch.ref])
        way = ways_back.remember(request, url=url, words=sentence.partition(".")[0], fields={}, deed=verb)
    return ManyDone(verb, done, sentence, way, _show(person_of(request), results))


def note_of_many(request: HttpRequest, done: ManyDone) -> SafeString:
    """What became of them, those that stayed, and the way back."""
    more = {"more_url": done.show, "more_text": _("Show them")} if done.show else {}
    return toast(request, done.sentence, way_back=done.way_back, **more)


def taken_back(results: Sequence[BulkResult]) -> str:
    """``398 taken back. 2 not: 2 changed meanwhile.``"""
    return many_words("undo", results)


def _staying(principal: Principal, verb: str, refs: Sequence[str]) -> list[str]:
    """What accepting many leaves as it is."""
    if verb != "accept":
        return []
    items = GovernanceItem.objects.visible_to(principal).filter(ref__in=refs)
    flagged = items.filter(reason__in=GRAVE)
    contradicting = items.filter(contradicts__isnull=False).exclude(reason__in=GRAVE)
    told = []
    if number := flagged.count():
        told.append(ngettext("%(count)d is flagged", "%(count)d are flagged", number) % {"count": number})
    if number := contradicting.count():
        words = ngettext("%(count)d contradicts something", "%(count)d contradict something", number)
        told.append(words % {"count": number})
    return told


def _show(principal: Principal, results: Sequence[BulkResult]) -> str:
    """The queue narrowed to those that stayed; empty when none of them waits."""
    left = [result.ref for result in results if result.error is not None]
    if not left:
        return ""
    numbers = waiting_items(principal).filter(ref__in=left).values_list("number", flat=True)[:AMONG_MOST]
    return reverse("review") + Wanted(among=tuple(numbers)).query() if numbers else ""
