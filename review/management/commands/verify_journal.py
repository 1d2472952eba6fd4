"""Prove that nobody rewrote an owner's beliefs or journal."""

from typing import Any

from django.core.management.base import CommandParser

from pawflow_web.identity.models import User
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import NotFound
from review.journal.chain import Verification, verify


class Command(JsonCommand):
    help = (
        "Replay the journal of one owner or all: seals, gaps, and every row against its last snapshot. "
        "Example: manage.py verify_journal --owner alice"
    )

    _ok = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--owner", help="only this owner")

    def answer(self, **options: Any) -> dict[str, Any]:
        users = User.objects.exclude(clock__closed=True).order_by("username")
        if options["owner"]:
            users = users.filter(username=options["owner"])
            if not users:
                raise NotFound(f"There is no owner called {options['owner']!a}.")
        results = [verify(user) for user in users]
        self._ok = all(result.ok for result in results)
        return {"ok": self._ok, "owners": [_row(result) for result in results]}

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        return "\n".join(
            f"{row['owner']}: {row['entries']} entries, {row['items']} items, "
            + ("intact" if not row["differences"] else f"{len(row['differences'])} differences")
            for row in answer["owners"]
        )

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if not self._ok:
            raise SystemExit(1)


def _row(result: Verification) -> dict[str, Any]:
    return {
        "owner": result.owner,
        "entries": result.entries,
        "items": result.items,
        "head": result.head,
        "differences": result.differences,
    }
