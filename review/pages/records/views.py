"""What a person looks up beside the queue: the words that are refused, the wishes of agents, the whole journal."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, InvalidTransition
from pawflow_web.lib.paging import Page, Pager
from pawflow_web.web.context import belongs_to
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import (
    nothing_but,
    person_required,
    render_panel,
    shell_news,
    target_of,
    toast,
    wants_partial,
)
from review.display.rows import rows_of
from review.gate.tombstones import lift_by_ref
from review.lifecycle.archiving import decide_archive
from review.models import ArchiveRequest, JournalEntry, Status, Tombstone
from review.pages.outcomes import Outcome, note_of, told
from review.pages.records.journal import JournalFilter, lines_of, verified
from review.search.find import load_for_display

ROWS = 50


@require_safe
@person_required
def refused(request: HttpRequest) -> HttpResponse:
    """``/review/refused``: every refusal that stands, the newest first. Never the words themselves."""
    principal = person_of(request)
    stones = Tombstone.objects.standing_of(principal.user_id)
    page = _page(request, "refused_page", stones, ("-at", "-pk"))
    items = load_for_display([stone.item_id for stone in page.rows])
    shown = {row.ref: row for row in rows_of(list(items.values()))}
    context = {
        "stones": [{"stone": stone, "item": shown.get(stone.item_ref)} for stone in page.rows],
        "more": page.next,
    }
    return _listed(request, "review/refused.html", context)


@require_POST
@person_required
def lift(request: HttpRequest, ref: str) -> HttpResponse:
    """These words may come again; the belief itself stays as it is."""
    stone = lift_by_ref(principal=person_of(request), ref=ref)
    lifted = _("The refusal of #%(ref)s is lifted: its words may come again.") % {"ref": stone.item_ref}
    return _gone(request, lifted, "refused")


@require_safe
@person_required
def archive_requests(request: HttpRequest) -> HttpResponse:
    """``/review/archive``: what agents ask to take out of use, the longest waiting first."""
    principal = person_of(request)
    wishes = ArchiveRequest.objects.pending_of(principal.user_id)
    page = _page(request, "archive_page", wishes, ("at", "pk"))
    items = load_for_display([wish.item_id for wish in page.rows])
    shown = {row.ref: row for row in rows_of(list(items.values()))}
    context = {
        "wishes": [
            {"wish": wish, "who": wish.principal.partition(":")[2], "item": shown[items[wish.item_id].ref]}
            for wish in page.rows
            if wish.item_id in items
        ],
        "more": page.next,
    }
    return _listed(request, "review/archive.html", context)


@require_POST
@person_required
def answer_archive(request: HttpRequest, ref: str, answer: str) -> HttpResponse:
    """Approve: it goes out of use, and can be brought back. Decline: it stays as it is."""
    approve = answer == "approve"
    try:
        done = decide_archive(principal=person_of(request), ref=ref, approve=approve)
    except InvalidTransition as error:
        return _stays(request, error.message, "archive-requests", status=error.status)
    except Conflict as error:
        return _gone(request, error.message, "archive-requests")
    fact, detail = _("Archived."), _("No agent reads it any more.")
    if not approve:
        in_use = done.item.status == Status.ACTIVE
        fact, detail = _("Kept."), _("It stays in use.") if in_use else _("It stays as it is, out of use.")
    outcome = Outcome(done.item, "forget" if approve else "keep", fact, detail, detail, can_be_undone=approve)
    if not wants_partial(request):
        return _gone(request, told(request, outcome), "archive-requests")
    return _gone(request, "", "archive-requests", note=lambda: note_of(request, outcome))


@require_safe
@person_required
def journal(request: HttpRequest) -> HttpResponse:
    """``/review/journal``: everything that happened to any belief, the newest first, in sentences."""
    form = JournalFilter(request.GET, auto_id="journal-%s")
    entries = form.narrow(JournalEntry.objects.filter(user_id=person_of(request).user_id).select_related("payload"))
    page = _page(request, "journal_page", entries, ("-seq",), **form.asked())
    context = {"lines": lines_of(person_of(request), page.rows), "form": form, "more": page.next}
    context["older"] = form.query(cursor=page.next or "")
    return _listed(request, "review/journal.html", context)


@require_POST
@person_required
def verify_journal(request: HttpRequest) -> HttpResponse:
    """Replay the whole chain now; for a long one it says with which command."""
    found = verified(request)
    if wants_partial(request):
        return render_panel(request, "review/journal.html", {"verified": found}, partial="seal")
    messages.success(request, found.sentence)
    return redirect("journal")


# --- what they share --------------------------------------------------------------------------------------------


def _page(
    request: HttpRequest, name: str, rows: QuerySet[Any], order: tuple[str, ...], **question: object
) -> Page[Any]:
    pager = Pager.of(name, person_of(request).user_id, question)
    return pager.page(rows, order=order, limit=ROWS, cursor=request.GET.get("cursor") or None)


def _listed(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    belongs_to(request, "review")
    partial = "rows" if target_of(request).endswith("-more") else "panel"
    return render_panel(request, template, context, partial=partial)


def _stays(request: HttpRequest, sentence: str, route: str, *, status: int) -> HttpResponse:
    """The row is not answered."""
    if not wants_partial(request):
        messages.error(request, f"{_('Not done.')} {sentence}")
        return redirect(route)
    return nothing_but(toast(request, _("Not done."), detail=sentence), status=status)


def _gone(
    request: HttpRequest, sentence: str, route: str, *, note: Callable[[], SafeString] | None = None
) -> HttpResponse:
    """The row is answered: nothing takes its place, and the frame follows."""
    if not wants_partial(request):
        messages.success(request, sentence)
        return redirect(route)
    forget_all(request)
    shown = note() if note is not None else toast(request, sentence)
    return HttpResponse(shown + shell_news(request))
