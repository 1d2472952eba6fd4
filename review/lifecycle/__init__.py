"""Decisions over beliefs. Each is one transaction under the owner's clock: item, facet, journal, tombstone.

A person decides; the surfaces are thin around these functions. Every function takes the item's public
reference, so that what may be seen is decided here and once.
"""

from review.lifecycle.bulk import BulkResult, decide_many, open_batch
from review.lifecycle.correcting import correct
from review.lifecycle.deciding import Decision, Forgotten, accept, forget, reject, restore
from review.lifecycle.editing import Changes, edit
from review.lifecycle.ending import end
from review.lifecycle.undoing import Undone, standing_batch, undo, undo_batch

__all__ = [
    "BulkResult",
    "Changes",
    "Decision",
    "Forgotten",
    "Undone",
    "accept",
    "correct",
    "decide_many",
    "edit",
    "end",
    "forget",
    "open_batch",
    "reject",
    "restore",
    "standing_batch",
    "undo",
    "undo_batch",
]
