"""Writing tasks. Words are looked through before the owner's clock is taken; under it no two writers meet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.desk.named import nothing_called, require_revision
from memory.desk.places import Place
from memory.desk.words import Said, flags_after, searchable
from memory.models import TaskStatus, TodoTask
from memory.models.todo import DESCRIPTION_MOST, METADATA_MOST, OWNER_MOST, SUBJECT_MOST, TASKS_MOST
from memory.todo.dependencies import PREFIX, tie
from memory.todo.reading import with_external_id
from pawflow_web.identity.clock import Clock, user_clock
from pawflow_web.lib.errors import Conflict, Invalid, LimitReached
from pawflow_web.lib.storable import require_no_secret
from pawflow_web.lib.text import clean, is_blank

_SEARCHED = ("subject", "description", "active_form", "owner")


@dataclass(frozen=True, slots=True)
class TaskWords:
    """What is said of a task; None says nothing. ``blocks`` and ``blocked_by`` are references in the same list."""

    subject: str | None = None
    description: str | None = None
    active_form: str | None = None
    owner: str | None = None
    status: str | None = None
    external_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    blocks: Sequence[str] | None = None
    blocked_by: Sequence[str] | None = None

    @property
    def say_nothing(self) -> bool:
        return all(getattr(self, name) is None for name in self.__slots__)


def create_task(*, place: Place, given: TaskWords) -> tuple[TodoTask, bool]:
    """A new task of the list and True. One with that ``external_id`` is there already: that one, with everything that
    is given but the status, and False.

    Raises:
        Invalid: a value is not acceptable, or nothing visible is to be done.
        LimitReached: the list is full.
    """
    said = _said(given)
    if "subject" not in said.values:
        raise Invalid("A task needs a subject.", fields={"subject": "is required"})
    with user_clock(place.user_id) as clock:
        known = with_external_id(place, given.external_id) if given.external_id else None
        if known is not None:
            said.values.pop("status", None)
            return _changed(known, said, given, clock), False
        if TodoTask.objects.in_list(place).count() >= TASKS_MOST:
            raise LimitReached(
                f"A list holds at most {TASKS_MOST} tasks. Clear what is completed first.", fields={"limit": TASKS_MOST}
            )
        task = TodoTask(
            user_id=place.user_id,
            agent_id=place.agent_id,
            conversation_id=place.conversation_id,
            created_at=clock.at,
            updated_at=clock.at,
        )
        _put(task, said)
        task.save(force_insert=True)
        tie(task, blocks=given.blocks, blocked_by=given.blocked_by)
    return task, True


def update_task(*, task: TodoTask, given: TaskWords, revision: int | None = None) -> TodoTask:
    """Change what is given. ``revision``: that of the task as it was read.

    Raises:
        Invalid: a value is not acceptable, or nothing is given.
        NotFound: the task is gone.
        StaleRevision: it was changed since it was read.
        Conflict: another task of the list has that ``external_id``.
    """
    if given.say_nothing:
        raise Invalid("Nothing to change was given.", fields={"action": "update needs something to change"})
    said = _said(given)
    with user_clock(task.user_id) as clock:
        row = _current(task, revision)
        if given.external_id:
            other = with_external_id(row.place, given.external_id)
            if other is not None and other.pk != row.pk:
                raise Conflict(
                    "Another task of this list has that external_id.", fields={"external_id": f"{PREFIX}{other.ref}"}
                )
        return _changed(row, said, given, clock)


def delete_task(*, task: TodoTask, revision: int | None = None) -> None:
    """Delete it; what waited for it waits no longer. Raises NotFound and StaleRevision as :func:`update_task`."""
    with user_clock(task.user_id):
        _current(task, revision).delete()


def clear_completed(*, place: Place) -> int:
    """Delete every completed task of the list. Returns how many there were."""
    with user_clock(place.user_id):
        _all, each = TodoTask.objects.in_list(place).filter(status=TaskStatus.COMPLETED).delete()
    return each.get(TodoTask._meta.label, 0)


def _current(task: TodoTask, revision: int | None) -> TodoTask:
    row = TodoTask.objects.filter(pk=task.pk).first()
    if row is None:
        raise nothing_called("task", f"{PREFIX}{task.ref}")
    require_revision(row, revision)
    return row


def _said(given: TaskWords) -> Said:
    said = Said()
    if given.subject is not None:
        said.needed_text("subject", given.subject, most=SUBJECT_MOST)
    if given.description is not None:
        said.text("description", given.description, most=DESCRIPTION_MOST, lines=True)
    if given.active_form is not None:
        said.text("active_form", given.active_form, most=SUBJECT_MOST)
    if given.owner is not None:
        said.text("owner", given.owner, most=OWNER_MOST)
    if given.metadata is not None:
        said.json("metadata", given.metadata, most=METADATA_MOST)
    if given.status is not None:
        said.values["status"] = given.status
    if given.external_id is not None:
        said.values["external_id"] = _checked_external_id(given.external_id)
    return said


def _checked_external_id(name: str) -> str:
    if is_blank(name):
        raise Invalid("external_id holds nothing visible.", fields={"external_id": "must hold something visible"})
    require_no_secret(name, field="external_id")
    return clean(name, field="external_id")


def _changed(task: TodoTask, said: Said, given: TaskWords, clock: Clock) -> TodoTask:
    """With a new revision where anything is different from before."""
    changed = tie(task, blocks=given.blocks, blocked_by=given.blocked_by)
    if changed or any(getattr(task, name) != value for name, value in said.values.items()):
        _put(task, said)
        task.updated_at = clock.at
        task.revision += 1
        task.save(force_update=True)
    return task


def _put(task: TodoTask, said: Said) -> None:
    for name, value in said.values.items():
        setattr(task, name, value)
    task.flags = flags_after(task.flags, said.found)
    task.searched = searchable(*(getattr(task, name) for name in _SEARCHED))
