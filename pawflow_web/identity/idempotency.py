"""A write with an ``Idempotency-Key`` happens once, and its retry gets the first reply again.

The key's row is the first statement of the write's own transaction: of two retries at once the second waits
for the first and then reads its reply. What failed leaves no row, so that it can be tried again.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.crypto import Unopened, keyed_digest, resealed, seal, unseal
from pawflow_web.lib.db import Row, execute, translated_commit
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
_DROP = "DELETE FROM identity_idempotentreply WHERE id = ANY(%s)"
# The oldest transaction that may still write: what it and later ones write is not seen yet.
_HORIZON = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"
_EVER = "0"
# By who wrote a row and not by its id: one that is still being made has its id already, one taken over keeps it.
_KEPT_OF = """
SELECT id, body FROM identity_idempotentreply
WHERE user_id = %s AND body <> '' AND age(xmin) <= age(%s::text::xid8::xid) AND id > %s ORDER BY id LIMIT 500
"""
_KEPT_OF_ALL = "SELECT id, body FROM identity_idempotentreply WHERE body <> '' AND id > %s ORDER BY id LIMIT 500"
_RESEAL = "UPDATE identity_idempotentreply SET body = %s WHERE id = %s AND body = %s RETURNING id"
_FORGET_OLD = "DELETE FROM identity_idempotentreply WHERE at < now() - interval '24 hours'"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: its status, its body as text, whether it is a repetition, and whether it may be kept for one."""

    status: int
    body: str
    replayed: bool = False
    kept: bool = True


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
    """Run ``write`` unless a reply is kept under ``key``, which is then given again. A reply that may not be kept
    leaves nothing behind: sent again, the request runs again.

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
            if reply.kept:
                execute(_KEEP, [reply.status, seal(_PURPOSE, reply.body), claimed[0][0]])
            else:
                execute(_DROP, [[claimed[0][0]]])
            return reply
    except _NotKeptError as failed:
        return failed.reply


def forget_old_replies() -> None:
    """Drop every reply older than a day."""
    execute(_FORGET_OLD)


@dataclass(frozen=True, slots=True)
class Looked:
    """Which of an owner's replies hold one of ``texts``, of all that were written before ``horizon``."""

    texts: frozenset[str]
    found: tuple[int, ...]
    horizon: str


def look_through_replies(user_id: int, holding: Sequence[str]) -> Looked:
    """Read all the owner's replies, which takes a while: before their clock is taken, for :func:`forget_replies`."""
    horizon = execute(_HORIZON)[0][0]
    return Looked(frozenset(holding), tuple(_found(user_id, holding, since=_EVER)), horizon)


def forget_replies(user_id: int, holding: Sequence[str], *, looked: Looked | None = None) -> None:
    """Drop the owner's replies in which one of these texts stands; their retries run again.

    Args:
        looked: where the texts were looked for before; then only what was written since is read.
    """
    if looked is not None and looked.texts.issuperset(holding):
        found = [*looked.found, *_found(user_id, holding, since=looked.horizon)]
    else:
        found = _found(user_id, holding, since=_EVER)
    if found:
        execute(_DROP, [found])


def reseal_replies() -> int:
    """Seal every reply under the newest key; what no key opens is dropped. Returns how many were under another."""
    done = 0
    for rows in _pages(_KEPT_OF_ALL, []):
        for pk, body in rows:
            try:
                newer = resealed(_PURPOSE, body)
            except Unopened:
                execute(_DROP, [[pk]])
                continue
            if newer is not None:
                done += len(execute(_RESEAL, [newer, pk, body]))
    return done


def _found(user_id: int, texts: Sequence[str], *, since: str) -> list[int]:
    return [pk for rows in _pages(_KEPT_OF, [user_id, since]) for pk, body in rows if _holds(body, texts)]


def _pages(statement: str, params: list[Any]) -> Iterator[list[Row]]:
    last = 0
    while rows := execute(statement, [*params, last]):
        yield rows
        last = rows[-1][0]


def _holds(body: str, texts: Sequence[str]) -> bool:
    """Whether a kept body has one of the texts in it. What cannot be read is taken to have it."""
    try:
        # No text has the character in between.
        said = "\0".join(_strings(json.loads(unseal(_PURPOSE, body))))
    except (Unopened, ValueError):
        return True
    return any(text in said for text in texts)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _kept(user_id: int, caller: str, key: str, digest: str) -> Reply:
    rows = execute(_READ, [user_id, caller, key])
    if not rows:
        raise _gone()  # forgotten between our two statements
    body_digest, status, body = rows[0]
    if body_digest != digest:
        raise Conflict(
            "This Idempotency-Key belongs to another request of the last 24 hours. Use a new one.",
            code="idempotency_mismatch",
            fields={"Idempotency-Key": "belongs to another request"},
        )
    try:
        return Reply(status, unseal(_PURPOSE, body), replayed=True)
    except Unopened:
        raise _gone() from None


def _gone() -> Conflict:
    """The caller cannot know whether the first attempt counted."""
    return Conflict("The first reply is gone. Look before you send this again.", code="idempotency_mismatch")
