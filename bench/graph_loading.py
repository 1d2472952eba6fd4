"""A graph of many facts, written past the gate by COPY: items, triples, evidence, periods, entities and their names.

The journal is not loaded, so ``verify_journal`` would refuse such an owner; nothing that is measured reads it.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.test import Client as Browser

from bench.loading import AGENTS, ITEMS, Owner
from bench.words import Writer
from graph.facts.linking import words_of_name
from graph.facts.parts import Parts, normal
from pawflow_web.identity.models import Agent, User, UserClock
from pawflow_web.identity.services import create_token, ensure_owner
from pawflow_web.lib.ids import new_ref
from review.gate.preparing import text_digest
from review.journal.snapshots import words_mac

PREDICATES = ("uses", "knows", "part_of", "depends_on", "mentions", "owns", "located_in", "works_with")
SAMPLES = 600
AGE = timedelta(days=730)
# An entity for so many facts.
FACTS_EACH = 4

_TABLES: dict[str, tuple[str, ...]] = {
    "graph_entity": ("id", "ref", "user_id", "name", "type", "degree"),
    "graph_entityname": ("id", "user_id", "entity_id", "name", "normal"),
    "graph_entityword": ("user_id", "name_id", "word"),
    "review_governanceitem": ITEMS,
    "graph_triple": (
        "item_id", "user_id", "subject_name", "predicate", "object_name", "is_value", "score", "source", "subject_id",
        "object_id", "live", "valid", "counted",
    ),
    "review_evidence": (
        "item_id", "user_id", "origin", "principal", "agent_id", "conversation_id", "turn", "file", "quote", "at",
        "day",
    ),
    "review_believed": ("item_id", "user_id", "known", "valid"),
}  # fmt: skip
_NUMBERED = ("graph_entity", "graph_entityname", "review_governanceitem")
_CHUNK = 20_000
# status, reason, share of all; superseded ones are over
_STATES = (
    ("active", "user_channel", 0.92),
    ("superseded", "superseded", 0.05),
    ("stale", "forgotten", 0.02),
    ("rejected", "rejected", 0.01),
)
_OWN_SHARE = 0.02  # of one agent alone
_VALUE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class _Fact:
    """``last`` is an entity, or None where the fact ends in a value."""

    subject: int
    predicate: str
    last: int | None
    status: str
    reason: str
    agent: int | None

    @property
    def live(self) -> bool:
        return self.status in {"active", "superseded"}

    @property
    def counted(self) -> bool:
        return self.status == "active" and self.last is not None and self.agent is None


def load_graph(name: str, facts: int, seed: int) -> tuple[Owner, int]:
    """An owner with so many facts, the same ones for the same seed, and how many entities these name. The samples of
    the owner are names, the best connected first."""
    user, _ = ensure_owner(name)
    tokens = {
        agent: create_token(user=user, agent=agent, origin="user_channel", abilities=["read", "write"])[1]
        for agent in AGENTS
    }
    agents = list(Agent.objects.filter(user=user).order_by("pk").values_list("pk", flat=True))
    loader = _Loader(user, agents, random.Random(seed))
    names = loader.load(facts)
    browser = Browser()
    browser.force_login(user)
    best, every = names[: SAMPLES // 2], max(1, len(names) // (SAMPLES // 2))
    samples = list(dict.fromkeys([*best, *names[::every]]))
    session = browser.cookies["sessionid"].value
    return Owner(user, tokens[AGENTS[0]], session, samples, Writer(seed), ""), len(names)


def refresh_statistics() -> None:
    """What the server's own vacuum would have done by the time an owner has so many rows."""
    with connection.cursor() as cursor:
        for table in (*_TABLES, "identity_userclock"):
            cursor.execute(f"VACUUM (ANALYZE) {table}")


