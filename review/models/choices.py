"""The vocabulary of beliefs. Each word has this one home; what is made of words is built from it."""

from django.db import models


class Status(models.TextChoices):
    CANDIDATE = "candidate"
    ACTIVE = "active"
    NEEDS_REVIEW = "needs_review"
    STALE = "stale"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


# may expire, and stands in the way of the same words
LIVE = (Status.CANDIDATE, Status.ACTIVE, Status.NEEDS_REVIEW)
# may reach a reader, and holds its place on an exclusive key
READABLE = (Status.ACTIVE, Status.SUPERSEDED)
# stands in the queue of a person
WAITING = (Status.NEEDS_REVIEW, Status.CANDIDATE)


class Reason(models.TextChoices):
    """The last reason of the gate or of a decision for the status a belief has."""

    USER_CHANNEL = "user_channel"
    AUTOMATION_REVIEW = "automation_review"
    ORIGIN_UNKNOWN = "origin_unknown"
    IMPORT_REVIEW = "import_review"
    INJECTION_FLAGGED = "injection_flagged"
    SCANNER_UNAVAILABLE = "scanner_unavailable"
    SECRET = "secret"
    SENSITIVE_REVIEW = "sensitive_review"
    CONTRADICTS_ACTIVE = "contradicts_active"
    NEAR_TOMBSTONE = "near_tombstone"
    EXTRACTOR_CONFIDENT = "extractor_confident"
    EXTRACTOR_REVIEW = "extractor_review"
    EXTRACTOR_BELOW_FLOOR = "extractor_below_floor"
    PROCEDURE_CANDIDATE = "procedure_candidate"
    RESTATED = "restated"
    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    FEEDBACK_BELOW_FLOOR = "feedback_below_floor"
    FLAGGED = "flagged"
    ARCHIVE_APPROVED = "archive_approved"
    CONSOLIDATED = "consolidated"
    UNDONE = "undone"
    RESTORED = "restored"
    AGENT_ERASED = "agent_erased"


# graver than a contradiction: a person looks at each of these by itself
GRAVE = (Reason.INJECTION_FLAGGED, Reason.SCANNER_UNAVAILABLE, Reason.SECRET)


class KindName(models.TextChoices):
    """Every kind there can be; the app that owns its facet registers it in :data:`review.kinds.kinds`."""

    NOTE = "note"
    FACT = "fact"
    PROCEDURE = "procedure"


class Scope(models.TextChoices):
    GLOBAL = "global"
    AGENT = "agent"
    CONVERSATION = "conversation"
    PRIVATE = "private"


class Privacy(models.TextChoices):
    NORMAL = "normal"
    SENSITIVE = "sensitive"
    SECRET = "secret"


class Origin(models.TextChoices):
    USER_CHANNEL = "user_channel"
    AUTOMATION = "automation"
    EXTRACTOR = "extractor"
    IMPORTER = "importer"


class EventKind(models.TextChoices):
    """What sort of thing an entry of the journal tells; :data:`review.transitions.EVENTS` says it of each verb."""

    CREATED = "created"
    TRANSITION = "transition"
    # a person changed what belongs to it: a tag, a pin, the refusal of its words
    EDIT = "edit"
    # its words were brought once more, and met it
    MERGE = "merge"
    IMPORT = "import"
    FEEDBACK = "feedback"
    ARCHIVE_REQUEST = "archive_request"
    PURGE = "purge"
    # its words became secret: earlier payloads were erased
    SEALED = "sealed"
    REVEAL = "reveal"


# below an entry of these, what was kept of the item is gone
ERASING = (EventKind.PURGE, EventKind.SEALED)


class ArchiveState(models.TextChoices):
    PENDING = "pending"
    APPROVED = "approved"
    DECLINED = "declined"
