"""What an agent's context shows of its to-do list: what is unfinished, and what was done last."""

from collections.abc import Sequence

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When, Window

from memory.desk.places import Place
from memory.models import TaskStatus, TodoDependency, TodoTask
from memory.models.todo import SHOWN_OF_TASK, TodoQuerySet
from memory.todo.dependencies import PREFIX
from pawflow_web.lib.blocks import Ask, Content, Group, LeftOut, Line

TITLE = "To-do list"
MOST_CHARS = 1500
DONE_MOST = 5
# More lines than fit, of the shortest.
_READ_MOST = 50
_KEPT_UP_TO_DATE = "Yours to finish. Keep it true with todolist:"
_DONE = "Done last:"
_UNFINISHED = "unfinished"
_FLAGGED = Q(flags__has_any_keys=SHOWN_OF_TASK)


def todo(ask: Ask) -> Content | None:
    """The caller's list in its conversation: what is in progress, what is to be done, the last five that were done.

    Tasks in whose words something was found stay out; they count among those that are not shown. Of another day
    nothing is known.
    """
    if ask.at is not None:
        return None
    rows = TodoTask.objects.in_list(Place.of(ask.principal))
    unfinished = list(_unfinished(rows))
    done = rows.filter(~_FLAGGED, status=TaskStatus.COMPLETED).order_by("-updated_at", "-id")[:DONE_MOST]
    flagged = [task for task in unfinished if task.is_flagged]  # type: ignore[attr-defined]  # annotated
    groups = [
        Group(_KEPT_UP_TO_DATE, tuple(_line(task) for task in unfinished if task not in flagged)),
        Group(_DONE, tuple(_line(task) for task in done)),
    ]
    if not any(group.lines for group in groups):
        return None
    number = unfinished[0].number if unfinished else 0  # type: ignore[attr-defined]  # annotated
    return Content(
        tuple(group for group in groups if group.lines),
        foot=lambda shown: _more(number, shown),
        left_out=tuple(LeftOut(f"{PREFIX}{task.ref}", "flagged") for task in flagged),
    )


def _unfinished(rows: TodoQuerySet) -> QuerySet[TodoTask]:
    """In the order in which they are shown, each with ``number``, how many there are of them in all."""
    order = Case(When(_FLAGGED, then=Value(2)), When(status=TaskStatus.IN_PROGRESS, then=Value(0)), default=Value(1))
    before_it = TodoDependency.objects.filter(blocked=OuterRef("pk")).exclude(blocker__status=TaskStatus.COMPLETED)
    return (
        rows.unfinished()
        .annotate(
            number=Window(Count("pk")),
            is_flagged=Case(When(_FLAGGED, then=Value(True)), default=Value(False)),  # noqa: FBT003 - an SQL value
            waits=Exists(before_it),
        )
        .only("ref", "subject", "status")
        .order_by(order, "created_at", "id")[:_READ_MOST]
    )


def _line(task: TodoTask) -> Line:
    reference = f"{PREFIX}{task.ref}"
    waits = ", waits for another" if getattr(task, "waits", False) else ""
    return Line(
        task.subject,
        before=f"- [{task.status}{waits}] ",
        after=f" {reference}",
        ref=reference,
        tier="" if task.status == TaskStatus.COMPLETED else _UNFINISHED,
    )


def _more(number: int, shown: Sequence[Line]) -> str:
    left = number - sum(line.tier == _UNFINISHED for line in shown)
    return f'and {left} more: todolist(action="list") shows them.' if left else ""
