"""From where a call looks: the conversation and project it names, the same on every surface."""

from collections.abc import Mapping

from django.db.models import Q

from conversations.models import Conversation, Project
from conversations.querysets import ConversationQuerySet
from pawflow_web.identity.auth import narrow_origin
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.text import clean
from pawflow_web.lib.tools import Surface

CONTEXT_PARAMETERS = frozenset({"conversation", "project"})


def call_context(
    principal: Principal, *, headers: Mapping[str, str], query: Mapping[str, str], surface: Surface
) -> Call:
    """The call of ``principal`` with what ``X-PawFlow-*`` headers and the query add to it.

    The query wins over a header; an empty value there stands for none. ``headers`` must find names in any
    letter case.

    Raises:
        Invalid: ``X-PawFlow-Origin`` asks for anything but ``automation``.
        NotFound: the conversation or project is unknown or somebody else's, with one text for both.
    """
    principal = narrow_origin(principal, headers.get("X-PawFlow-Origin"))
    conversation = query.get("conversation", headers.get("X-PawFlow-Conversation", ""))
    project = query.get("project", headers.get("X-PawFlow-Project", ""))
    if conversation:
        found = find_conversation(principal, conversation)
        principal = principal.within(found.pk, found.ref)
    return Call(principal, find_project(principal, project).slug if project else None, surface)


def find_conversation(principal: Principal, name: str) -> Conversation:
    """By ref, ``#ref`` or the client's own id. Raises :class:`NotFound`, naming what was asked for."""
    text = clean(name, field="conversation")
    visible: ConversationQuerySet = Conversation.objects.visible_to(principal).select_related("project")
    candidates = list(visible.filter(Q(ref=parse_ref(text) or "") | Q(external_id=text))[:2]) if text else []
    # A client may call its conversation like somebody's ref; a real ref goes first.
    candidates.sort(key=lambda conversation: conversation.ref != parse_ref(text))
    if not candidates:
        raise NotFound(f"There is no conversation {ascii(name)[:100]}.")
    return candidates[0]


def find_project(principal: Principal, slug: str) -> Project:
    """By slug. Raises :class:`NotFound`, naming what was asked for."""
    project = Project.objects.visible_to(principal).filter(slug=clean(slug, field="project")).first()
    if project is None:
        raise NotFound(f"There is no project {ascii(slug)[:100]}.")
    return project
