"""What may be read of diaries, and by whom."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Left

from memory.models import Diary, DiaryEntry, DiaryFlag
from memory.models.diary import NEWEST_FIRST
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.paging import Page, Pager

# So much of an entry stands in a list.
LIST_CHARS = 1000
# So many diaries are told apart at a time; more than anybody keeps in mind.
DIARIES_MOST = 100
# In the list of agents to read, every one.
ALL = "*"


def find_entry(principal: Principal, reference: str) -> DiaryEntry:
    """The entry with its agent and its conversation. Raises :class:`NotFound` for one that is not there and for one
    that the caller may not read."""
    rows = DiaryEntry.objects.visible_to(principal).referred_to(reference)
    entry = rows.select_related("agent", "conversation").first()
    if entry is None:
        raise NotFound(f"There is no diary entry {ascii(reference)[:40]}.")
    return entry


def list_entries(
    principal: Principal,
    *,
    agents: Sequence[str] | None = None,
    entry_type: str | None = None,
    before: datetime | None = None,
    waiting: bool = False,
    limit: int,
    cursor: str | None = None,
) -> Page[DiaryEntry]:
    """Entries with their agents, newest first. ``text`` is not read with them: ``beginning`` has its first
    :data:`LIST_CHARS` characters, and one more where there are more.

    Args:
        agents: whose, by name; :data:`ALL`: of everybody that the caller may read; None: an agent's own, a person's
            all. A diary that is closed or does not exist has nothing in it.
        before: only what was written before that moment.
        waiting: only what is kept out of contexts.

    Raises :class:`~pawflow_web.lib.errors.Invalid` for a cursor of another list.
    """
    rows = DiaryEntry.objects.visible_to(principal).select_related("agent")
    question = {"agents": agents, "type": entry_type, "before": before, "waiting": waiting}
    if agents is None and not principal.is_person:
        rows = rows.filter(agent=principal.agent_id)
    elif agents is not None and ALL not in agents:
        rows = rows.filter(agent__name__in=agents)
    if entry_type is not None:
        rows = rows.filter(type=entry_type)
    if before is not None:
        rows = rows.filter(created_at__lt=before)
    if waiting:
        rows = rows.filter(admitted=False)
    rows = rows.defer("text").annotate(beginning=Left("text", LIST_CHARS + 1))
    pager = Pager.of("diary", [principal.user_id, principal.kind, principal.agent_id], question)
    return pager.page(rows, order=NEWEST_FIRST, limit=limit, cursor=cursor)


def is_kept_back(entry: DiaryEntry, principal: Principal) -> bool:
    """Whether its words stay out of the answer: something in them is aimed at agents, and no person let them in."""
    return DiaryFlag.INJECTION in entry.flags and not entry.admitted and not principal.is_person


def diaries_of(principal: Principal) -> list[Agent]:
    """A person's agents that have written something or whose diary is closed, by name; with ``latest``, the number of
    their last entry, and ``closed``."""
    last = DiaryEntry.objects.filter(agent=OuterRef("pk")).order_by(*NEWEST_FIRST).values("pk")[:1]
    agents = Agent.objects.of_owner(principal.user_id).annotate(
        latest=Subquery(last), closed=Exists(Diary.objects.filter(agent=OuterRef("pk"), closed=True))
    )
    return list(agents.filter(Q(latest__isnull=False) | Q(closed=True))[:DIARIES_MOST])
