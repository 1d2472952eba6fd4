"""The answer of ``memory_sessions``: which sessions there are, the newest first."""

from typing import Any

from conversations.models import Session
from conversations.recall.answering import lineage_of
from conversations.recall.coverage import CodedError, of_nothing
from conversations.recall.places import entry_count
from conversations.recall.scopes import hot, scoped, selector_of
from pawflow_web.identity.call import Call
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.periods import iso

_ORDER = ("-mtime", "-id")


def sessions(call: Call, scope: str, branches: str, *, limit: int, cursor: str | None) -> dict[str, Any]:
    """``{scope, branches, sessions, next, coverage}``. Raises :class:`~pawflow_web.lib.errors.Invalid`."""
    try:
        where = scoped(call, scope)
    except CodedError as error:
        empty: dict[str, Any] = {"scope": scope, "branches": branches, "sessions": [], "next": None}
        return {**empty, "coverage": of_nothing(error.code), "error": error.value}
    pager = Pager.of("memory_sessions", call.principal.user_id, {"scope": scope, "branches": branches})
    page = pager.page(where.sessions, order=_ORDER, limit=limit, cursor=cursor)
    warm = hot(Session.objects.visible_to(call.principal))
    rows = [_row(session, branches, warm is None or session.pk in warm) for session in page.rows]
    coverage = where.coverage(branches).value()
    return {"scope": scope, "branches": branches, "sessions": rows, "next": page.next, "coverage": coverage}


def _row(session: Session, branches: str, is_hot: bool) -> dict[str, Any]:  # noqa: FBT001 - one of two words
    return {
        "id": session.session_id,
        "file": selector_of(session),
        "cwd": session.cwd,
        "mtime": iso(session.mtime),
        "entryCount": entry_count(session, branches),
        "tier": "hot" if is_hot else "cold",
        "branches": branches,
        "lineageFingerprint": lineage_of(session, branches),
    }
