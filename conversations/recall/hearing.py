"""Everyday search as agents ask for it: which conversations are heard, and who spoke in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q, Sum

from conversations.models import TOLD, Conversation, Session, Turn
from conversations.recall.asked import Asked
from conversations.recall.coverage import Coverage
from conversations.recall.everyday import Heard, Ranking, search, turn_of
from conversations.recall.places import Located
from conversations.recall.scopes import Scoped, is_sealed
from pawflow_web.identity.principal import Principal


@dataclass(frozen=True, slots=True)
class Spoken:
    """A found entry, how well it fits, and who told it; of a file, whose sub-agent it is, or the product."""

    located: Located
    score: float
    speaker: str


@dataclass(frozen=True, slots=True)
class Hearing:
    """What was found, the best first. ``entries``: so many were searched; ``sealed``: conversations that nobody can
    search."""

    ranking: Ranking
    coverage: Coverage
    entries: int
    sealed: int

    @property
    def total(self) -> int:
        return len(self.ranking.ranked)

    def page(self, begin: int, end: int) -> list[Spoken]:
        heard = self.ranking.read(begin, end)
        return [Spoken(one.located, one.score, speaker) for one, speaker in zip(heard, _speakers(heard), strict=True)]


def past_sessions(principal: Principal, *, agent: str = "", with_current: bool = False) -> Scoped:
    """Other conversations than the one that the caller is in, unless that is asked for; ``agent``: only those that
    this one took part in."""
    sessions = Session.objects.visible_to(principal)
    here = None if with_current else principal.conversation_id
    if here is not None:
        sessions = sessions.exclude(conversation_id=here)
    if agent:
        sessions = sessions.of_agent(agent)
    return Scoped(sessions, everything=not agent and here is None, sealed=with_current and is_sealed(principal))


def sessions_in(principal: Principal, *, everywhere: bool) -> Scoped | None:
    """The conversation that the caller is in, or all of them; None where that is none."""
    sessions = Session.objects.visible_to(principal)
    if everywhere:
        return Scoped(sessions, everything=True)
    if principal.conversation_id is None:
        return None
    return Scoped(sessions.filter(conversation_id=principal.conversation_id), sealed=is_sealed(principal))


def hear(
    principal: Principal, where: Scoped, asked: Asked, *, run: str | None = None, most_of_each: int | None = None
) -> Hearing:
    """Search these sessions; ``run``: only what was told in it; ``most_of_each``: hits of one conversation."""
    coverage = where.coverage("active")
    ranking = search(principal.user_id, where, asked, coverage, run=run).few_of_each(most_of_each)
    entries = where.sessions.order_by().aggregate(Sum("active_entries"))["active_entries__sum"] or 0
    sealed = Conversation.objects.visible_to(principal).filter(encrypted=True, turns__gt=0).count()
    return Hearing(ranking, coverage, entries, sealed)


def _speakers(heard: Sequence[Heard]) -> list[str]:
    told = [turn_of(one.located) for one in heard if one.located.session.kind == TOLD]
    wanted = [Q(run__name=run, number=number) for run, _, number in (name.rpartition(":") for name in told)]
    owners = {one.located.session.user_id for one in heard}
    turns = Turn.objects.filter(reduce(or_, wanted, Q(pk__in=())), user_id__in=owners).select_related("run", "agent")
    names = {str(turn): turn.agent.name if turn.agent else turn.principal for turn in turns}
    return [names.get(turn_of(one.located)) or _of_file(one.located.session) for one in heard]


def _of_file(session: Session) -> str:
    return session.state.get("agent") or session.kind
