from review.models.archive import ArchiveRequest, ArchiveState
from review.models.batch import Batch
from review.models.believed import Believed
from review.models.evidence import Evidence
from review.models.imports import ImportJob, ImportState
from review.models.item import GovernanceItem, Origin, Privacy, Scope, Status
from review.models.journal import JournalEntry, JournalPayload
from review.models.tombstone import Tombstone

__all__ = [
    "ArchiveRequest",
    "ArchiveState",
    "Batch",
    "Believed",
    "Evidence",
    "GovernanceItem",
    "ImportJob",
    "ImportState",
    "JournalEntry",
    "JournalPayload",
    "Origin",
    "Privacy",
    "Scope",
    "Status",
    "Tombstone",
]
