"""The table of status changes, as data. Anything that is not listed here does not happen.

``TABLE[status][verb]`` is the set of statuses the verb may lead to. Undo is not listed: it may walk any edge
of this table backwards, and takes an item that its decision created to ``stale``.
"""

from collections.abc import Mapping

from pawflow_web.lib.errors import InvalidTransition
from review.models.choices import EventKind, Status

C, A, N, T, S, R = (
    Status.CANDIDATE,
    Status.ACTIVE,
    Status.NEEDS_REVIEW,
    Status.STALE,
    Status.SUPERSEDED,
    Status.REJECTED,
)

TABLE: Mapping[Status, Mapping[str, frozenset[Status]]] = {
    C: {
        "accept": frozenset({A}),
        "recur": frozenset({N}),
        "expire": frozenset({T}),
        "forget": frozenset({T}),
        "reject": frozenset({R}),
    },
    N: {
        "accept": frozenset({A}),
        "restate": frozenset({A}),
        "expire": frozenset({T}),
        "forget": frozenset({T}),
        "correct": frozenset({S}),
        "reject": frozenset({R}),
    },
    A: {
        "feedback": frozenset({N}),
        "flag": frozenset({N}),
        "expire": frozenset({T}),
        "consolidate": frozenset({T}),
        "forget": frozenset({T}),
        # cut in the future: what is left of it is still today's truth
        "supersede": frozenset({S, A}),
        "correct": frozenset({S}),
        "end": frozenset({A}),
        "reject": frozenset({R}),
    },
    T: {"accept": frozenset({A}), "restate": frozenset({A, N}), "reject": frozenset({R})},
    S: {
        # a piece of history cut again
        "supersede": frozenset({S}),
        "end": frozenset({S}),
        "forget": frozenset({T}),
        "reject": frozenset({R}),
    },
    R: {"restore": frozenset({N})},
}

# What the journal calls each verb.
EVENTS: Mapping[str, EventKind] = {
    "admit": EventKind.CREATED,
    **dict.fromkeys({verb for verbs in TABLE.values() for verb in verbs}, EventKind.TRANSITION),
    "undo": EventKind.TRANSITION,
    "edit": EventKind.EDIT,
    "lift_tombstone": EventKind.EDIT,
    "confirm": EventKind.MERGE,
    "refuse": EventKind.MERGE,
    "feedback": EventKind.FEEDBACK,
    "seal": EventKind.SEALED,
    "open": EventKind.EDIT,
    "reveal": EventKind.REVEAL,
    "purge": EventKind.PURGE,
    "archive_request": EventKind.ARCHIVE_REQUEST,
    "decline_archive": EventKind.ARCHIVE_REQUEST,
}

_PARTICIPLES = {Status.NEEDS_REVIEW: "waiting for review"}


def check_transition(status: str, verb: str, target: str) -> None:
    """Raises :class:`InvalidTransition`, with the status in ``fields``, unless the table lists the move."""
    if Status(target) in TABLE[Status(status)].get(verb, frozenset()):
        return
    shown = _PARTICIPLES.get(Status(status), status)
    raise InvalidTransition(f"A belief that is {shown} cannot be changed by {verb}.", fields={"status": status})
