"""The panel of sessions: which conversations there are, what was said in one, and how one goes for good."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from conversations.context import find_conversation
from conversations.pages.reader import address_of, conversations_of, reader_of
from conversations.record.reading import find_turn
from conversations.services import delete_conversation
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import NotFound
from pawflow_web.web.render import person_required, render_panel, target_of

LIST, READER, DELETE = "conversations/sessions.html", "conversations/session.html", "conversations/session_delete.html"


@require_safe
@person_required
def sessions(request: HttpRequest) -> HttpResponse:
    """``/sessions``: the conversations of the person, the last changed first."""
    page = conversations_of(person_of(request), request.GET.get("cursor") or None)
    partial = "rows" if target_of(request) == "sessions-more" else "panel"
    return render_panel(request, LIST, {"page": page}, partial=partial)


@require_safe
@person_required
def session(request: HttpRequest, ref: str) -> HttpResponse:
    """``/sessions/<ref>``: what was said in one, from its beginning or ``from`` a turn on."""
    person = person_of(request)
    conversation = find_conversation(person, ref)
    begin = find_turn(person, request.GET["from"]) if request.GET.get("from") else None
    if begin is not None and begin.conversation_id != conversation.pk:
        raise NotFound
    partial = "rows" if target_of(request) == "session-more" else "panel"
    return render_panel(request, READER, {"reader": reader_of(person, conversation, begin)}, partial=partial)


@require_safe
@person_required
def turn(request: HttpRequest, ref: str) -> HttpResponse:
    """``/sessions/turn/run:number``: leads to where the reader shows it."""
    return redirect(address_of(find_turn(person_of(request), ref)))


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
