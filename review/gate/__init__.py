"""The gate: the only way words become a belief.

``admit`` decides the status before anything is stored; ``assess`` makes the same decision without a write.
Order under the owner's clock: exact duplicate, tombstone, origin lowered by findings, placement on the key,
losers first, insert.
"""

from review.gate.admit import admit_one
from review.gate.dry_run import Examined, assess, examine
from review.gate.slices import admit

__all__ = ["Examined", "admit", "admit_one", "assess", "examine"]
