"""What the page of diaries shows: whose there are, the entries of one of them, and what its agent is asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.diary.reading import diaries_of, list_entries
from memory.diary.reflection import COUNTED_MOST, Due, due_of
from memory.models import DiaryEntry, DiaryFlag, DiaryType
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import find_agent
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.templatetags.pawflow import thousands

ROWS = 20
# Of an entry in the list; its own page has the rest.
CHARS = 400
WAITING = "waiting"

TYPES: Mapping[str, str | Promise] = {
    DiaryType.OBSERVATION: gettext_lazy("Observation"),
    DiaryType.DECISION: gettext_lazy("Decision"),
    DiaryType.LEARNING: gettext_lazy("Learning"),
    DiaryType.REFLECTION: gettext_lazy("Reflection"),
}
FOUND: Mapping[str, str | Promise] = {
    DiaryFlag.INJECTION: gettext_lazy("reads like an order to an agent"),
    DiaryFlag.SECRET: gettext_lazy("a secret was taken out"),
}


class DiaryFilter(PanelForm):
    """``type`` is a type of entry, or ``waiting`` for what is kept out of contexts."""

    agent = forms.CharField(label=gettext_lazy("Agent"), required=False, max_length=80)
    type = forms.ChoiceField(
        label=gettext_lazy("Type"),
        required=False,
        choices=[("", gettext_lazy("All")), *TYPES.items(), (WAITING, gettext_lazy("Kept out of contexts"))],
    )


@dataclass(frozen=True, slots=True)
class Chip:
    """A diary, or a sort of entries in it."""

    text: str | Promise
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class Row:
    """An entry. ``day`` is the heading before it, empty within a day; ``found`` says why somebody should look at it."""

    entry: DiaryEntry
    words: str
    more: bool
    day: str
    found: Sequence[str | Promise]

    @property
    def status(self) -> str:
        """As a line says it of a belief: in use, or waiting."""
        return "active" if self.entry.admitted else "needs_review"

    @property
    def type(self) -> str | Promise:
        return TYPES[self.entry.type]


@dataclass(frozen=True, slots=True)
class Shown:
    """One diary. ``agent`` is None where nobody has written anything."""

    form: DiaryFilter
    agent: Agent | None = None
    closed: bool = False
    diaries: Sequence[Chip] = ()
    types: Sequence[Chip] = ()
    rows: Sequence[Row] = ()
    more: str = ""
    later: str = ""
    reflection: str = ""

    @property
    def narrowed(self) -> bool:
        return bool(self.form.data.get("type"))


def shown_of(person: Principal, given: QueryDict) -> Shown:
    """The page that ``given`` asks for; without an agent that of the diary that was written last.

    Raises:
        NotFound: the person has no agent of that name.
        Invalid: a cursor of another list.
    """
    form = DiaryFilter(given, auto_id="diary-%s")
    diaries = diaries_of(person)
    name = given.get("agent", "").strip()
    agent = _chosen(person, diaries, name)
    if agent is None:
        return Shown(form)
    if not form.is_valid():
        return Shown(form, agent, diaries=_diary_chips(diaries, agent), types=_type_chips(form, agent, ""))
    wanted = form.cleaned_data["type"]
    cursor = given.get("cursor") or None
    page = list_entries(
        person,
        agents=[agent.name],
        entry_type=wanted if wanted in TYPES else None,
        waiting=wanted == WAITING,
        limit=ROWS,
        cursor=cursor,
    )
    rows = list(rows_of(page.rows, after=given.get("day", "")))
    more = {"cursor": page.next, "day": _day_key(page.rows[-1])} if page.next else {}
    return Shown(
        form=form,
        agent=agent,
        closed=any(one.pk == agent.pk and one.closed for one in diaries),  # type: ignore[attr-defined]  # annotated
        diaries=_diary_chips(diaries, agent),
        types=_type_chips(form, agent, wanted),
        rows=rows,
        more=_address(agent, type=wanted, **more) if more else "",
        later=_address(agent, type=wanted) if cursor else "",
        reflection=_told_of(agent, due_of(agent.pk)),
    )


def rows_of(entries: Iterable[DiaryEntry], *, after: str = "") -> Iterator[Row]:
    """Each entry, a day's first with its heading; ``after`` is the day whose heading stands there already."""
    for entry in entries:
        key = _day_key(entry)
        text: str = getattr(entry, "beginning", None) or entry.text
        yield Row(
            entry=entry,
            words=text[:CHARS],
            more=len(text) > CHARS,
            day=date_format(timezone.localtime(entry.created_at), "l, j F Y") if key != after else "",
            found=why_waiting(entry),
        )
        after = key


def why_waiting(entry: DiaryEntry) -> list[str | Promise]:
    """What was found in it, and that nobody was there when it was written."""
    found = [FOUND[flag] for flag in entry.flags]
    return [*found, gettext_lazy("from an automation")] if entry.origin == "automation" else found


def _chosen(person: Principal, diaries: Sequence[Agent], name: str) -> Agent | None:
    if name:
        return next((agent for agent in diaries if agent.name == name), None) or find_agent(person, name)
    return max(diaries, key=lambda agent: agent.latest or 0, default=None)  # type: ignore[attr-defined]  # annotated


def _diary_chips(diaries: Sequence[Agent], agent: Agent) -> list[Chip]:
    """All of them, by name, that of ``agent`` also while nothing is written in it."""
    names: dict[str, Any] = {one.name: one for one in (agent, *diaries)}
    return [
        Chip(
            _("%(name)s (closed)") % {"name": name} if getattr(one, "closed", False) else name,
            _address(one),
            one.pk == agent.pk,
        )
        for name, one in sorted(names.items())
    ]


def _type_chips(form: DiaryFilter, agent: Agent, wanted: str) -> list[Chip]:
    choices: Any = form.fields["type"].choices  # type: ignore[attr-defined]  # a choice
    return [Chip(label, _address(agent, type=value), value == wanted) for value, label in choices]


def _address(agent: Agent, **asked: str | None) -> str:
    given = {"agent": agent.name, **{name: value for name, value in asked.items() if value}}
    return f"{reverse('diary')}?{urlencode(given)}"


def _day_key(entry: DiaryEntry) -> str:
    return timezone.localtime(entry.created_at).date().isoformat()


def _told_of(agent: Agent, due: Due | None) -> str:
    """Whether its agent was asked to look back, or will be."""
    if due is None:
        return ""
    told = {"name": agent.name, "entries": _entries(due.count), "day": _day(due.since)}
    if due.asked:
        return _("%(name)s has been asked for a reflection (%(entries)s since %(day)s).") % told
    return _("%(name)s will be asked for a reflection with its next context (%(entries)s since %(day)s).") % told


def _entries(count: int) -> str:
    if count >= COUNTED_MOST:
        return _("%(count)s entries or more") % {"count": thousands(count)}
    return ngettext("%(count)s entry", "%(count)s entries", count) % {"count": thousands(count)}


def _day(moment: datetime) -> str:
    local = timezone.localtime(moment)
    return date_format(local, "j M" if local.year == timezone.localtime().year else "j M Y")
