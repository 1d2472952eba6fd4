"""Decisions over beliefs. Each is one transaction under the owner's clock: item, facet, journal, tombstone.

A person decides; the surfaces are thin around these functions. Every function takes the item's public
reference, so that what may be seen is decided here and once.
"""

from review.lifecycle.bulk import BulkResult, decide_many
from review.lifecycle.deciding import Decision, Forgotten, accept, forget, reject, restore

__all__ = ["BulkResult", "Decision", "Forgotten", "accept", "decide_many", "forget", "reject", "restore"]
