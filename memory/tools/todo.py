"""The to-do list, for agents."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from memory.desk.places import Place
from memory.desk.results import Answered
from memory.models import TaskStatus, TodoTask
from memory.models.todo import DESCRIPTION_MOST, EXTERNAL_ID_MOST, OWNER_MOST, SUBJECT_MOST
from memory.todo import display
from memory.todo.dependencies import NAMED_MOST, PREFIX, Ties, ties_of
from memory.todo.reading import find_by_external_id, find_task, list_tasks
from memory.todo.services import TaskWords, clear_completed, create_task, delete_task, update_task
from pawflow_web.identity.call import Call
from pawflow_web.lib.actions import Action, Effect
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import iso
from pawflow_web.lib.tool_fields import Cursor, HowMany
from pawflow_web.lib.tools import tool
from review.schemas import Revision, one_of

StatusWord = Annotated[TaskStatus, one_of(TaskStatus)]
TaskId = Annotated[str, Field(min_length=1, max_length=40)]
Tasks = Annotated[list[TaskId] | None, Field(max_length=NAMED_MOST)]
ExternalId = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=EXTERNAL_ID_MOST,
        description="your own name for a task; to create with a known one updates that task",
    ),
]
_Metadata = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "additionalProperties": True})]
_WORDS = ("description", "active_form", "status", "owner", "blocks", "blocked_by", "metadata")
_NAMES = ("task_id", "external_id")
ACTIONS = {
    "create": Action(Effect.WRITE, needs=("subject",), takes=("external_id", *_WORDS)),
    "update": Action(Effect.WRITE, takes=(*_NAMES, "subject", *_WORDS, "revision")),
    "list": Action(Effect.READ, takes=("query", "status", "limit", "cursor")),
    "get": Action(Effect.READ, takes=_NAMES),
    "delete": Action(Effect.WRITE, takes=(*_NAMES, "revision")),
    "clear_completed": Action(Effect.WRITE),
}


class TaskOut(BaseModel):
    id: str = Field(description="td_ and 12 digits")
    external_id: str | None
    subject: str
    description: str
    active_form: str
    status: StatusWord
    owner: str
    blocks: list[str] = Field(description="the tasks that wait for this one")
    blocked_by: list[str] = Field(description="the tasks that this one waits for")
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    revision: int

    @classmethod
    def of(cls, task: TodoTask, ties: Ties) -> "TaskOut":
        return cls(
            id=f"{PREFIX}{task.ref}",
            external_id=task.external_id or None,
            subject=task.subject,
            description=task.description,
            active_form=task.active_form,
            status=TaskStatus(task.status),
            owner=task.owner,
            blocks=ties.blocks,
            blocked_by=ties.blocked_by,
            metadata=json.loads(task.metadata),
            created_at=iso(task.created_at) or "",
            updated_at=iso(task.updated_at) or "",
            revision=task.revision,
        )


class TodolistResult(Answered):
    """A task (create, update, get), a page of them (list), or what was deleted."""

    id: str | None = Field(default=None, description="td_ and 12 digits")
    external_id: str | None = None
    subject: str | None = None
    description: str | None = None
    active_form: str | None = None
    status: StatusWord | None = None
    owner: str | None = None
    blocks: list[str] | None = Field(default=None, description="the tasks that wait for this one")
    blocked_by: list[str] | None = Field(default=None, description="the tasks that this one waits for")
    metadata: dict[str, Any] | None = None
    created_at: str | None = None
    updated_at: str | None = None
    revision: int | None = None
    items: list[TaskOut] | None = None
    next: str | None = Field(default=None, description="cursor of the next page")
    total: int | None = Field(default=None, description="how many there are on all pages")
    counts: dict[str, int] | None = Field(default=None, description="how many the query finds of each status")
    deleted: bool | int | None = Field(default=None, description="true, or how many were cleared")


@tool("todolist", family="desk", effect=ACTIONS)
def todolist(
    call: Call,
    action: Annotated[
        Literal["create", "update", "list", "get", "delete", "clear_completed"], Field(description="what to do")
    ],
    task_id: Annotated[TaskId | None, Field(description="a task: td_3fa4c1d2e5b6")] = None,
    external_id: ExternalId = None,
    subject: Annotated[
        str | None, Field(min_length=1, max_length=SUBJECT_MOST, description="what is to be done, in a few words")
    ] = None,
    description: Annotated[str | None, Field(max_length=DESCRIPTION_MOST, description="all that it takes")] = None,
    active_form: Annotated[
        str | None, Field(max_length=SUBJECT_MOST, description='said while it is being done: "Running the tests"')
    ] = None,
    status: Annotated[
        StatusWord | None, Field(description="where it stands, pending when it is new; of a list: only these")
    ] = None,
    owner: Annotated[str | None, Field(max_length=OWNER_MOST, description="who does it")] = None,
    blocks: Annotated[
        Tasks, Field(description="the tasks that wait for this one; [] for none, null as they are")
    ] = None,
    blocked_by: Annotated[
        Tasks, Field(description="the tasks that it waits for; [] for none, null as they are")
    ] = None,
    metadata: Annotated[_Metadata | None, Field(description="an object of yours, at most 8 kB as JSON")] = None,
    query: Annotated[
        str | None, Field(max_length=4000, description="a piece of subject, description, active_form or owner")
    ] = None,
    limit: HowMany = 20,
    cursor: Cursor = None,
    revision: Annotated[Revision, Field(description="the revision that you read; refused when it is no longer")] = None,
) -> TodolistResult:
    """Keep the tasks of the work at hand: `create`, `update`, `list`, `get`, `delete`, `clear_completed`.

    Use it for what must be finished, before work of several steps, and keep each status true while you work; update a
    task rather than add a second one. What should expire by itself belongs on the scratchpad, lessons into the diary,
    lasting facts into `remember` or `kg_add`. In a conversation it is the list of that conversation, else your own.
    """
    if action == "list":
        return _listed(call, query or "", status, limit, cursor)
    if action == "clear_completed":
        number = clear_completed(place=Place.of(call.principal))
        return TodolistResult(deleted=number, display=display.cleared(number))
    given = TaskWords(subject, description, active_form, owner, status, external_id, metadata, blocks, blocked_by)
    if action == "create":
        task, made = create_task(place=Place.of(call.principal), given=given)
        return _told(task, display.created if made else display.updated)
    task = _named(call, task_id, external_id, renames=action == "update")
    if action == "update":
        # The name that leads to the task says nothing of it.
        given = given if task_id else replace(given, external_id=None)
        return _told(update_task(task=task, given=given, revision=revision), display.updated)
    if action == "delete":
        delete_task(task=task, revision=revision)
        return TodolistResult(deleted=True, id=f"{PREFIX}{task.ref}", display=display.deleted(task))
    return _told(task, display.whole)


def _named(call: Call, task_id: str | None, external_id: str | None, *, renames: bool) -> TodoTask:
    """By one of its names. ``renames``: beside the reference the other one is what the task is called from now on."""
    if task_id is not None and (external_id is None or renames):
        return find_task(call.principal, task_id)
    if external_id is not None and task_id is None:
        return find_by_external_id(call.principal, external_id)
    raise Invalid(
        "Name the task by task_id or by external_id.",
        fields={
            "task_id": "is required, unless external_id is given",
            "external_id": "is required, unless task_id is given",
        },
    )


def _told(task: TodoTask, words: Callable[[TodoTask], str]) -> TodolistResult:
    shown = TaskOut.of(task, ties_of([task])[task.pk])
    return TodolistResult(**dict(shown), display=words(task))


def _listed(call: Call, query: str, status: str | None, limit: int, cursor: str | None) -> TodolistResult:
    page = list_tasks(
        Place.of(call.principal), query=query, statuses=(status,) if status else (), limit=limit, cursor=cursor
    )
    ties = ties_of(page.tasks)
    return TodolistResult(
        items=[TaskOut.of(task, ties[task.pk]) for task in page.tasks],
        next=page.next,
        total=page.total,
        counts=dict(page.counts),
        display=display.listed(page),
    )
