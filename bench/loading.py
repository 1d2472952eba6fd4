"""Owners with many beliefs, written past the gate by COPY: items, facets, evidence, periods and refusals.

The journal is not loaded, so ``verify_journal`` would refuse such an owner; nothing that is measured reads it.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.test import Client as Browser

from bench.words import Note, Writer
from conversations.models import Conversation
from conversations.services import create_conversation, create_project
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.models import Agent, User, UserClock
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import create_token, ensure_owner, update_agent
from pawflow_web.lib.ids import new_ref
from review.gate.preparing import text_digest
from review.journal.snapshots import words_mac
from review.kinds import kind_named
from review.models import KindName

AGENTS = ("coder", "writer", "tester")
# of these the one whose context has the form by project
SCOPED = "tester"
SAMPLES = 600
AGE = timedelta(days=730)
PINNED = 0.0002

ITEMS = (
    "id", "ref", "number", "user_id", "kind", "text", "text_digest", "words_mac", "scope", "scope_agent_id",
    "scope_conversation_id", "status", "reason", "confidence", "privacy", "origin", "flags", "tier", "exclusive_key",
    "valid", "valid_from_precision", "valid_to_precision", "recorded_at", "updated_at", "retired_at", "expires_at",
    "last_seen_at", "pinned", "decided", "revision", "changed_seq",
)  # fmt: skip
_TABLES: dict[str, tuple[str, ...]] = {
    "review_governanceitem": ITEMS,
    "memory_memory": ("item_id", "category", "tags", "importance", "durability"),
    "review_evidence": (
        "item_id", "user_id", "origin", "principal", "agent_id", "conversation_id", "turn", "file", "quote", "at",
        "day",
    ),
    "review_believed": ("item_id", "user_id", "known", "valid"),
    "review_tombstone": ("ref", "user_id", "item_id", "item_ref", "scope", "digest", "by", "at", "hits"),
}  # fmt: skip
_CHUNK = 20_000
# status, reason, origin, share of all
_STATES = (
    ("active", "user_channel", "user_channel", 0.88),
    ("needs_review", "automation_review", "automation", 0.05),
    ("stale", "forgotten", "user_channel", 0.03),
    ("rejected", "rejected", "automation", 0.02),
    ("superseded", "superseded", "user_channel", 0.02),
)
_SCOPES = (("global", 0.70), ("agent", 0.20), ("conversation", 0.07), ("private", 0.03))


@dataclass(frozen=True, slots=True)
class Owner:
    """Who the clients speak for. ``samples`` are texts that the token's agent may recall; ``conversation`` is one of
    several in several projects."""

    user: User
    token: str
    session: str
    samples: Sequence[str]
    writer: Writer
    conversation: str


def load_owner(name: str, rows: int, seed: int) -> Owner:
    """An owner with so many beliefs; the same ones for the same seed."""
    user, _ = ensure_owner(name)
    tokens = {agent: create_token(user=user, agent=agent, origin="user_channel", abilities=["read", "write"])[1]
              for agent in AGENTS}  # fmt: skip
    update_agent(user=user, name=SCOPED, memory_render="scoped")
    principal = principal_of_token(f"Bearer {tokens[AGENTS[0]]}")
    conversations = _conversations(principal)
    agents = list(Agent.objects.filter(user=user).order_by("pk").values_list("pk", flat=True))
    writer = Writer(seed)
    loader = _Loader(user.pk, agents, [talk.pk for talk in conversations], random.Random(seed))
    samples = loader.load(writer, rows)
    browser = Browser()
    browser.force_login(user)
    session = browser.cookies["sessionid"].value
    return Owner(user, tokens[AGENTS[0]], session, samples, writer, conversations[0].ref)


def _conversations(principal: Principal) -> list[Conversation]:
    """Two in each of five projects."""
    projects = [create_project(principal=principal, name=f"Project {n}") for n in range(5)]
    return [
        create_conversation(
            principal=principal, title=f"Talk {n}", external_id=None, project=projects[n % len(projects)]
        )[0]
        for n in range(10)
    ]


def refresh_statistics() -> None:
    """What the server's own vacuum would have done by the time an owner has so many rows."""
    with connection.cursor() as cursor:
        for table in (*_TABLES, "identity_userclock"):
            cursor.execute(f"VACUUM (ANALYZE) {table}")


