"""The panel of sessions: everything that was said and done, found and read, and how a conversation goes for good."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from conversations.context import find_conversation
from conversations.models import TOLD, Conversation, Session
from conversations.pages.entries import At, entries_at
from conversations.pages.places import session_address
from conversations.pages.reader import address_of, reader_of
from conversations.pages.searching import browse
from conversations.record.reading import find_turn
from conversations.services import delete_conversation
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from pawflow_web.web.paths import own_path, query_of
from pawflow_web.web.render import out_of_band, person_required, render_panel, target_of

LIST, DELETE = "conversations/sessions.html", "conversations/session_delete.html"
READER, ENTRIES = "conversations/session.html", "conversations/session_entries.html"
# Digits of a number of an entry.
_LONGEST = 9


@require_safe
@person_required
def sessions(request: HttpRequest) -> HttpResponse:
    """``/sessions``: what was found by ``q`` and the filters; without them the sessions, the last changed first."""
    found = browse(request, request.GET)
    context, status = {"browse": found}, 422 if found.form.errors else 200
    target = target_of(request)
    if target == "sessions-more":
        return render_panel(request, LIST, context, partial="rows", status=status)
    if target == "sessions-list":
        coverage = out_of_band(request, f"{LIST}#coverage", {**context, "swap": True})
        # Every letter is typed into one address; Back leads to the page before.
        headers = {"HX-Replace-Url": found.here}
        parts = (coverage,)
        return render_panel(request, LIST, context, partial="list", status=status, headers=headers, out_of_band=parts)
    return render_panel(request, LIST, context, partial="panel", status=status)


@require_safe
@person_required
def session(request: HttpRequest, ref: str) -> HttpResponse:
    """``/sessions/<ref>``: what was said in one, from its beginning or ``from`` a turn on; of a file, its entries."""
    person = person_of(request)
    conversation = find_conversation(person, ref)
    of_file = Session.objects.visible_to(person).filter(conversation=conversation).exclude(kind=TOLD).first()
    if of_file is not None:
        return _entries(request, person, conversation, of_file)
    begin = find_turn(person, request.GET["from"]) if request.GET.get("from") else None
    if begin is not None and begin.conversation_id != conversation.pk:
        raise NotFound
    partial = "rows" if target_of(request) == "session-more" else "panel"
    context = {"reader": reader_of(person, conversation, begin, back=_back(request.GET))}
    return render_panel(request, READER, context, partial=partial)


@require_safe
@person_required
def turn(request: HttpRequest, ref: str) -> HttpResponse:
    """``/sessions/turn/run:number``: leads to where the reader shows it; of a file, ``<session>:<number>`` names an
    entry of any branch, counted from 1."""
    person = person_of(request)
    named, _colon, number = ref.rpartition(":")
    of_file = Session.objects.visible_to(person).filter(ref=parse_ref(named) or "").exclude(kind=TOLD)
    found = of_file.select_related("conversation").first()
    if found is None or not _is_number(number) or int(number) < 1:
        return redirect(address_of(find_turn(person, ref)))
    entry = int(number) - 1
    asked = {"entry": str(entry), "branches": "all"}
    return redirect(session_address(found.conversation.ref, asked, anchor=f"e-{entry}"))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def delete(request: HttpRequest, ref: str) -> HttpResponse:
    """The question before a conversation is deleted, as a page and in the dialog; a POST deletes it."""
    person = person_of(request)
    conversation = find_conversation(person, ref)
    if request.method == "POST":
        delete_conversation(principal=person, conversation=conversation)
        messages.success(request, _("Deleted, with all that was said in it."))
        return redirect("sessions")
    return render_panel(request, DELETE, {"conversation": conversation}, partial="question")


def _entries(request: HttpRequest, person: Principal, conversation: Conversation, of_file: Session) -> HttpResponse:
    given, back = request.GET, _back(request.GET)
    came_from = query_of(back.partition("?")[2])
    at = At(
        begin=_number(given, "begin") or 0,
        entry=_number(given, "entry"),
        branches=given.get("branches") or "active",
        query=came_from.get("q", ""),
        match=came_from.get("match", ""),
        back=back,
    )
    if at.branches not in {"active", "all"}:
        raise NotFound
    context = {"page": entries_at(person, conversation, of_file, at), "back": back}
    return render_panel(request, ENTRIES, context, partial="panel")


def _number(given: QueryDict, name: str) -> int | None:
    text = given.get(name, "")
    if text and not _is_number(text):
        raise NotFound
    return int(text) if text else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST


def _back(given: QueryDict) -> str:
    """The search that one came from; nothing else is led back to."""
    path = own_path(given.get("back", ""))
    return path if path.partition("?")[0] == reverse("sessions") else ""
