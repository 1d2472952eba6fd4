"""Tasks by reference and by list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from memory.desk.named import nothing_called, ref_of
from memory.desk.places import RECENT_FIRST, Place
from memory.desk.words import folded
from memory.models import TaskStatus, TodoTask
from memory.todo.dependencies import PREFIX
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.text import clean


@dataclass(frozen=True, slots=True)
class TaskPage:
    """``counts``: how many the words find of each status; ``total``: how many of those statuses that are asked for."""

    tasks: Sequence[TodoTask]
    next: str | None
    total: int
    counts: Mapping[str, int]


def find_task(principal: Principal, reference: str) -> TodoTask:
    """By ``td_`` and its digits. Raises :class:`NotFound` for what is not the caller's as for what never was."""
    task = TodoTask.objects.visible_to(principal).filter(ref=ref_of(PREFIX, reference)).first()
    if task is None:
        raise nothing_called("task", reference)
    return task


def find_by_external_id(principal: Principal, external_id: str) -> TodoTask:
    """By the client's own name, in the list that the call is about. Raises :class:`NotFound`."""
    task = with_external_id(Place.of(principal), external_id)
    if task is None:
        raise NotFound(f"There is no task called {ascii(external_id)[:100]} in this list.")
    return task


def with_external_id(place: Place, external_id: str) -> TodoTask | None:
    name = clean(external_id, field="external_id")
    return TodoTask.objects.in_list(place).filter(external_id=name).first() if name else None


def list_tasks(
    place: Place, *, query: str = "", statuses: Sequence[str] = (), limit: int, cursor: str | None = None
) -> TaskPage:
    """The list, the last changed first: those with these words in any letter case, of one of these statuses.

    Raises :class:`Invalid` for a cursor of another list or question.
    """
    words = folded(clean(query, field="query").strip())
    pager = Pager.of("todo", place, {"query": words, "statuses": sorted(statuses)})
    rows = TodoTask.objects.in_list(place)
    if words:
        rows = rows.filter(searched__contains=words)
    counted = rows.order_by().values_list("status").annotate(number=Count("pk"))
    counts = dict.fromkeys(TaskStatus.values, 0) | dict(counted)
    if statuses:
        rows = rows.filter(status__in=statuses)
    page = pager.page(rows.defer("searched"), order=RECENT_FIRST, limit=limit, cursor=cursor)
    total = sum(number for status, number in counts.items() if not statuses or status in statuses)
    return TaskPage(page.rows, page.next, total, counts)
