"""A corpus as conversations in the scratch database, and its questions asked of everyday search, with some or all of
what it ranks by."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from bench.corpus import Question, Row, entries
from bench.retrieval import DEPTH_SAID, SAID
from conversations.models import Session
from conversations.recall.asked import Asked
from conversations.recall.everyday import WEIGHTS, Weights, search, turn_of
from conversations.recall.index import catch_up
from conversations.recall.scopes import Scoped
from conversations.record.telling import NewStep, NewTurn, tell_turns
from conversations.services import create_conversation
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import create_token, ensure_owner

_AGENT = "bench"
# Turns of a conversation in one telling.
_TOGETHER = 200
# From one field alone to all that it ranks by, each with what the one before has.
COMBINATIONS: dict[str, Weights] = dict(
    zip(
        SAID,
        (
            Weights(stems=0, exact=1, previous=0, following=0, session=0, author=False),
            Weights(exact=0, previous=0, following=0, session=0, author=False),
            Weights(previous=0, following=0, session=0, author=False),
            Weights(session=0, author=False),
            Weights(author=False),
            WEIGHTS,
        ),
        strict=True,
    )
)


@dataclass(slots=True)
class Told:
    """What became of the rows: numbers that stand for the turns, by the ids of rows and of sessions, and the ids of
    each."""

    principal: Principal
    questions: list[Question] = field(default_factory=list)
    beliefs: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    names: dict[int, list[str]] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)


def load(path: Path, owner: str) -> Told:
    """Tell every row as a turn of its session, in the order of the file; rows of no session are one of their own."""
    user, _ = ensure_owner(owner)
    _, token = create_token(user=user, agent=_AGENT, origin="user_channel", abilities=["read", "write"])
    told = Told(principal_of_token(f"Bearer {token}"))
    sessions: dict[str, list[Row]] = defaultdict(list)
    with path.open("rb") as stream:
        for _, entry in entries(stream):
            if isinstance(entry, Question):
                told.questions.append(entry)
            elif isinstance(entry, Row):
                sessions[entry.session].append(entry)
    for number, rows in enumerate(sessions.values()):
        _tell(told, f"s{number}", rows)
    while catch_up(told.principal.user_id):
        pass
    return told


def _tell(told: Told, run: str, rows: list[Row]) -> None:
    conversation, _ = create_conversation(principal=told.principal)
    for begin in range(0, len(rows), _TOGETHER):
        some = rows[begin : begin + _TOGETHER]
        turns = [_turn(row) for row in some]
        answer = tell_turns(principal=told.principal, conversation=conversation, run=run, turns=turns)
        for row, ref in zip(some, answer.turns, strict=True):
            number = told.turns[ref] = len(told.turns)
            told.names[number] = [row.id]
            told.outcomes["told"] += 1
            for name in (row.id, row.session):
                if name:
                    told.beliefs[name].add(number)


def _turn(row: Row) -> NewTurn:
    """Whoever is called assistant is one; everybody else is a person."""
    role = "assistant" if row.speaker.lower() == "assistant" else "user"
    return NewTurn(role, [NewStep("message", json.dumps({"kind": "message", "content": row.text}))])


def found_by(mode: str, told: Told, question: Question) -> list[int] | None:
    """At most :data:`DEPTH_SAID` turns, best first; None for a question about another day, which is no question about
    what was said."""
    if question.as_of is not None:
        return None
    where = Scoped(Session.objects.visible_to(told.principal), everything=True)
    asked = Asked(query=question.text)
    ranking = search(told.principal.user_id, where, asked, where.coverage("active"), weights=COMBINATIONS[mode])
    return [told.turns[turn_of(one.located)] for one in ranking.read(0, DEPTH_SAID)]
