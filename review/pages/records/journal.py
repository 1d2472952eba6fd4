"""The whole journal as a person reads it: one line an entry, narrowed by who and what, and its proof."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.models import UserClock
from pawflow_web.identity.person import person_of, user_of
from pawflow_web.identity.principal import Principal
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.templatetags.pawflow import thousands
from review.display.labels import why
from review.display.rows import Row, rows_of
from review.display.steps import deed
from review.journal.chain import verify
from review.models import EventKind, JournalEntry
from review.search.find import load_for_display

# So many entries are replayed while a person waits (about 60 microseconds each); more are a command's work.
AT_ONCE = 20_000

_EVENTS = {
    EventKind.CREATED: _("brought"),
    EventKind.TRANSITION: _("decided"),
    EventKind.EDIT: _("changed"),
    EventKind.MERGE: _("said again, or refused"),
    EventKind.FEEDBACK: _("found useful or not"),
    EventKind.ARCHIVE_REQUEST: _("to archive"),
    EventKind.PURGE: _("erased"),
    EventKind.SEALED: _("made secret"),
    EventKind.REVEAL: _("looked at"),
}
_ACTORS = {"person": _("You"), "agent": _("an agent"), "worker": _("PawFlow itself")}


class JournalFilter(PanelForm):
    """``actor`` is the name of an agent, or a kind of party."""

    event = forms.ChoiceField(
        label=_("What happened"), required=False, choices=[("", _("Everything")), *_EVENTS.items()]
    )
    actor = forms.ChoiceField(label=_("Who"), required=False, choices=[("", _("Anybody")), *_ACTORS.items()])
    agent = forms.CharField(label=_("Which agent"), required=False, max_length=64)

    def asked(self) -> dict[str, str]:
        """What is set and can be looked for."""
        self.full_clean()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def narrow(self, entries: QuerySet[JournalEntry]) -> QuerySet[JournalEntry]:
        asked = self.asked()
        columns = {"event": "event", "actor": "actor_kind", "agent": "actor_name"}
        return entries.filter(**{columns[name]: value for name, value in asked.items()})

    def query(self, **more: str) -> str:
        """``?event=…&cursor=…``, without what is empty."""
        given = {name: value for name, value in {**self.asked(), **more}.items() if value}
        return f"?{urlencode(given)}" if given else ""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry. ``item`` is the belief as it is now, None when it was purged or none of the reader's."""

    entry: JournalEntry
    title: str
    reason: str
    comment: str
    item: Row | None


def lines_of(principal: Principal, entries: Sequence[JournalEntry]) -> list[Line]:
    """The entries with their beliefs, in two statements for all of them."""
    items = load_for_display([entry.item_id for entry in entries])
    shown = {row.ref: row for row in rows_of([item for item in items.values() if item.user_id == principal.user_id])}
    return [
        Line(
            entry=entry,
            title=deed(entry),
            reason=why(entry.reason) if entry.moved else "",
            comment=payload.note if (payload := getattr(entry, "payload", None)) is not None else "",
            item=shown.get(entry.item_ref),
        )
        for entry in entries
    ]


@dataclass(frozen=True, slots=True)
class Verified:
    """``broken``: something does not fit. ``command`` shows the rest of it."""

    sentence: str
    broken: bool = False
    command: str = ""


def verified(request: HttpRequest) -> Verified:
    """The whole chain, replayed just now, against every belief as it is."""
    owner = user_of(request)
    entries = UserClock.objects.get(user_id=person_of(request).user_id).seq
    command = f".venv/bin/python manage.py verify_journal --owner {owner.username}"
    if entries > AT_ONCE:
        told = _now("%(count)s entries take a while to replay. This does it:") % {"count": thousands(entries)}
        return Verified(told, command=command)
    begun = perf_counter()
    found = verify(owner)
    told_of: dict[str, Any] = {
        "entries": thousands(found.entries),
        "items": thousands(found.items),
        "ms": round((perf_counter() - begun) * 1000),
    }
    if found.ok:
        told = _now("All %(entries)s entries fit, and all %(items)s beliefs are as they say (%(ms)d ms).") % told_of
        return Verified(told)
    first = found.differences[0]
    where = f"#{first['ref']}" if "ref" in first else _now("entry %(seq)s") % {"seq": thousands(first["seq"])}
    number = len(found.differences)
    told = _now("%(count)d things do not fit, the first at %(where)s.") % {"count": number, "where": where}
    return Verified(told, broken=True, command=command)
