"""REST routes of conversations and projects."""

from django.http import HttpRequest
from ninja import Router
from ninja.responses import Status

from conversations.context import find_conversation, find_project
from conversations.models import Conversation, Project
from conversations.querysets import RECENT_FIRST
from conversations.record.telling import tell_turns
from conversations.schemas import (
    ConversationChangesIn,
    ConversationIn,
    ConversationOut,
    ConversationsOut,
    ProjectChangesIn,
    ProjectIn,
    ProjectOut,
    ProjectsOut,
    ToldOut,
    TurnsIn,
    new_turns,
)
from conversations.services import (
    create_conversation,
    create_project,
    delete_conversation,
    update_conversation,
    update_project,
)
from pawflow_web.identity.rest import call_of, person, reader, writer
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.rest_types import Cursor, Limit

router = Router(tags=["conversations"])

# Steps are kept as they were received, so that half a character in them is no fault.
KEEPS_BODY = {"x-verbatim": True}


@router.post("/conversations", auth=writer, response={200: ConversationOut, 201: ConversationOut})
def create(request: HttpRequest, payload: ConversationIn) -> Status[ConversationOut]:
    """Make a conversation, in `?project=` if given. A known external_id answers 200 with the old one."""
    call = call_of(request)
    conversation, made = create_conversation(
        principal=call.principal,
        title=payload.title,
        external_id=payload.external_id,
        project=find_project(call.principal, call.project) if call.project else None,
        encrypted=payload.encrypted,
        temporary=payload.temporary,
    )
    return Status(201 if made else 200, ConversationOut.of(conversation))


@router.get("/conversations", auth=reader, response=ConversationsOut)
def conversations(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> ConversationsOut:
    """The owner's conversations, the last changed first; `?project=` keeps those of one project."""
    call = call_of(request)
    pager = Pager.of("conversations", call.principal.user_id, {"project": call.project})
    rows = Conversation.objects.visible_to(call.principal).select_related("project").in_project(call.project)
    page = pager.page(rows, order=RECENT_FIRST, limit=limit, cursor=cursor)
    return ConversationsOut(items=[ConversationOut.of(row) for row in page.rows], next=page.next)


@router.get("/conversations/{ref}", auth=reader, response=ConversationOut)
def conversation(request: HttpRequest, ref: str) -> ConversationOut:
    """One conversation, by its ref or the client's own id."""
    return ConversationOut.of(find_conversation(call_of(request).principal, ref))


@router.patch("/conversations/{ref}", auth=writer, response=ConversationOut)
def change_conversation(request: HttpRequest, ref: str, payload: ConversationChangesIn) -> ConversationOut:
    """Rename it or file it under a project; null leaves a field as it is."""
    principal = call_of(request).principal
    found = find_conversation(principal, ref)
    project = find_project(principal, payload.project) if payload.project else None
    changed = update_conversation(
        conversation=found, title=payload.title, project=project, clear_project=payload.project == ""
    )
    return ConversationOut.of(changed)


@router.delete("/conversations/{ref}", auth=person, response=dict[str, bool])
def delete(request: HttpRequest, ref: str) -> dict[str, bool]:
    """Erase it with all that was said in it and what only it could read, which cannot be taken back."""
    principal = call_of(request).principal
    delete_conversation(principal=principal, conversation=find_conversation(principal, ref))
    return {"deleted": True}


@router.post("/conversations/{ref}/turns", auth=writer, response=ToldOut, openapi_extra=KEEPS_BODY)
def tell(request: HttpRequest, ref: str, payload: TurnsIn) -> ToldOut:
    """Tell what was said and done, in order. A turn with an `id` that was told before is kept once."""
    principal = call_of(request).principal
    conversation = find_conversation(principal, ref)
    turns = new_turns(payload, request.body.decode("utf-8-sig"), principal.zone)
    return ToldOut.of(tell_turns(principal=principal, conversation=conversation, run=payload.run, turns=turns))


@router.get("/projects", auth=reader, response=ProjectsOut)
def projects(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> ProjectsOut:
    """The owner's projects in the order of their slugs, archived ones included."""
    principal = call_of(request).principal
    pager = Pager.of("projects", principal.user_id, {})
    page = pager.page(Project.objects.visible_to(principal), order=("slug",), limit=limit, cursor=cursor)
    return ProjectsOut(items=[ProjectOut.of(row) for row in page.rows], next=page.next)


@router.post("/projects", auth=writer, response={201: ProjectOut})
def create_one_project(request: HttpRequest, payload: ProjectIn) -> Status[ProjectOut]:
    """Make a project; its slug comes from its name."""
    project = create_project(
        principal=call_of(request).principal,
        name=payload.name,
        description=payload.description,
        root=payload.root,
    )
    return Status(201, ProjectOut.of(project))


@router.patch("/projects/{slug}", auth=writer, response=ProjectOut)
def change_project(request: HttpRequest, slug: str, payload: ProjectChangesIn) -> ProjectOut:
    """Change a project. `root`: null leaves it, "" clears it, anything else must be an existing directory."""
    principal = call_of(request).principal
    project = update_project(
        principal=principal,
        project=find_project(principal, slug),
        name=payload.name,
        description=payload.description,
        root=payload.root,
        archived=payload.archived,
    )
    return ProjectOut.of(project)
