"""Cursors: opaque, signed, and bound to the question and the caller they were made for.

A cursor continues *one* list. Handed to another list or another caller it is refused rather than answered
with rows from the wrong place.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pawflow_web.lib.crypto import keyed_digest
from pawflow_web.lib.errors import Invalid


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

    def _seal(self, body: str) -> str:
        return keyed_digest("cursor", f"{self.scope}:{body}")[:16]

    @staticmethod
    def _refused() -> Invalid:
        return Invalid(
            "This cursor does not continue this list. Start again without one.",
            fields={"cursor": "must come from the same question by the same caller"},
        )
