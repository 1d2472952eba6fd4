"""Sealing the entries of an act into the owner's chain and storing them, just before the commit."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pawflow_web.identity.clock import Clock
from pawflow_web.lib.db import columns_of, execute, insert_many_statement
from review.journal.snapshots import new_salt, payload_digest, seal_of
from review.models import JournalEntry


@dataclass(slots=True)
class Entry:
    """A journal entry that is not stored yet, with what its payload is to hold. Without a body it gets none."""

    row: JournalEntry
    body: str | None
    comment: str = ""


def write_entries(clock: Clock, entries: Sequence[Entry]) -> None:
    """All of them and the clock that numbered them, in one statement."""
    salts = [new_salt() for _ in entries]
    for entry, salt in zip(entries, salts, strict=True):
        row = entry.row
        row.payload_digest = payload_digest(salt, entry.body or "", entry.comment)
        row.prev = clock.head
        row.hash = clock.head = seal_of(row)
    payloads = {
        "salt": salts,
        "body": [entry.body for entry in entries],
        "note": [entry.comment for entry in entries],
    }
    clock.write_back(behind=_insert_entries(), values={**columns_of([entry.row for entry in entries]), **payloads})


@cache
def _insert_entries() -> str:
    # Payloads are found again by seq, as rows that a statement inserts come back in no order.
    return f"""
WITH written AS ({insert_many_statement(JournalEntry)} RETURNING id, user_id, item_id, seq), kept AS (
  INSERT INTO review_journalpayload (entry_id, user_id, item_id, salt, body, note)
  SELECT w.id, w.user_id, w.item_id, p.salt, p.body, p.note
  FROM written w JOIN unnest(%(seq)s::bigint[], %(salt)s::text[], %(body)s::text[], %(note)s::text[])
    AS p(seq, salt, body, note) ON p.seq = w.seq
  WHERE p.body IS NOT NULL
)
"""


def erase_payloads(item_id: int) -> None:
    """What the journal kept of one item, which the database lets go only when it is named."""
    execute("SELECT set_config('pawflow.erase', %s, true)", [f"item:{item_id}"])
    execute("DELETE FROM review_journalpayload WHERE item_id = %s", [item_id])
    execute("SELECT set_config('pawflow.erase', '', true)")
