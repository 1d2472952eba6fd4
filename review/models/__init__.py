from review.models.archive import ArchiveRequest
from review.models.batch import Batch
from review.models.believed import Believed
from review.models.choices import (
    GRAVE,
    LIVE,
    READABLE,
    WAITING,
    ArchiveState,
    EventKind,
    KindName,
    Origin,
    Privacy,
    Reason,
    Scope,
    Status,
)
from review.models.evidence import Evidence
from review.models.imports import ImportJob, ImportState
from review.models.item import GovernanceItem
from review.models.journal import JournalEntry, JournalPayload
from review.models.tombstone import Tombstone

__all__ = [
    "GRAVE",
    "LIVE",
    "READABLE",
    "WAITING",
    "ArchiveRequest",
    "ArchiveState",
    "Batch",
    "Believed",
    "EventKind",
    "Evidence",
    "GovernanceItem",
    "ImportJob",
    "ImportState",
    "JournalEntry",
    "JournalPayload",
    "KindName",
    "Origin",
    "Privacy",
    "Reason",
    "Scope",
    "Status",
    "Tombstone",
]
