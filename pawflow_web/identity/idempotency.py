"""A write with an ``Idempotency-Key`` happens once, and its retry gets the first reply again.

The key's row is the first statement of the write's own transaction: of two retries at once the second waits
for the first and then reads its reply. What failed leaves no row, so that it can be tried again.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.crypto import keyed_digest, seal, unseal
from pawflow_web.lib.db import execute, translated_commit
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.lib.text import clean

LONGEST_KEY = 200
_PURPOSE = "idempotent reply"

# A row older than a day is taken over as if it were not there.
_CLAIM = """
INSERT INTO identity_idempotentreply AS kept (user_id, caller, key, body_digest, status, body, at)
VALUES (%s, %s, %s, %s, 0, '', now())
ON CONFLICT (user_id, caller, key) DO UPDATE
SET body_digest = excluded.body_digest, status = 0, body = '', at = excluded.at
WHERE kept.at < now() - interval '24 hours'
RETURNING id
"""
_KEEP = "UPDATE identity_idempotentreply SET status = %s, body = %s WHERE id = %s"
_READ = """
SELECT body_digest, status, body FROM identity_idempotentreply WHERE user_id = %s AND caller = %s AND key = %s
"""
_FORGET_OLD = "DELETE FROM identity_idempotentreply WHERE at < now() - interval '24 hours'"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it is kept: its status, its body as text, and whether it is a repetition."""

    status: int
    body: str
    replayed: bool = False


class _NotKeptError(Exception):
    """Carries a failed reply out of the transaction that it must not commit."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


def checked_key(header: str) -> str:
    """What is kept of the key in an ``Idempotency-Key`` header: a digest, since clients put all sorts of things
    into it. Raises :class:`Invalid` unless it has 1 to 200 characters."""
    key = clean(header, field="Idempotency-Key").strip()
    if not 1 <= len(key) <= LONGEST_KEY:
        raise Invalid(
            f"Idempotency-Key has {len(key)} characters; it must have 1 to {LONGEST_KEY}.",
            fields={"Idempotency-Key": f"must have 1 to {LONGEST_KEY} characters"},
        )
    return keyed_digest("idempotency", key)


def digest_of(*parts: str | bytes) -> str:
    """64 hex digits over everything that makes two requests the same; part borders count."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()


def once(principal: Principal, key: str, digest: str, write: Callable[[], Reply]) -> Reply:
    """Run ``write`` unless a reply is kept under ``key``, which is then given again.

    Args:
        digest: of the request; see :func:`digest_of`.

    Raises:
        Conflict: the key was used for another request (``idempotency_mismatch``), or something the write
            refers to vanished before the commit.
    """
    caller = principal.token_ref or "session"
    try:
        # What vanished shows here and not in the service, whose transaction this one encloses.
        with translated_commit():
            claimed = execute(_CLAIM, [principal.user_id, caller, key, digest])
            if not claimed:
                return _kept(principal.user_id, caller, key, digest)
            reply = write()
            if reply.status >= 400:
                raise _NotKeptError(reply)
            execute(_KEEP, [reply.status, seal(_PURPOSE, reply.body), claimed[0][0]])
            return reply
    except _NotKeptError as failed:
        return failed.reply


def forget_old_replies() -> None:
    """Drop every reply older than a day."""
    execute(_FORGET_OLD)


def _kept(user_id: int, caller: str, key: str, digest: str) -> Reply:
    rows = execute(_READ, [user_id, caller, key])
    if not rows:
        # Forgotten between our two statements: the caller cannot know whether the first attempt counted.
        raise Conflict("The first reply is gone. Look before you send this again.", code="idempotency_mismatch")
    body_digest, status, body = rows[0]
    if body_digest != digest:
        raise Conflict(
            "This Idempotency-Key belongs to another request of the last 24 hours. Use a new one.",
            code="idempotency_mismatch",
            fields={"Idempotency-Key": "belongs to another request"},
        )
    return Reply(status, unseal(_PURPOSE, body), replayed=True)
