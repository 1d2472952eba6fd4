"""Which task waits for which. ``blocks`` and ``blocked_by`` are the same rows, seen from both ends."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from memory.desk.named import ref_of
from memory.models import TaskStatus, TodoDependency, TodoTask
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Invalid

PREFIX = "td_"
NAMED_MOST = 100  # in one call

_WAITS_FOR_ITSELF = """
WITH RECURSIVE later(id) AS (
  SELECT blocked_id FROM memory_tododependency WHERE blocker_id = %(id)s
  UNION
  SELECT d.blocked_id FROM memory_tododependency d JOIN later ON d.blocker_id = later.id)
SELECT 1 FROM later WHERE id = %(id)s
"""


@dataclass(slots=True)
class Ties:
    """The references of the tasks that wait for one, and of those that it waits for; in the order of their making.
    ``unfinished``: those of the latter that are not completed, each with its subject."""

    blocks: list[str] = field(default_factory=list)
    blocked_by: list[str] = field(default_factory=list)
    unfinished: dict[str, str] = field(default_factory=dict)


def ties_of(tasks: Iterable[TodoTask]) -> Mapping[int, Ties]:
    """Of each task by its row id, in one statement."""
    ids = {task.pk for task in tasks}
    ties: defaultdict[int, Ties] = defaultdict(Ties)
    rows = TodoDependency.objects.filter(Q(blocker__in=ids) | Q(blocked__in=ids)).order_by("pk")
    columns = ("blocker_id", "blocker__ref", "blocker__subject", "blocker__status", "blocked_id", "blocked__ref")
    for blocker, first, subject, status, blocked, then in rows.values_list(*columns):
        ties[blocker].blocks.append(f"{PREFIX}{then}")
        ties[blocked].blocked_by.append(f"{PREFIX}{first}")
        if status != TaskStatus.COMPLETED:
            ties[blocked].unfinished[f"{PREFIX}{first}"] = subject
    return ties


def tie(task: TodoTask, *, blocks: Sequence[str] | None, blocked_by: Sequence[str] | None) -> bool:
    """Let the task block and wait for these tasks of its list and no others; None leaves a side as it is. Returns
    whether anything changed. Only under the owner's clock: two writers could close a circle between them.

    Raises :class:`Invalid`, naming the side: a task is unknown, is the task itself, or would wait for itself.
    """
    changed = False
    if blocks is not None:
        wanted = _named(task, blocks, "blocks")
        changed |= _set([(task.pk, pk) for pk in wanted], TodoDependency.objects.filter(blocker=task))
    if blocked_by is not None:
        wanted = _named(task, blocked_by, "blocked_by")
        changed |= _set([(pk, task.pk) for pk in wanted], TodoDependency.objects.filter(blocked=task))
    if changed and execute(_WAITS_FOR_ITSELF, {"id": task.pk}):
        sides = [name for name, given in (("blocks", blocks), ("blocked_by", blocked_by)) if given]
        raise Invalid(
            "So the task would wait for itself.", fields=dict.fromkeys(sides, "would make the task wait for itself")
        )
    return changed


def _named(task: TodoTask, names: Sequence[str], side: str) -> list[int]:
    """The row ids of the tasks, each once."""
    refs = [ref_of(PREFIX, name) for name in names]
    known = dict(TodoTask.objects.in_list(task.place).filter(ref__in=refs).values_list("ref", "pk"))
    for index, ref in enumerate(refs):
        if known.get(ref) == task.pk:
            raise _refused(side, index, "is the task itself")
        if ref not in known:
            raise _refused(side, index, "is no task of this list")
    return list(dict.fromkeys(known[ref] for ref in refs))


def _refused(side: str, index: int, why: str) -> Invalid:
    path = f"{side}.{index}"
    return Invalid(f"{path} {why}.", fields={path: why})


def _set(wanted: Collection[tuple[int, int]], rows: QuerySet[TodoDependency]) -> bool:
    there = {(row.blocker_id, row.blocked_id): row.pk for row in rows}
    gone = [pk for pair, pk in there.items() if pair not in wanted]
    new = [pair for pair in wanted if pair not in there]
    if gone:
        TodoDependency.objects.filter(pk__in=gone).delete()
    TodoDependency.objects.bulk_create(TodoDependency(blocker_id=first, blocked_id=then) for first, then in new)
    return bool(gone or new)
