"""Which sessions there are, and which of them a question is about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Q

from conversations.context import find_conversation
from conversations.models import TOLD, Conversation, Project, Session, Turn
from conversations.models.session import SessionQuerySet
from conversations.pages.labels import kind_of
from conversations.querysets import RECENT_FIRST, ConversationQuerySet
from conversations.recall.scopes import Scoped, in_project
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.paging import Pager

LISTED = 50
_NARROWING = ("project", "kind", "agent", "session")


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation as a line. ``session`` is None where nothing of it can be searched, ``parent`` where it was begun
    by no other session that is here."""

    conversation: Conversation
    session: Session | None
    parent: Session | None

    @property
    def kind(self) -> str:
        return kind_of(self.session.kind if self.session else TOLD)

    @property
    def told(self) -> bool:
        return self.session is None or self.session.kind == TOLD

    @property
    def beside(self) -> int:
        """Entries that are not on the active branch."""
        return self.session.entries - self.session.active_entries if self.session else 0


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the ``total``; ``next`` is the cursor behind it."""

    rows: Sequence[Listed]
    next: str | None
    total: int


def narrowed(person: Principal, given: Mapping[str, Any]) -> Scoped:
    """The sessions that a question is about. An unknown conversation has none."""
    mine = Session.objects.visible_to(person)
    rows = _narrow(person, mine, given)
    if given["session"]:
        rows = rows.filter(conversation__in=_named(person, given["session"]))
        return Scoped(rows, single=rows.first())
    return Scoped(rows, everything=not any(given[name] for name in _NARROWING))


def listed(person: Principal, given: Mapping[str, Any], cursor: str | None) -> Listing:
    """The last changed first. Raises :class:`~pawflow_web.lib.errors.Invalid` for a cursor of another list."""
    question = {name: given[name] for name in _NARROWING}
    rows = _conversations(person, given)
    shown = rows.select_related("project", "session")
    page = Pager.of("sessions", person.user_id, question).page(shown, order=RECENT_FIRST, limit=LISTED, cursor=cursor)
    return Listing(_lines(person, page.rows), page.next, rows.count())


def parents_of(person: Principal, sessions: Iterable[Session]) -> dict[str, Session]:
    """The sessions from which these were begun, by what they call them."""
    names = {session.parent for session in sessions if session.parent}
    if not names:
        return {}
    rows = Session.objects.visible_to(person).filter(Q(session_id__in=names) | Q(path__in=names))
    found: dict[str, Session] = {}
    for row in rows.select_related("conversation").defer("state").order_by("mtime", "pk"):
        found |= {row.session_id: row, row.path: row}
    return found


def _lines(person: Principal, rows: Sequence[Conversation]) -> list[Listed]:
    sessions = [(row, _session_of(row)) for row in rows]
    parents = parents_of(person, (session for _, session in sessions if session))
    return [Listed(row, session, parents.get(session.parent) if session else None) for row, session in sessions]


def _session_of(conversation: Conversation) -> Session | None:
    try:
        return conversation.session
    except ObjectDoesNotExist:
        return None


def _conversations(person: Principal, given: Mapping[str, Any]) -> ConversationQuerySet:
    rows = Conversation.objects.visible_to(person)
    if given["project"]:
        project = Project.objects.visible_to(person).get(slug=given["project"])
        inside = in_project(Session.objects.visible_to(person), project)
        rows = rows.filter(Q(project=project) | Q(session__in=inside.order_by()))
    if given["kind"]:
        of_kind = Q(session__kind=given["kind"])
        # What cannot be searched was told, too.
        rows = rows.filter(of_kind | Q(session=None) if given["kind"] == TOLD else of_kind)
    if given["agent"]:
        # What cannot be searched has its turns alone.
        of_agent = Session.objects.visible_to(person).of_agent(given["agent"])
        told = Turn.objects.visible_to(person).filter(principal=given["agent"])
        rows = rows.filter(Q(session__in=of_agent) | Q(pk__in=told.order_by().values("conversation")))
    if given["session"]:
        rows = rows.filter(pk__in=_named(person, given["session"]))
    return rows


def _narrow(person: Principal, mine: SessionQuerySet, given: Mapping[str, Any]) -> SessionQuerySet:
    if given["project"]:
        mine = in_project(mine, Project.objects.visible_to(person).get(slug=given["project"]))
    if given["kind"]:
        mine = mine.filter(kind=given["kind"])
    if given["agent"]:
        mine = mine.of_agent(given["agent"])
    return mine


def _named(person: Principal, name: str) -> list[int]:
    try:
        return [find_conversation(person, name).pk]
    except NotFound:
        return []
