from review.models.archive import ArchiveRequest
from review.models.batch import Batch
from review.models.believed import Believed
from review.models.choices import (
    ERASING,
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
from review.models.feedback import Feedback
from review.models.imports import ImportJob, ImportState
from review.models.item import GovernanceItem
from review.models.journal import JournalEntry, JournalPayload
from review.models.tombstone import Tombstone
from review.models.use import ItemUse, UseEvent
from review.models.vector import ItemVector, VectorMark

__all__ = [
    "ERASING",
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
    "Feedback",
    "GovernanceItem",
    "ImportJob",
    "ImportState",
    "ItemUse",
    "ItemVector",
    "JournalEntry",
    "JournalPayload",
    "KindName",
    "Origin",
    "Privacy",
    "Reason",
    "Scope",
    "Status",
    "Tombstone",
    "UseEvent",
    "VectorMark",
]
