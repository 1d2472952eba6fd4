"""Cursors: opaque, signed, and bound to the question and the caller they were made for.

A cursor continues *one* list. Handed to another list or another caller it is refused rather than answered
with rows from the wrong place.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

from pawflow_web.lib.crypto import keyed_digest
from pawflow_web.lib.errors import Invalid

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Rows, and the cursor behind the last of them; None at the end of the list."""

    rows: list[Row]
    next: str | None


@dataclass(frozen=True, slots=True)
class Pager:
    """Makes and reads the cursors of one list.

    ``scope`` names the list, its caller and everything of the question that must stay the same.
    """

    scope: str

    @classmethod
    def of(cls, name: str, caller: object, question: Mapping[str, object]) -> "Pager":
        body = json.dumps([name, str(caller), question], sort_keys=True, default=str, ensure_ascii=True)
        return cls(hashlib.sha256(body.encode()).hexdigest())

    def write(self, position: Any) -> str:
        """A cursor that stands behind ``position`` (JSON values only)."""
        body = json.dumps(position, separators=(",", ":"), ensure_ascii=True)
        return base64.urlsafe_b64encode(f"{self._seal(body)}{body}".encode()).decode().rstrip("=")

    def read(self, cursor: str | None) -> Any:
        """The position in ``cursor``, or None at the start. Raises :class:`Invalid` for any other cursor."""
        if cursor is None:
            return None
        try:
            text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode("ascii")
        except ValueError:
            raise self._refused() from None
        seal, body = text[:16], text[16:]
        if seal != self._seal(body):
            raise self._refused()
        return json.loads(body)

    def page(self, rows: QuerySet[Row], *, order: Sequence[str], limit: int, cursor: str | None) -> Page[Row]:
        """The ``limit`` rows behind the cursor.

        Args:
            order: names of columns that are never null, ``-`` before a falling one; together they are unique.

        Raises :class:`Invalid` for a cursor of another list.
        """
        position = self.read(cursor)
        if position is not None:
            rows = rows.filter(behind(order, position))
        found = list(rows.order_by(*order)[: limit + 1])
        if len(found) <= limit:
            return Page(found, None)
        return Page(found[:limit], self.write(position_of(found[limit - 1], order)))

    def _seal(self, body: str) -> str:
        return keyed_digest("cursor", f"{self.scope}:{body}")[:16]

    @staticmethod
    def _refused() -> Invalid:
        return Invalid(
            "This cursor does not continue this list. Start again without one.",
            fields={"cursor": "must come from the same question by the same caller"},
        )


def position_of(row: Model, order: Sequence[str]) -> list[Any]:
    """Where a row stands in a list of that order, as JSON values."""
    values = [getattr(row, column.removeprefix("-")) for column in order]
    return [value.isoformat() if isinstance(value, datetime) else value for value in values]


def behind(order: Sequence[str], position: Sequence[Any]) -> Q:
    """The rows behind a position: later in the first column, or the same in it and later in the second, and so on."""
    behind, same = Q(), Q()
    for column, value in zip(order, position, strict=True):
        name, compared = (column[1:], "lt") if column.startswith("-") else (column, "gt")
        behind |= same & Q((f"{name}__{compared}", value))
        same &= Q((name, value))
    return behind
