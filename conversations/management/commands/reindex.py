"""``manage.py reindex``."""

from typing import Any

from django.core.management.base import CommandParser

from conversations.models import TOLD, Session, SourceOrigin
from conversations.recall.index import index_of, renew
from conversations.sessions.heads import decompressed
from conversations.sessions.storing import Source, store_source
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import NotFound, Unavailable
from pawflow_web.lib.search import IndexWriteError


class Command(JsonCommand):
    help = (
        "Build the index of sessions on this machine anew; the old one answers until then. "
        "Example: manage.py reindex --owner alice --reread"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--owner", help="only theirs")
        parser.add_argument("--reread", action="store_true", help="read the kept files of sessions anew as well")

    def answer(self, **options: Any) -> dict[str, Any]:
        owners = User.objects.filter(clock__closed=False).order_by("username")
        if options["owner"]:
            owners = owners.filter(username=options["owner"])
            if not owners:
                raise NotFound(f"There is no owner {ascii(options['owner'])[:80]}.")
        return {"owners": [self._renewed(owner, reread=options["reread"]) for owner in owners]}

    def _renewed(self, owner: User, *, reread: bool) -> dict[str, Any]:
        read = sum(_read_again(owner, session) for session in _files_of(owner)) if reread else 0
        try:
            while renew(owner.pk, float("inf")):
                pass
        except IndexWriteError as error:
            raise Unavailable(f"The index of {owner.username} cannot be written now: {error}") from None
        snapshot = index_of(owner.pk).snapshot()
        return {"owner": owner.username, "entries": snapshot.documents if snapshot else 0, "reread": read}

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        return "\n".join(f"{one['owner']}: {one['entries']:,} entries" for one in answer["owners"])


def _files_of(owner: User) -> list[Session]:
    return list(Session.objects.filter(user=owner).exclude(kind=TOLD).order_by("pk"))


def _read_again(owner: User, session: Session) -> int:
    chunks = session.chunks.order_by("number")
    data = b"".join(decompressed(chunk.body) for chunk in chunks if chunk.body)
    source = Source(session.path, data, session.kind, session.mtime, SourceOrigin(session.origin))
    return len(store_source(principal=principal_of_user(owner), source=source, again=True))
