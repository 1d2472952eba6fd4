"""REST routes of conversations and projects."""

from datetime import datetime
from typing import Annotated

from django.db.models import Q
from django.http import HttpRequest
from ninja import Query, Router
from ninja.responses import Status

from conversations.context import find_conversation, find_project
from conversations.models import Conversation, Project
from conversations.schemas import (
    ConversationChanges,
    ConversationPage,
    ConversationShape,
    NewConversation,
    NewProject,
    ProjectChanges,
    ProjectPage,
    ProjectShape,
)
from conversations.services import create_conversation, create_project, update_conversation, update_project
from pawflow_web.identity.rest import call_of, reader, writer
from pawflow_web.lib.paging import Pager

router = Router(tags=["conversations"])

Limit = Annotated[int, Query(ge=1, le=200, description="how many at most")]
Cursor = Annotated[str | None, Query(max_length=2000, description="the `next` of the page before")]


@router.post("/conversations", auth=writer, response={200: ConversationShape, 201: ConversationShape})
def create(request: HttpRequest, payload: NewConversation) -> Status[ConversationShape]:
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
    return Status(201 if made else 200, ConversationShape.of(conversation))


@router.get("/conversations", auth=reader, response=ConversationPage)
def conversations(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> ConversationPage:
    """The owner's conversations, the last changed first; `?project=` keeps those of one project."""
    call = call_of(request)
    pager = Pager.of("conversations", call.principal.user_id, {"project": call.project})
    rows = Conversation.objects.visible_to(call.principal).select_related("project").recent_first()
    if call.project:
        rows = rows.filter(project__slug=call.project)
    position = pager.read(cursor)
    if position is not None:
        at, pk = datetime.fromisoformat(position[0]), position[1]
        rows = rows.filter(Q(updated_at__lt=at) | Q(updated_at=at, pk__lt=pk))
    page = list(rows[: limit + 1])
    last = page[limit - 1] if len(page) > limit else None
    return ConversationPage(
        items=[ConversationShape.of(row) for row in page[:limit]],
        next=pager.write([last.updated_at.isoformat(), last.pk]) if last else None,
    )


@router.get("/conversations/{ref}", auth=reader, response=ConversationShape)
def conversation(request: HttpRequest, ref: str) -> ConversationShape:
    """One conversation, by its ref or the client's own id."""
    return ConversationShape.of(find_conversation(call_of(request).principal, ref))


@router.patch("/conversations/{ref}", auth=writer, response=ConversationShape)
def change_conversation(request: HttpRequest, ref: str, payload: ConversationChanges) -> ConversationShape:
    """Rename it or file it under a project; null leaves a field as it is."""
    principal = call_of(request).principal
    found = find_conversation(principal, ref)
    project = find_project(principal, payload.project) if payload.project else None
    changed = update_conversation(
        conversation=found, title=payload.title, project=project, clear_project=payload.project == ""
    )
    return ConversationShape.of(changed)


@router.get("/projects", auth=reader, response=ProjectPage)
def projects(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> ProjectPage:
    """The owner's projects in the order of their slugs, archived ones included."""
    principal = call_of(request).principal
    pager = Pager.of("projects", principal.user_id, {})
    rows = Project.objects.visible_to(principal).order_by("slug")
    position = pager.read(cursor)
    if position is not None:
        rows = rows.filter(slug__gt=position)
    page = list(rows[: limit + 1])
    return ProjectPage(
        items=[ProjectShape.of(row) for row in page[:limit]],
        next=pager.write(page[limit - 1].slug) if len(page) > limit else None,
    )


@router.post("/projects", auth=writer, response={201: ProjectShape})
def create_one_project(request: HttpRequest, payload: NewProject) -> Status[ProjectShape]:
    """Make a project; its slug comes from its name."""
    project = create_project(
        principal=call_of(request).principal,
        name=payload.name,
        description=payload.description,
        root=payload.root,
    )
    return Status(201, ProjectShape.of(project))


@router.patch("/projects/{slug}", auth=writer, response=ProjectShape)
def change_project(request: HttpRequest, slug: str, payload: ProjectChanges) -> ProjectShape:
    """Change a project. `root`: null leaves it, "" clears it, anything else must be an existing directory."""
    project = update_project(
        project=find_project(call_of(request).principal, slug),
        name=payload.name,
        description=payload.description,
        root=payload.root,
        archived=payload.archived,
    )
    return ProjectShape.of(project)
