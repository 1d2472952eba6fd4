"""``/find``: by a few letters to a page, by a reference or by words to a belief."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.web.panels import Panel, registry
from pawflow_web.web.render import person_required, render_panel, target_of, wants_partial
from review.display.rows import Row, rows_of
from review.models import GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import by_reference, find_items

_BELIEFS = 8
_LONGEST = 400


@require_safe
@person_required
def find(request: HttpRequest) -> HttpResponse:
    """The field and what it finds. What can mean one thing only leads there at once, when the form is sent."""
    asked = request.GET.get("q", "").strip()[:_LONGEST]
    person = person_of(request)
    exact = _named(person, asked) if asked else None
    if not wants_partial(request):
        place = _place(asked, exact)
        if place:
            return redirect(place)
    in_dialog = target_of(request) == "dialog"
    context = {
        "q": asked,
        "in_dialog": in_dialog,
        "pages": _pages(asked),
        "rows": rows_of([exact]) if exact else _by_words(person, asked) if asked else [],
    }
    return render_panel(request, "overview/find.html", context, partial="question" if in_dialog else "results")


def _place(asked: str, exact: GovernanceItem | None) -> str:
    if exact is not None:
        return reverse("item", args=[exact.ref])
    named = [panel for panel in registry.all() if str(panel.title).casefold() == asked.casefold()]
    return str(named[0].url) if named else ""


def _named(person: Principal, asked: str) -> GovernanceItem | None:
    """The belief whose reference was typed."""
    try:
        return by_reference(GovernanceItem.objects.visible_to(person).for_display(), asked)
    except NotFound:
        return None


def _pages(asked: str) -> list[Panel]:
    return [panel for panel in registry.all() if asked.casefold() in str(panel.title).casefold()]


def _by_words(person: Principal, asked: str) -> list[Row]:
    """Of every status: what is in use stands among what was rejected, and says so."""
    page = find_items(person, narrowed_to=ItemFilter(), query=asked, sort="relevance", limit=_BELIEFS, counted=False)
    return rows_of([hit.item for hit in page.hits], page.words)