class _Loader:
    def __init__(self, user: User, agents: Sequence[int], source: random.Random) -> None:
        self._user = user
        self._agents = agents
        self._random = source
        self._now = datetime.now(UTC)
        self._tables: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _TABLES}
        self._names: list[str] = []
        self._entities: dict[int, int] = {}

    def load(self, count: int) -> list[str]:
        """Write so many facts. Returns the names that they hold, the best connected first."""
        entities = max(10, count // FACTS_EACH)
        facts = list(self._facts(count, entities))
        self._names = _invented_names(self._random, entities)
        degrees = Counter(end for fact in facts if fact.counted for end in (fact.subject, fact.last))
        live = Counter(end for fact in facts if fact.live for end in (fact.subject, fact.last) if end is not None)
        self._add_entities(sorted(live), degrees)
        first = _next_id("review_governanceitem")
        for number, fact in enumerate(facts):
            self._add(first + number, number + 1, fact, self._now - AGE * (1 - number / count))
            if (number + 1) % _CHUNK == 0:
                self._flush()
        self._flush()
        UserClock.objects.filter(pk=self._user.pk).update(seq=count, number=count, at=self._now)
        for table in _NUMBERED:
            _set_next_id(table)
        return [self._names[entity] for entity, _ in live.most_common()]

    def _facts(self, count: int, entities: int) -> Iterator[_Fact]:
        """No two alike. A few entities stand in very many of them, most in a handful."""
        choose, said = self._random, set[tuple[int, str, int | None]]()
        while len(said) < count:
            is_value = choose.random() < _VALUE_SHARE
            subject = int(entities * choose.random() ** 2)
            predicate = "note" if is_value else choose.choice(PREDICATES)
            last = None if is_value else int(entities * choose.random() ** 3)
            if last == subject or (last is not None and (subject, predicate, last) in said):
                continue
            # Notes say each something else.
            said.add((subject, predicate, -len(said) if last is None else last))
            status, reason, _ = choose.choices(_STATES, [row[2] for row in _STATES])[0]
            agent = choose.choice(self._agents) if choose.random() < _OWN_SHARE else None
            yield _Fact(subject, predicate, last, status, reason, agent)

    def _add_entities(self, live: Sequence[int], degrees: "Counter[int | None]") -> None:
        first, first_name = _next_id("graph_entity"), _next_id("graph_entityname")
        add, user = self._tables, self._user.pk
        for place, entity in enumerate(live):
            pk, name = first + place, self._names[entity]
            self._entities[entity] = pk
            add["graph_entity"].append((pk, new_ref(), user, name, "", degrees[entity]))
            add["graph_entityname"].append((first_name + place, user, pk, name, normal(name)))
            add["graph_entityword"] += [(user, first_name + place, word) for word in words_of_name(name)]
            if (place + 1) % _CHUNK == 0:
                self._flush()
        self._flush()

    def _add(self, pk: int, number: int, fact: _Fact, at: datetime) -> None:
        """Buffer the rows of one fact."""
        user, add = self._user.pk, self._tables
        last = f"Note {number}" if fact.last is None else self._names[fact.last]
        parts = Parts(self._names[fact.subject], fact.predicate, last, fact.last is None)
        retired = None if fact.status == "active" else at + (self._now - at) / 2
        valid = f"[,{retired.isoformat()})" if fact.status == "superseded" and retired else "[,)"
        scope = "agent" if fact.agent else "global"
        add["review_governanceitem"].append((
            pk, new_ref(), number, user, "fact", parts.text, text_digest(parts.text), words_mac(parts.text), scope,
            fact.agent, None, fact.status, fact.reason, 90, "normal", "user_channel", "[]", "", "", valid, "", "", at,
            at, retired, None, at, False, False, 1, number,
        ))  # fmt: skip
        subject = self._entities[fact.subject] if fact.live else None
        far = self._entities[fact.last] if fact.live and fact.last is not None else None
        add["graph_triple"].append((
            pk, user, parts.subject, parts.predicate, parts.object, parts.is_value, 100, "", subject, far, fact.live,
            valid, fact.counted,
        ))  # fmt: skip
        speaker = fact.agent or self._agents[0]
        party = f"agent:{AGENTS[self._agents.index(speaker)]}"
        add["review_evidence"].append((pk, user, "user_channel", party, speaker, None, "", "", "", at, at))
        if fact.live:
            add["review_believed"].append((pk, user, f"[{at.isoformat()},)", valid))

    def _flush(self) -> None:
        with connection.cursor() as cursor:
            for table, rows in self._tables.items():
                columns = ", ".join(f'"{name}"' for name in _TABLES[table])
                with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
                rows.clear()


def _invented_names(source: random.Random, count: int) -> list[str]:
    """Two or three words each, no two alike; the first of them many share."""
    writer = Writer(source.randrange(10**6))
    given, family = writer.words(3000), writer.words(30_000)
    names: dict[str, None] = {}
    while len(names) < count:
        words = [source.choice(given), source.choice(family)]
        if len(names) % 7 == 0:
            words.append(source.choice(family))
        names[" ".join(words).title()] = None
    return list(names)


def _next_id(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")
        return int(cursor.fetchone()[0])


def _set_next_id(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")
