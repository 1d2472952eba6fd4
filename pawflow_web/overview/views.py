"""The Overview and the parts of it that come by themselves."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.views.decorators.http import require_POST, require_safe

from memory.pages.memories.forms import NOT_LATELY, READABLE_NOW
from pawflow_web.identity.auth import preferences_of
from pawflow_web.identity.person import person_of, user_of
from pawflow_web.identity.services import close_setup, note_look
from pawflow_web.jobs.page import live_of
from pawflow_web.overview.facts import Facts, facts_of
from pawflow_web.overview.health import signs_of
from pawflow_web.overview.setup import SetupStep, steps_of
from pawflow_web.web.context import Shell, belongs_to
from pawflow_web.web.panels import registry
from pawflow_web.web.render import person_required, render_panel
from review.display.news import news_of
from review.display.shape import shown_text
from review.models import Privacy, Reason
from review.queue.waiting import reasons_of
from review.readership.use import UNUSED_DAYS, most_used, never_used
from review.search.filters import ItemFilter
from review.search.find import count_items

# How long a person looks at one belief before they decide, by our own hand.
_SECONDS_EACH = 12
_RUNS = 3
_AT_WORK = 5
_WORDS = 120


@require_safe
@person_required
def overview(request: HttpRequest) -> HttpResponse:
    """``/``: the sentence, what needs the person, what happened since they last looked, and how it all is."""
    user = user_of(request)
    kept = preferences_of(user)
    setting_up = kept is not None and kept.setup_closed_at is None
    shell = Shell(request)
    facts = facts_of(user.pk, setting_up=setting_up)
    signs = signs_of(user.pk, facts, shell.seal)
    if not facts.beliefs:
        return render_panel(request, "overview/first.html", {"steps": steps_of(facts), "signs": signs}, partial="panel")
    since = note_look(user)
    steps = _steps_left(request, facts) if setting_up else []
    context = {
        **_sentence(request, facts),
        **_news(request, since),
        "facts": facts,
        "runs": live_of(person_of(request)).rows[:_RUNS] if shell.count("jobs") else [],
        "steps": steps,
        "signs": signs,
    }
    return render_panel(request, "overview/overview.html", context, partial="panel")


@require_safe
@person_required
def older(request: HttpRequest) -> HttpResponse:
    """``/overview/news``: the lines before an entry of the journal; without htmx the whole page with them."""
    belongs_to(request, "overview")
    before = _number(request.GET.get("before", ""))
    return render_panel(request, "overview/news_page.html", _news(request, None, before=before), partial="lines")


@require_safe
@person_required
def at_work(request: HttpRequest) -> HttpResponse:
    """``/overview/at-work``: what agents were shown most since yesterday, and how much nobody asks for."""
    belongs_to(request, "overview")
    used = [
        {"ref": one.item.ref, "words": Truncator(shown_text(one.item)).chars(_WORDS), "count": one.count}
        for one in most_used(person_of(request), 1, _AT_WORK)
    ]
    context = {
        "used": used,
        "unused": never_used(person_of(request), UNUSED_DAYS),
        "unused_days": UNUSED_DAYS,
        "unused_url": _memories(used=NOT_LATELY),
    }
    return render_panel(request, "overview/at_work_page.html", context, partial="card")


@require_POST
@person_required
def dismiss_setup(request: HttpRequest) -> HttpResponse:
    """``/overview/setup``: the steps are to be shown no more."""
    close_setup(user_of(request))
    return redirect("overview")


def _sentence(request: HttpRequest, facts: Facts) -> dict[str, Any]:
    reasons = reasons_of(request)
    waiting = sum(reasons.values())
    privacy = "" if facts.some_agent_reads_sensitive else Privacy.NORMAL
    preview = registry.find("context")
    seen = f"{preview.url}?{urlencode({'agent': facts.agent})}" if preview and facts.agent else ""
    return {
        "usable": count_items(person_of(request), ItemFilter(fit_for_prompt=True, privacy=privacy)),
        "waiting": waiting,
        "contradictions": reasons.get(Reason.CONTRADICTS_ACTIVE, 0),
        "flagged": reasons.get(Reason.INJECTION_FLAGGED, 0),
        "minutes": max(1, round(waiting * _SECONDS_EACH / 60)),
        "seen_url": seen,
        "usable_url": _memories(status=READABLE_NOW, privacy=str(privacy)),
    }


def _memories(**filters: str) -> str:
    """The list of what was counted."""
    return f"{reverse('memories')}?{urlencode({name: value for name, value in filters.items() if value})}"


def _news(request: HttpRequest, since: datetime | None, *, before: int = 0) -> dict[str, Any]:
    news = news_of(person_of(request), since=since, before=before)
    return {"news": news, "since": since, "older_url": reverse("overview-news")}


def _steps_left(request: HttpRequest, facts: Facts) -> list[SetupStep]:
    steps = steps_of(facts)
    if not all(step.done for step in steps):
        return steps
    close_setup(user_of(request))
    return []


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