class _Loader:
    def __init__(self, user_id: int, agents: list[int], conversations: list[int], source: random.Random) -> None:
        self._user_id = user_id
        self._agents = agents
        self._conversations = conversations
        self._random = source
        self._now = datetime.now(UTC)
        self._tables: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _TABLES}

    def load(self, writer: Writer, rows: int) -> list[str]:
        samples: list[str] = []
        every = max(1, rows // (SAMPLES * 2))
        with connection.cursor() as cursor:
            cursor.execute("SELECT coalesce(max(id), 0) FROM review_governanceitem")
            first = cursor.fetchone()[0] + 1
        for n in range(rows):
            readable = self._add(first + n, n + 1, writer.note(), self._now - AGE * (1 - n / rows))
            if readable and n % every == 0 and len(samples) < SAMPLES:
                samples.append(readable)
            if (n + 1) % _CHUNK == 0:
                self._flush()
        self._flush()
        UserClock.objects.filter(pk=self._user_id).update(seq=rows, number=rows, at=self._now)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('review_governanceitem', 'id'), %s)", [first + rows - 1]
            )
        return samples

    def _add(self, pk: int, number: int, note: Note, at: datetime) -> str:
        """Buffer the rows of one belief. Returns its text when every agent of the owner may recall it."""
        choose = self._random
        status, reason, origin, _ = choose.choices(_STATES, [row[3] for row in _STATES])[0]
        scope = choose.choices([row[0] for row in _SCOPES], [row[1] for row in _SCOPES])[0]
        agent = choose.choice(self._agents) if scope in {"agent", "private"} else None
        conversation = choose.choice(self._conversations) if scope in {"conversation", "private"} else None
        readable, in_use = status in {"active", "superseded"}, status == "active"
        retired = None if in_use or status == "needs_review" else at + (self._now - at) / 2
        since = at.isoformat() if choose.random() < 0.1 else ""
        valid = f"[{since},{retired.isoformat()})" if status == "superseded" and retired else f"[{since},)"
        expires = self._now + timedelta(days=choose.randint(2, 300)) if in_use and choose.random() < 0.03 else None
        digest, ref = text_digest(note.text), new_ref()
        privacy = "sensitive" if choose.random() < 0.01 else "normal"
        add = self._tables
        add["review_governanceitem"].append((
            pk, ref, number, self._user_id, "note", note.text, digest, words_mac(note.text), scope, agent,
            conversation, status, reason, 85, privacy, origin, "[]", self._tier(note), "", valid, "", "", at, at,
            retired, expires, at, choose.random() < PINNED, False, 1, number,
        ))  # fmt: skip
        add["memory_memory"].append((pk, note.category, list(note.tags), "medium", "durable"))
        speaker = agent or self._agents[0]
        party = f"agent:{AGENTS[self._agents.index(speaker)]}"
        # Half of what is said is said in a conversation, whoever reads it.
        talk = conversation or (choose.choice(self._conversations) if choose.random() < 0.5 else None)
        add["review_evidence"].append((pk, self._user_id, origin, party, speaker, talk, "", "", "", at, at))
        if readable:
            until = expires.isoformat() if expires else ""
            add["review_believed"].append((pk, self._user_id, f"[{at.isoformat()},{until})", valid))
        if status == "rejected":
            add["review_tombstone"].append((new_ref(), self._user_id, pk, ref, scope, digest, "bench", retired, 0))
        return note.text if in_use and scope == "global" and privacy == "normal" and note.text.isascii() else ""

    @staticmethod
    def _tier(note: Note) -> str:
        return kind_named(KindName.NOTE).tier({"category": note.category, "tags": note.tags})

    def _flush(self) -> None:
        with connection.cursor() as cursor:
            for table, rows in self._tables.items():
                with cursor.copy(f"COPY {table} ({', '.join(_quoted(_TABLES[table]))}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
                rows.clear()


def _quoted(names: Sequence[str]) -> Iterator[str]:
    return (f'"{name}"' for name in names)
