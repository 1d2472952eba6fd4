"""What a view forgets by itself: it stays where it is and can be searched for."""

from datetime import datetime, timedelta

from memory.notes.types import FactType

# t1 never ages; t2 becomes t3 when nobody has said it again for so long; t3 leaves the view after that.
SUPPORTED = timedelta(days=90)
RECENT = timedelta(days=30)

_FIRST = frozenset({FactType.IDENTITY, FactType.RULE, FactType.PREFERENCE})


def tier_of(kind: FactType, *, said: datetime, happened: datetime, now: datetime) -> tuple[str, bool]:
    """``t1``, ``t2`` or ``t3``, and whether it has left the view.

    Args:
        said: when somebody last said it.
        happened: when it happened or became true; when it was recorded, where nobody knows.
    """
    if kind in _FIRST:
        return "t1", False
    if kind is FactType.EVENT:
        return "t3", now - happened > RECENT
    aged = now - said - SUPPORTED
    return ("t2", False) if aged <= timedelta(0) else ("t3", aged > RECENT)
