"""What a decision would change for the owner's agents: it is made, looked at, and taken back before anybody sees it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from review import lifecycle
from review.journal.acts import Act, act
from review.lifecycle.preview_sentences import Sentence, Turn, sentences
from review.models import GovernanceItem, Status
from review.readership.audience import Audience
from review.search.find import by_reference
from review.transitions import check_transition


@dataclass(frozen=True, slots=True)
class Seen:
    """That an agent may read a belief, named by its reference."""

    agent: str
    ref: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What follows from a decision. ``sentences`` go on after "If you accept:"; ``agents`` are those for whom
    anything changes."""

    sentences: tuple[Sentence, ...]
    agents: tuple[str, ...]
    gains: tuple[Seen, ...]
    loses: tuple[Seen, ...]


Decide = Callable[..., Any]
_DECISIONS: Mapping[str, Decide] = {
    "accept": lifecycle.accept,
    "reject": lifecycle.reject,
    "restore": lifecycle.restore,
    "forget": lifecycle.forget,
    "end": lifecycle.end,
    "undo": lifecycle.undo,
}
VERBS = (*_DECISIONS, "correct")


def preview(*, principal: Principal, reference: str, verb: str, demote: str | None = None) -> Preview:
    """Make the decision under the owner's clock, see who reads what, and take everything back.

    Args:
        verb: one of :data:`VERBS`. For ``correct`` the new words are taken to be as harmless as the old ones.
        demote: as for :func:`~review.lifecycle.deciding.accept`.

    Raises what the decision would raise, and :class:`Invalid` for another verb.
    """
    principal.require_person()
    if verb not in VERBS:
        raise Invalid(f"{ascii(verb)[:40]} has no preview.", fields={"verb": f"must be one of {', '.join(VERBS)}"})
    try:
        with act(principal) as current:
            raise _Rehearsed(_rehearse(current, principal, reference, verb, demote))
    except _Rehearsed as done:
        return done.preview


class _Rehearsed(Exception):
    """Carries the answer out of the transaction, which ends with it: nothing of it is kept."""

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview


class _TakenBack(Exception):
    """Ends the savepoint of the decision."""


def _rehearse(current: Act, principal: Principal, reference: str, verb: str, demote: str | None) -> Preview:
    subject = by_reference(GovernanceItem.objects.visible_to(principal), reference)
    audience = Audience.of(principal, subject)
    after: dict[int, GovernanceItem] = {}
    try:
        with current.savepoint():
            decide = _decision(subject, verb, demote)
            if decide is not None:
                decide(principal=principal, reference=reference)
            after = _look({subject.pk, *current.touched}, audience)
            raise _TakenBack
    except _TakenBack:
        before = _look(after, audience)
    turns = [
        Turn(before[pk], after[pk], audience.reading(before[pk]), audience.reading(after[pk]))
        for pk in sorted(after, key=lambda pk: pk != subject.pk)
        if pk in before
    ]
    gains = tuple(Seen(name, turn.after.ref) for turn in turns for name in turn.gained)
    loses = tuple(Seen(name, turn.after.ref) for turn in turns for name in turn.lost)
    told = sentences(verb, turns, current.clock.at, principal.zone, has_agents=bool(audience.agents))
    return Preview(told, tuple(sorted({seen.agent for seen in (*gains, *loses)})), gains, loses)


def _decision(subject: GovernanceItem, verb: str, demote: str | None) -> Decide | None:
    if verb == "correct":
        check_transition(subject.status, "correct", Status.SUPERSEDED)
        # New words in use are read by whoever reads the old ones; words that wait come into use as if accepted.
        return None if subject.status == Status.ACTIVE else lifecycle.accept
    if verb == "accept":
        return partial(lifecycle.accept, demote=demote)
    return _DECISIONS[verb]


def _look(ids: Iterable[int], audience: Audience) -> dict[int, GovernanceItem]:
    """The rows, each with which agents may recall it: one statement for all of them."""
    rows = GovernanceItem.objects.filter(pk__in=list(ids)).select_related("supersedes")
    return {row.pk: row for row in rows.annotate(**audience.columns())}
