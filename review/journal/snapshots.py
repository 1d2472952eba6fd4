"""What the journal keeps of an item: everything that can change, and digests in place of words."""

import hashlib
import json
import secrets
from typing import Any, NamedTuple

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.lib.crypto import keyed_digest
from pawflow_web.lib.periods import iso
from review.kinds import kind_of
from review.models import GovernanceItem, JournalEntry

Snapshot = dict[str, Any]


class ScopeNames(NamedTuple):
    """What a scope names, as the journal says it."""

    agent: str | None = None
    conversation: str | None = None

    @classmethod
    def of(cls, item: GovernanceItem) -> "ScopeNames":
        agent, conversation = item.scope_agent, item.scope_conversation
        return cls(agent.name if agent else None, conversation.ref if conversation else None)


def words_mac(text: str, parts: tuple[str, ...] = ()) -> str:
    """The keyed digest of exact words, in the journal's place for them."""
    return keyed_digest("words", json.dumps([text, *parts], ensure_ascii=True))


def snapshot(item: GovernanceItem, names: ScopeNames | None = None) -> Snapshot:
    """The changeable state of an item and its facet, as JSON values. References are public refs, so that a
    dump restored under other row ids still verifies."""
    agent, conversation = names or ScopeNames.of(item)
    return {
        "status": str(item.status),
        "reason": str(item.reason),
        "confidence": item.confidence,
        "privacy": str(item.privacy),
        "scope": str(item.scope),
        "scope_agent": agent,
        "scope_conversation": conversation,
        "exclusive_key": item.exclusive_key,
        "valid": range_value(item.valid),
        "valid_precision": [item.valid_from_precision, item.valid_to_precision],
        "expires_at": iso(item.expires_at),
        "retired_at": iso(item.retired_at),
        "pinned": item.pinned,
        "decided": item.decided,
        "contradicts": item.contradicts.ref if item.contradicts else None,
        "supersedes": item.supersedes.ref if item.supersedes else None,
        "flags": item.flags,
        "words": item.words_mac,
        "facet": kind_of(item).snapshot(item),
    }


def range_value(value: DateTimeTZRange) -> list[str | None] | None:
    """``[lower, upper]`` with None for unbounded, or None for the empty range."""
    return None if value.isempty else [iso(value.lower), iso(value.upper)]


def canonical(value: Any) -> str:
    """One text for one value: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def new_salt() -> str:
    return secrets.token_hex(16)


def payload_digest(salt: str, body: str, comment: str) -> str:
    return hashlib.sha256(f"{salt}\n{body}\n{comment}".encode()).hexdigest()


def seal_of(entry: JournalEntry) -> str:
    """The seal of one entry over its header, its payload's digest and the seal before it."""
    header = [
        entry.seq,
        entry.decision,
        entry.item_ref,
        str(entry.event),
        entry.verb,
        entry.actor_kind,
        entry.actor_name,
        entry.actor_token,
        str(entry.reason),
        entry.undoes,
        entry.moved,
        iso(entry.at),
        entry.payload_digest,
    ]
    return hashlib.sha256(f"{entry.prev}\n{canonical(header)}".encode()).hexdigest()
