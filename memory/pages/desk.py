"""What the panels of tasks and of notes have in common: which list is looked at, and how a change is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from conversations.context import find_conversation
from conversations.models import Conversation
from memory.desk.places import DeskQuerySet, Place
from memory.desk.words import Flags
from memory.pages.memories.browse import agents_of
from pawflow_web.identity.models import Agent
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import find_agent
from pawflow_web.lib.scanner import describe
from pawflow_web.lib.scanner.catalogue import RULES
from pawflow_web.web.render import nothing_but, page_behind, render_panel, toast, wants_partial

# Names of the filter that say whose list it is.
AGENT, CONVERSATION = "agent", "conversation"
_CONVERSATIONS_MOST = 50


@dataclass(frozen=True, slots=True)
class Desk:
    """The list that is looked at. ``agent`` is a name, '' for the person themself; ``selects`` choose another one."""

    place: Place
    agent: str
    conversation: Conversation | None
    selects: list[dict[str, Any]]

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """As fields of an address or a form."""
        return [(AGENT, self.agent), (CONVERSATION, self.conversation.ref if self.conversation else "")]


def desk_of(request: HttpRequest, given: QueryDict, rows: DeskQuerySet[Any]) -> Desk:
    """The list that ``given`` names; where it names none, the one of ``rows`` that was changed last. Raises
    :class:`NotFound` for an agent or a conversation that is not the person's."""
    person = person_of(request)
    rows = rows.filter(user_id=person.user_id)
    if AGENT in given or CONVERSATION in given:
        name, reference = given.get(AGENT, ""), given.get(CONVERSATION, "")
        agent = find_agent(person, name) if name else None
        talk = find_conversation(person, reference) if reference else None
    else:
        agent, talk = _changed_last(rows)
    place = Place(person.user_id, agent.pk if agent else None, talk.pk if talk else None)
    whose_it_is = agent.name if agent else ""
    selects = [_agents(request, whose_it_is), _conversations(person, rows, place, talk)]
    return Desk(place, whose_it_is, talk, selects)


def address(panel: str, row_or_desk: Any, *more: tuple[str, str]) -> str:
    """Of the list that a row is in, or that a desk shows."""
    if isinstance(row_or_desk, Desk):
        named = row_or_desk.chosen
    else:
        agent, talk = row_or_desk.agent, row_or_desk.conversation
        named = [(AGENT, agent.name if agent else ""), (CONVERSATION, talk.ref if talk else "")]
    return f"{reverse(panel)}?{urlencode([*named, *more])}"


def whose(row: Any) -> str:
    """Whose list a row is in, for a heading."""
    owner = row.agent.name if row.agent else _("You")
    if row.conversation is None:
        return owner
    return _("%(owner)s, in %(conversation)s") % {"owner": owner, "conversation": str(row.conversation)}


def found_words(flags: Flags, labels: Mapping[str, Any]) -> list[str]:
    """What was found in the words of a row, each with the field in which it stood."""
    return [f"{labels[name]}: {_finding(rule)}" for name, rules in flags.items() for rule in rules]


def _finding(rule: str) -> str:
    known = RULES.get(rule)
    if known is not None and known.kind == "secret":
        return _("a secret was taken out (%(label)s)") % {"label": known.label}
    return _("this %(finding)s") % {"finding": describe(rule)}


def is_on(request: HttpRequest, panel: str) -> bool:
    """Whether the person looks at that list, over which a form may stand in the dialog."""
    path, _query = page_behind(request)
    return wants_partial(request) and path == reverse(panel)


def into_row(panel: str, ref: str) -> dict[str, str]:
    """The answer takes the place of a row of the list, and the dialog over it closes."""
    return {"HX-Retarget": f"#{panel}-{ref}", "HX-Reswap": "outerHTML", "HX-Trigger": "dialog-close"}


def onward(request: HttpRequest, url: str, said: str) -> HttpResponse:
    """A whole page follows, and says there what was done."""
    messages.success(request, said)
    return HttpResponse(headers={"HX-Redirect": url}) if wants_partial(request) else redirect(url)


def list_changed(request: HttpRequest, said: str) -> HttpResponse:
    """The list over which the dialog stood fetches itself anew."""
    return nothing_but(toast(request, said), trigger="dialog-close, items-changed")


def question(request: HttpRequest, context: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    """Asks before something goes for good: title, text, verb, action, back, fields."""
    return render_panel(request, "memory/desk/question.html", context, partial="question", status=status)


def _changed_last(rows: DeskQuerySet[Any]) -> tuple[Agent | None, Conversation | None]:
    row = rows.select_related("agent", "conversation").order_by("-updated_at", "-id").first()
    return (row.agent, row.conversation) if row is not None else (None, None)


def _agents(request: HttpRequest, chosen: str) -> dict[str, Any]:
    options = [("", _("You")), *((name, name) for name in agents_of(request))]
    return {"name": AGENT, "label": _("Whose list"), "value": chosen, "options": options}


def _conversations(
    person: Principal, rows: DeskQuerySet[Any], place: Place, chosen: Conversation | None
) -> dict[str, Any]:
    """Those in which this agent has a list, the last changed first."""
    used = rows.filter(agent_id=place.agent_id, conversation__isnull=False).values("conversation_id")
    talks = list(
        Conversation.objects.visible_to(person).filter(pk__in=used).order_by("-updated_at", "-id")[:_CONVERSATIONS_MOST]
    )
    if chosen is not None and chosen not in talks:
        talks.insert(0, chosen)
    options = [("", _("No conversation")), *((talk.ref, str(talk)) for talk in talks)]
    value = chosen.ref if chosen else ""
    return {"name": CONVERSATION, "label": _("Conversation"), "value": value, "options": options}
