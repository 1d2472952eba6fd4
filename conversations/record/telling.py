"""Telling what was said: turns are appended to a run of a conversation, stored before the call returns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import F

from conversations.models import Conversation, Run, Step, Turn
from conversations.record.sealing import sealed
from conversations.sessions.told import follow_telling
from pawflow_web.identity.clock import Clock, user_clock
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, NotFound

# Rows in one statement.
_STEPS = 500


@dataclass(frozen=True, slots=True)
class NewStep:
    """``raw``: the JSON object as it was sent."""

    kind: str
    raw: str


@dataclass(frozen=True, slots=True)
class NewTurn:
    """``external_id``: the client's own name; told again under it, it is the same turn. ``at``: None for now."""

    role: str
    steps: Sequence[NewStep]
    external_id: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """``turns`` are the references of all that were given, in their order."""

    accepted: int
    duplicates: int
    turns: tuple[str, ...]


def tell_turns(*, principal: Principal, conversation: Conversation, run: str, turns: Sequence[NewTurn]) -> Told:
    """Append turns to a run, all or none. The run begins with its first turn.

    Raises:
        NotFound: the conversation was deleted meanwhile.
        Conflict: the run belongs to another conversation.
    """
    # Sealing is slow work, so it happens before the clock.
    turns = [_sealed(turn) for turn in turns] if conversation.encrypted else turns
    with user_clock(principal.user_id) as clock:
        if not Conversation.objects.filter(pk=conversation.pk).exists():
            raise NotFound(f"The conversation #{conversation.ref} was deleted at the same moment.")
        kept = _run(conversation, run)
        known = _known(conversation, turns)
        new: list[tuple[Turn, NewTurn]] = []
        said = []
        for turn in turns:
            ref = known.get(turn.external_id) if turn.external_id else None
            if ref is None:
                kept.turns += 1
                ref = f"{run}:{kept.turns}"
                known |= {turn.external_id: ref} if turn.external_id else {}
                new.append((_row(clock, principal, kept, turn), turn))
            said.append(ref)
        if new:
            follow_telling(clock, conversation, _store(kept, new))
            changes = {"turns": F("turns") + len(new), "updated_at": clock.at}
            Conversation.objects.filter(pk=conversation.pk).update(**changes)
        return Told(len(new), len(turns) - len(new), tuple(said))


def _sealed(turn: NewTurn) -> NewTurn:
    return replace(turn, steps=[replace(step, raw=sealed(step.raw)) for step in turn.steps])


def _run(conversation: Conversation, name: str) -> Run:
    run = Run.objects.filter(user_id=conversation.user_id, name=name).first()
    run = run or Run(user_id=conversation.user_id, name=name, conversation=conversation)
    if run.conversation_id != conversation.pk:
        raise Conflict(f"The run {name} belongs to another conversation.", fields={"run": "belongs to another one"})
    return run


def _known(conversation: Conversation, turns: Sequence[NewTurn]) -> dict[str, str]:
    """Those that were told before, by the client's names."""
    names = [turn.external_id for turn in turns if turn.external_id]
    rows = Turn.objects.filter(conversation=conversation, external_id__in=names).select_related("run") if names else ()
    return {row.external_id: str(row) for row in rows}


def _row(clock: Clock, principal: Principal, run: Run, turn: NewTurn) -> Turn:
    return Turn(
        user_id=principal.user_id,
        conversation_id=run.conversation_id,
        run=run,
        number=run.turns,
        external_id=turn.external_id,
        role=turn.role,
        at=turn.at or clock.at,
        recorded_at=clock.at,
        agent_id=principal.agent_id,
        principal=principal.name,
    )


def _store(run: Run, turns: Sequence[tuple[Turn, NewTurn]]) -> list[tuple[Turn, list[Step]]]:
    run.save()
    Turn.objects.bulk_create([row for row, _ in turns])
    stored = [(row, list(_steps(row, turn))) for row, turn in turns]
    Step.objects.bulk_create([step for _, steps in stored for step in steps], batch_size=_STEPS)
    return stored


def _steps(row: Turn, turn: NewTurn) -> Iterator[Step]:
    for number, step in enumerate(turn.steps, start=1):
        yield Step(turn=row, number=number, kind=step.kind, raw=step.raw)
