"""What the to-do panel shows: the rows of a list, a task to be changed, and how two versions of it differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.models import TaskStatus, TodoTask
from memory.models.todo import SHOWN_OF_TASK
from memory.pages.desk import Desk, address, desk_of, found_words
from memory.pages.todo.forms import LABELS, STATUS_WORDS, TaskForm
from memory.todo.dependencies import PREFIX, Ties, ties_of
from memory.todo.reading import list_tasks
from pawflow_web.web.templatetags.pawflow import thousands

ROWS = 25
# So many others are offered to wait for, the last changed first.
_OTHERS_MOST = 100
_OPEN = "open"
_SHOWN: Mapping[str, tuple[str | Promise, tuple[str, ...]]] = {
    _OPEN: (gettext_lazy("Open"), (TaskStatus.PENDING.value, TaskStatus.IN_PROGRESS.value)),
    TaskStatus.IN_PROGRESS.value: (gettext_lazy("In progress"), (TaskStatus.IN_PROGRESS.value,)),
    TaskStatus.PENDING.value: (gettext_lazy("To do"), (TaskStatus.PENDING.value,)),
    TaskStatus.COMPLETED.value: (gettext_lazy("Done"), (TaskStatus.COMPLETED.value,)),
    "any": (gettext_lazy("All"), ()),
}
_IN_ORDER = (TaskStatus.IN_PROGRESS.value, TaskStatus.PENDING.value, TaskStatus.COMPLETED.value)
_ICONS = {TaskStatus.PENDING.value: "dot", TaskStatus.IN_PROGRESS.value: "half", TaskStatus.COMPLETED.value: "check"}


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as a line. ``waits_for`` are the tasks to be finished before it, reference and subject; ``found`` is what
    was found in its words, ``ticked`` the status that ticking it off gives it."""

    task: TodoTask
    waits_for: Sequence[tuple[str, str]]
    found: Sequence[str]

    @property
    def reference(self) -> str:
        return f"{PREFIX}{self.task.ref}"

    @property
    def kept_out(self) -> bool:
        return not self.task.flags.keys().isdisjoint(SHOWN_OF_TASK)

    @property
    def icon(self) -> str:
        return _ICONS[self.task.status]

    @property
    def status(self) -> str | Promise:
        return STATUS_WORDS[self.task.status]

    @property
    def done(self) -> bool:
        return self.task.status == TaskStatus.COMPLETED

    @property
    def ticked(self) -> str:
        return TaskStatus.PENDING.value if self.done else TaskStatus.COMPLETED.value

    @property
    def begun(self) -> bool:
        return self.task.status == TaskStatus.IN_PROGRESS


@dataclass(frozen=True, slots=True)
class TaskList:
    """One page of a list. ``more`` is the address of the next page, ``found`` how many the words find whatever their
    status."""

    desk: Desk
    rows: Sequence[TaskRow]
    selects: Sequence[Mapping[str, Any]]
    sentence: str
    q: str
    more: str
    found: int
    completed: int

    @property
    def bare(self) -> str:
        """The list without anything that narrows it."""
        return address("todo", self.desk)

    @property
    def whole(self) -> str:
        """The same words in whatever status."""
        return address("todo", self.desk, ("status", "any"), *([("q", self.q)] if self.q else []))


def task_list(request: HttpRequest, given: QueryDict) -> TaskList:
    """The page that ``given`` asks for. Raises NotFound for a list that is not the person's."""
    desk = desk_of(request, given, TodoTask.objects.all())
    q = given.get("q", "").strip()
    chosen = given.get("status", "") if given.get("status", "") in _SHOWN else _OPEN
    statuses = _SHOWN[chosen][1]
    page = list_tasks(desk.place, query=q, statuses=statuses, limit=ROWS, cursor=given.get("cursor") or None)
    asked = [pair for pair in (("status", chosen if chosen != _OPEN else ""), ("q", q)) if pair[1]]
    select = {
        "name": "status",
        "label": _("Status"),
        "value": chosen,
        "options": [(k, v[0]) for k, v in _SHOWN.items()],
    }
    return TaskList(
        desk=desk,
        rows=rows_of(page.tasks),
        selects=[*desk.selects, select],
        sentence=_sentence(page.counts),
        q=q,
        more=address("todo", desk, *asked, ("cursor", page.next)) if page.next else "",
        found=sum(page.counts.values()),
        completed=page.counts[TaskStatus.COMPLETED],
    )


def rows_of(tasks: Sequence[TodoTask]) -> list[TaskRow]:
    ties = ties_of(tasks)
    return [_row(task, ties[task.pk]) for task in tasks]


def task_form(task: TodoTask, given: QueryDict | None = None) -> TaskForm:
    """The form of a task, filled with what was typed or with what is there."""
    ties = ties_of([task])[task.pk]
    initial = {name: getattr(task, name) for name in TaskForm.COMPARED if name != "blocked_by"}
    initial |= {"revision": task.revision, "blocked_by": ties.blocked_by}
    return TaskForm(given, initial=initial, others=_others(task, ties), auto_id="task-%s")


def differences(task: TodoTask, form: TaskForm) -> list[tuple[str | Promise, str]]:
    """What is stored now where it differs from what was typed: the name of the field, and the words there."""
    stored: Mapping[str, Any] = task_form(task).initial
    differing: list[tuple[str | Promise, str]] = []
    for name in TaskForm.COMPARED:
        typed = form.cleaned_data.get(name, stored[name])
        if set(typed) != set(stored[name]) if name == "blocked_by" else typed != stored[name]:
            differing.append((LABELS[name], _told(name, stored[name])))
    return differing


def _told(name: str, value: Any) -> str:
    if name == "status":
        return str(STATUS_WORDS[value])
    return ", ".join(value) if isinstance(value, list) else str(value)


def _row(task: TodoTask, ties: Ties) -> TaskRow:
    return TaskRow(task, list(ties.unfinished.items()), found_words(task.flags, LABELS))


def _others(task: TodoTask, ties: Ties) -> list[tuple[str, str]]:
    """What a task may be told to wait for: what is unfinished in its list, and what it waits for already."""
    rows = TodoTask.objects.in_list(task.place).exclude(pk=task.pk).order_by("-updated_at", "-id")
    waited_for = [reference.removeprefix(PREFIX) for reference in ties.blocked_by]
    offered = {row.ref: row.subject for row in rows.unfinished().only("ref", "subject")[:_OTHERS_MOST]}
    offered |= {row.ref: row.subject for row in rows.filter(ref__in=waited_for).only("ref", "subject")}
    return [(f"{PREFIX}{ref}", subject) for ref, subject in offered.items()]


def _sentence(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    told = [f"{thousands(counts[name])} {STATUS_WORDS[name]}" for name in _IN_ORDER if counts[name]]
    head = ngettext("%(number)s task", "%(number)s tasks", total) % {"number": thousands(total)}
    return f"{head}: {', '.join(told)}" if told else head
