"""What the journal keeps of an item: everything that can change, and digests in place of words."""

import hashlib
import json
import secrets
from datetime import datetime
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.lib.crypto import keyed_digest
from pawflow_web.lib.periods import iso
from review.kinds import kind_of
from review.models import GovernanceItem

Snapshot = dict[str, Any]


def words_mac(text: str, parts: tuple[str, ...] = ()) -> str:
    """The keyed digest of exact words, in the journal's place for them."""
    return keyed_digest("words", json.dumps([text, *parts], ensure_ascii=True))


def snapshot(item: GovernanceItem) -> Snapshot:
    """The changeable state of an item and its facet, as JSON values. References are public refs, so that a
    dump restored under other row ids still verifies."""
    return {
        "status": str(item.status),
        "reason": item.reason,
        "confidence": item.confidence,
        "privacy": str(item.privacy),
        "scope": str(item.scope),
        "scope_agent": item.scope_agent.name if item.scope_agent else None,
        "scope_conversation": item.scope_conversation.ref if item.scope_conversation else None,
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


def payload_digest(salt: str, body: str, note: str) -> str:
    return hashlib.sha256(f"{salt}\n{body}\n{note}".encode()).hexdigest()


def entry_hash(
    *,
    prev: str,
    seq: int,
    decision: int,
    item_ref: str,
    event: str,
    verb: str,
    actor: tuple[str, str, str],
    reason: str,
    undoes: int | None,
    moved: bool,
    at: datetime,
    digest: str,
) -> str:
    """The seal of one entry over its header, its payload's digest and the seal before it."""
    header = [seq, decision, item_ref, event, verb, *actor, reason, undoes, moved, iso(at), digest]
    return hashlib.sha256(f"{prev}\n{canonical(header)}".encode()).hexdigest()
