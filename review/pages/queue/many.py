"""One decision over many beliefs: what is asked first, what became of it, and how it is taken back.

A few are decided while the person waits. More are a job, and what became of them stands above the queue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pawflow_web.identity.person import person_of, user_of
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.ids import new_ref
from pawflow_web.web import ways_back
from pawflow_web.web.render import render_panel, toast
from pawflow_web.web.templatetags.pawflow import thousands
from review.lifecycle import BulkResult, decide_many
from review.limits import ASK_ABOVE, WAIT_MOST
from review.models import GRAVE, GovernanceItem
from review.pages import sitting
from review.pages.forms import BulkForm
from review.pages.outcomes import many_words
from review.querysets import ItemQuerySet
from review.queue.background import NAMED_MOST, begin
from review.queue.matching import Matching
from review.queue.waiting import AMONG_MOST, Wanted, waiting_items

QUESTION = "review/many.html"
_VERBS: Mapping[str, tuple[str | Promise, str | Promise]] = {
    "accept": (gettext_lazy("Accept"), gettext_lazy("Accepting")),
    "reject": (gettext_lazy("Reject"), gettext_lazy("Rejecting")),
    "forget": (gettext_lazy("Forget"), gettext_lazy("Forgetting")),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be decided at once: beliefs by their references, or all of ``matching``. ``rest``: so many match
    beyond these and stay."""

    refs: Sequence[str] = ()
    revisions: Mapping[str, int] = field(default_factory=dict)
    rest: int = 0
    matching: Matching | None = None

    @classmethod
    def all_of(cls, matching: Matching) -> Self:
        """Of a search no more than a job may name."""
        rest = max(0, matching.number - NAMED_MOST) if matching.wanted.q else 0
        return cls(rest=rest, matching=matching)

    @property
    def number(self) -> int:
        return self.matching.number - self.rest if self.matching else len(self.refs)

    def items(self, principal: Principal) -> ItemQuerySet:
        if self.matching is not None:
            return self.matching.items(principal)
        return GovernanceItem.objects.visible_to(principal).filter(ref__in=self.refs)

    def named(self, principal: Principal) -> list[tuple[str, int | None]]:
        """Reference and revision of each."""
        if self.matching is not None:
            rows = self.matching.items(principal).order_by("number").values_list("number", "ref", "revision")
            return [(ref, revision) for _number, ref, revision in rows[: self.number]]
        return [(ref, self.revisions.get(ref)) for ref in self.refs]


@dataclass(frozen=True, slots=True)
class ManyDone:
    """What became of many: ``sentence`` says it; ``show`` leads to those that stayed and still wait. ``run`` is the
    job that is at it."""

    verb: str
    sentence: str
    way_back: ways_back.WayBack | None = None
    show: str = ""
    run: JobRun | None = None


def needs_asking(form: BulkForm, chosen: Chosen) -> bool:
    """Many at once are confirmed, with counts."""
    return chosen.number > ASK_ABOVE and not form.cleaned_data["sure"]


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
        "number": chosen.number,
        "rest": chosen.rest,
        "staying": _staying(verb, chosen.items(person_of(request))),
        "upto": chosen.matching.upto if chosen.matching else "",
        "question": new_ref(),
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
    """Decide each by itself, or have it done. Raises :class:`Invalid` when nothing is chosen."""
    if not chosen.number:
        raise Invalid(_("Choose at least one row, and what to do with it."))
    if chosen.number > WAIT_MOST:
        return _begin(request, form, chosen)
    verb = form.cleaned_data["verb"]
    named = chosen.named(person_of(request))
    batch, results = decide_many(
        principal=person_of(request),
        action=verb,
        references=[ref for ref, _revision in named],
        revisions={ref: revision for ref, revision in named if revision is not None},
        comment=form.cleaned_data["reason"],
    )
    sentence = many_words(verb, results)
    done = sum(result.error is None for result in results)
    sitting.count(request, verb, done)
    way = None
    if done:
        way = _way_back(request, verb, batch.ref, sentence)
    left = [result.ref for result in results if result.error is not None]
    return ManyDone(verb, sentence, way, those_that_wait(person_of(request), left))


def _begin(request: HttpRequest, form: BulkForm, chosen: Chosen) -> ManyDone:
    verb, matching = form.cleaned_data["verb"], chosen.matching
    by_filter = matching is not None and not matching.wanted.q
    run = begin(
        user=user_of(request),
        verb=verb,
        comment=form.cleaned_data["reason"],
        matching=matching if by_filter else None,
        named=() if by_filter else chosen.named(person_of(request)),
        question=form.cleaned_data["question"],
    )
    sentence = under_way(verb, chosen.number)
    _way_back(request, verb, run.arguments["batch"], sentence)
    return ManyDone(verb, sentence, run=run)


def _way_back(request: HttpRequest, verb: str, batch: str, sentence: str) -> ways_back.WayBack:
    url = reverse("review-batch-undo", args=[batch])
    # The same form sent twice is one deed.
    if (last := ways_back.last(request)) is not None and last.url == url:
        return last
    return ways_back.remember(request, url=url, words=sentence.partition(".")[0], fields={}, deed=verb)


def under_way(verb: str, number: int) -> str:
    """``Accepting 4,398 in the background.``"""
    busy = _("Taking back") if verb == "undo" else _VERBS[verb][1]
    return _("%(busy)s %(number)s in the background.") % {"busy": busy, "number": thousands(number)}


def note_of_many(request: HttpRequest, done: ManyDone) -> SafeString:
    """What became of them, those that stayed, and the way back; of a job, where one sees how far it is."""
    more = {"more_url": done.show, "more_text": _("Show them")} if done.show else {}
    if done.run is not None:
        more = {"more_url": reverse("review"), "more_text": _("See how far it is")}
    return toast(request, done.sentence, way_back=done.way_back, **more)


def taken_back(results: Sequence[BulkResult]) -> str:
    """``398 taken back. 2 not: 2 changed meanwhile.``"""
    return many_words("undo", results)


def _staying(verb: str, items: ItemQuerySet) -> list[str]:
    """What accepting many leaves as it is."""
    if verb != "accept":
        return []
    flagged = items.filter(reason__in=GRAVE)
    contradicting = items.filter(contradicts__isnull=False).exclude(reason__in=GRAVE)
    told = []
    if number := flagged.count():
        told.append(ngettext("%(count)d is flagged", "%(count)d are flagged", number) % {"count": number})
    if number := contradicting.count():
        words = ngettext("%(count)d contradicts something", "%(count)d contradict something", number)
        told.append(words % {"count": number})
    return told


def those_that_wait(principal: Principal, refs: Sequence[str]) -> str:
    """The queue narrowed to those of ``refs`` that wait; empty when none does."""
    if not refs:
        return ""
    numbers = waiting_items(principal).filter(ref__in=refs).values_list("number", flat=True)[:AMONG_MOST]
    return reverse("review") + Wanted(among=tuple(numbers)).query() if numbers else ""
