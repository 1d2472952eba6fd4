"""Which sessions a question is about."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.conf import settings
from django.db.models import Q

from conversations.models import Conversation, Project, Session
from conversations.models.session import SessionQuerySet
from conversations.recall.coverage import CodedError, Coverage, reasons_of
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.ids import parse_ref

ALIASES = {
    "current": "session",
    "cwd": "project",
    "repo": "project",
    "directory": "project",
    "folder": "project",
    "all": "global",
}
SCOPES = ("session", "project", "global")
NAMED = "session:"
# All paths of sessions that have one name, as JSON.
_CANDIDATES_CHARS = 20_000
# The conversation in context is encrypted or temporary.
NOT_SEARCHED = "never_searched"
# Reasons that are about branches that nobody asked for do not make an answer about all of them incomplete.
_OF_THE_BRANCH = {"invalid_parent_graph", "dangling_parent"}


@dataclass(frozen=True, slots=True)
class Scoped:
    """The sessions of a question. ``everything``: all of the owner's. ``single``: one that was named, or is current.
    ``sealed``: it is about a conversation that nobody can search."""

    sessions: SessionQuerySet
    everything: bool = False
    single: Session | None = None
    sealed: bool = False

    def ids(self) -> list[int]:
        return list(self.sessions.order_by().values_list("pk", flat=True))

    def coverage(self, branches: str) -> Coverage:
        """What is known of these sessions before anything is searched."""
        troubled = self.sessions.order_by().filter(~Q(reasons=[]) | Q(bad_lines__gt=0))
        rows = list(troubled.values_list("reasons", "bad_lines"))
        minded = [
            {one for one in reasons if branches == "active" or one not in _OF_THE_BRANCH}
            | ({"bad_lines"} if bad else set())
            for reasons, bad in rows
        ]
        incomplete, reasons = reasons_of(minded)
        if self.sealed:
            reasons.add(NOT_SEARCHED)
        return Coverage(eligible=self.sessions.count(), incomplete=incomplete, reasons=reasons)


def is_named(scope: str) -> bool:
    """Whether the scope names one session."""
    return scope.startswith(NAMED)


def scoped(call: Call, scope: str) -> Scoped:
    """The sessions of a scope, as far as this caller may read any.

    Raises:
        Invalid: there is no such scope, or it needs something that the call does not say.
        CodedError: ``session_not_found`` or ``ambiguous_session``.
    """
    wanted = ALIASES.get(scope.strip(), scope.strip())
    mine = Session.objects.visible_to(call.principal)
    if is_named(wanted):
        return _one(mine, find_session(mine, wanted.removeprefix(NAMED)))
    if wanted == "global":
        return Scoped(mine, everything=True)
    if wanted == "project":
        return Scoped(in_project(mine, _project(call)))
    if wanted == "session":
        return _one(mine, _current(call, mine))
    raise Invalid(
        f"There is no scope {ascii(scope)[:60]}.", fields={"scope": "must be session, project, global or session:<id>"}
    )


def find_session(mine: SessionQuerySet, name: str) -> Session:
    """By path, ref, the product's own id, the ref of its conversation, or the file's name without its end."""
    ref = parse_ref(name)
    ways = [Q(path=name), *([Q(ref=ref)] if ref else []), Q(session_id=name)]
    ways += [Q(conversation__ref=ref)] if ref else []
    ways += [Q(path__endswith=f"/{name}.jsonl") | Q(path=f"{name}.jsonl")]
    for way in ways if name else ():
        found = list(mine.filter(way).order_by("-mtime", "path")[:100])
        if len(found) > 1:
            raise CodedError(
                "ambiguous_session",
                f"{len(found)} sessions are called {ascii(name)[:100]}. Name one by its path.",
                session=name,
                candidates=_few([selector_of(one) for one in found]),
            )
        if found:
            return found[0]
    raise CodedError("session_not_found", f"There is no session {ascii(name)[:100]}.", session=name)


def _few(paths: Sequence[str]) -> list[str]:
    """Of these paths as many as an answer has room for."""
    upto = list(accumulate(len(json.dumps(path)) for path in paths))
    return [path for path, size in zip(paths, upto, strict=True) if size <= _CANDIDATES_CHARS]


def selector_of(session: Session) -> str:
    """What names this session and no other of its owner's."""
    return session.path or session.ref


def hot(mine: SessionQuerySet) -> frozenset[int] | None:
    """The sessions that answer with their entries; None for all."""
    most = settings.ENV.recall.hot_sessions
    if most is None:
        return None
    return frozenset(mine.order_by("-mtime", "path").values_list("pk", flat=True)[:most])


def _one(mine: SessionQuerySet, session: Session) -> Scoped:
    return Scoped(mine.filter(pk=session.pk), single=session)


def _current(call: Call, mine: SessionQuerySet) -> Session:
    """The session of the conversation in context, else the newest of the project."""
    here = mine.filter(conversation_id=call.principal.conversation_id or 0).first()
    if here is None and is_sealed(call.principal):
        # Another session would answer for this one.
        raise CodedError("session_not_found", "This conversation is encrypted or temporary: nothing of it is searched.")
    if here is None:
        slug = _project_slug(call)
        newest = in_project(mine, Project.objects.get(user_id=call.principal.user_id, slug=slug)) if slug else None
        here = newest.order_by("-mtime", "path").first() if newest is not None else None
    if here is None:
        raise Invalid(
            "There is no current session: name the conversation or the project of this call, or ask another scope.",
            fields={"scope": "session needs a conversation or a project with sessions"},
        )
    return here


def is_sealed(principal: Principal) -> bool:
    """Whether the caller is in a conversation that is never searched."""
    here = Conversation.objects.visible_to(principal).filter(pk=principal.conversation_id or 0)
    return here.filter(Q(encrypted=True) | Q(temporary=True)).exists()


def _project(call: Call) -> Project:
    slug = _project_slug(call)
    if slug is None:
        raise Invalid(
            "This call is in no project: name one, as header X-PawFlow-Project or parameter project.",
            fields={"scope": "project needs one"},
        )
    return Project.objects.get(user_id=call.principal.user_id, slug=slug)


def _project_slug(call: Call) -> str | None:
    if call.project or call.principal.conversation_id is None:
        return call.project
    filed = Project.objects.filter(user_id=call.principal.user_id, conversations=call.principal.conversation_id)
    return filed.values_list("slug", flat=True).first()


def in_project(mine: SessionQuerySet, project: Project) -> SessionQuerySet:
    """Those filed under it, and those held in its directory or below."""
    filed = Q(conversation__project=project)
    root = project.root.rstrip("/")
    if not root:
        return mine.filter(filed)
    below = f"{root}/"
    return mine.filter(filed | Q(cwd=root) | Q(cwd__startswith=below))
