"""A belief's way through the product, told to the person it belongs to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from review.display import labels
from review.display.differences import in_one
from review.display.labels import why
from review.journal.chain import Event
from review.models import Evidence, GovernanceItem, JournalEntry, Privacy, Reason, Status, UseEvent
from review.readers import readers

QUOTE_CHARS = 600
_TURN = re.compile(r"[^/\s]+:[0-9]{1,9}")

# What an entry of the journal says; "%(who)s" is You, an agent's name or PawFlow.
DEEDS: dict[str, str | Promise] = {
    "admit": gettext_lazy("%(who)s brought it"),
    "accept": gettext_lazy("%(who)s accepted it"),
    "reject": gettext_lazy("%(who)s rejected it"),
    "restore": gettext_lazy("%(who)s brought it back for another look"),
    "forget": gettext_lazy("%(who)s took it out of use"),
    "confirm": gettext_lazy("%(who)s said the same again"),
    "restate": gettext_lazy("%(who)s said it again"),
    "recur": gettext_lazy("It happened a second time"),
    "supersede": gettext_lazy("Replaced"),
    "expire": gettext_lazy("Its time was over"),
    "correct": gettext_lazy("%(who)s corrected it"),
    "end": gettext_lazy("%(who)s ended it"),
    "edit": gettext_lazy("%(who)s changed it"),
    "undo": gettext_lazy("%(who)s took the last decision back"),
    "flag": gettext_lazy("%(who)s flagged it"),
    "consolidate": gettext_lazy("%(who)s merged it into another belief"),
    "feedback": gettext_lazy("%(who)s said how useful it was"),
    "archive_request": gettext_lazy("%(who)s asked to archive it"),
    "decline_archive": gettext_lazy("%(who)s kept it in use"),
    "lift_tombstone": gettext_lazy("%(who)s lifted the refusal"),
    "refuse": gettext_lazy("%(who)s offered the same words and was refused"),
    "reveal": gettext_lazy("%(who)s looked at the secret words"),
    "seal": gettext_lazy("%(who)s made it secret; what was kept of it before is erased"),
    "open": gettext_lazy("%(who)s said that it is no secret"),
    "purge": gettext_lazy("%(who)s erased it for good"),
}
# Deeds whose title says why already.
_SPEAKS_FOR_ITSELF = {"accept", "reject", "restore", "forget", "correct", "expire", "undo"}


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a chain, as ``components/chain.html`` draws it. ``words`` is a change of words, marked; ``key``
    follows its link."""

    title: str
    at: datetime | None = None
    sentence: str = ""
    quote: str = ""
    spans: Sequence[tuple[int, int]] = field(default_factory=list)
    status: str = ""
    url: str = ""
    url_text: str = ""
    key: str = ""
    words: SafeString | str = ""


def status_sentence(item: GovernanceItem, now: datetime) -> str:
    """What its status means at that moment, and why it has it."""
    return _("%(meaning)s Why: %(why)s.") % {"meaning": _meaning(item, now), "why": why(item.reason)}


def _meaning(item: GovernanceItem, now: datetime) -> str:
    if item.status != Status.ACTIVE:
        return str(labels.word_of(labels.STATUS, item.status).sentence)
    return kept_from_agents(item, now) or _("Your agents may read this now.")


def kept_from_agents(item: GovernanceItem, now: datetime) -> str:
    """Why agents do not read at that moment what is in use, by the conditions of :func:`review.querysets.recallable`;
    empty when they do."""
    # The database's clock, by which it was written, may be a moment ahead.
    valid, now = item.valid, max(now, item.updated_at)
    if item.expires_at is not None and item.expires_at <= now:
        return _("Its time is over; agents no longer read it.")
    if item.privacy == Privacy.SECRET:
        return _("It is in use for you alone. It never leaves here and is shown masked.")
    if valid.isempty or (valid.upper is not None and valid.upper <= now):
        return _("It is no longer true; agents read it only when they ask about the time before.")
    if valid.lower is not None and valid.lower > now:
        return _("It is not true yet; agents read it from that day on.")
    if item.privacy == Privacy.SENSITIVE:
        return _("It is in use, and sensitive: only agents that you allow read it.")
    return ""


def history_steps(
    events: Sequence[Event], *, item: GovernanceItem | None = None, before: GovernanceItem | None = None
) -> list[Step]:
    """What happened to a belief, the newest first. With the one ``before`` it, whose words were corrected, the
    change is shown word by word."""
    steps = [_step(event) for event in events]
    if steps and item is not None and before is not None and before.reason == Reason.CORRECTED:
        steps[0] = _corrected(steps[0], events[0].entry, before, item)
    return steps[::-1]


def _corrected(step: Step, entry: JournalEntry, before: GovernanceItem, item: GovernanceItem) -> Step:
    title = _("%(who)s corrected the words") % {"who": who(entry)}
    if Privacy.SECRET in {before.privacy, item.privacy}:
        return replace(step, title=title)
    return replace(step, title=title, words=in_one(before.text, item.text))


def use_steps(uses: Iterable[UseEvent]) -> list[Step]:
    """Who was shown it, and as which of how many in the answer."""
    return [
        Step(
            title=_("%(who)s used it") % {"who": use.principal.partition(":")[2] or _("An agent")},
            at=use.at,
            sentence=_("%(reader)s, place %(rank)d") % {"reader": _reader(use.reader), "rank": use.rank},
            status="active",
        )
        for use in uses
    ]


def _reader(name: str) -> str:
    known = readers.find(name)
    return str(known.title) if known else name


def deed(entry: JournalEntry) -> str:
    """``You accepted it``."""
    told = DEEDS.get(entry.verb) or "%(who)s: " + entry.verb.replace("_", " ").replace("%", "%%")
    return str(told) % {"who": who(entry)}


def _step(event: Event) -> Step:
    entry = event.entry
    return Step(
        title=deed(entry),
        at=entry.at,
        sentence=_moved(event),
        quote=event.comment,
        status=event.status_after or "",
    )


def who(entry: JournalEntry) -> str:
    """You, an agent by its name, or the product itself."""
    if entry.actor_kind == "person":
        return _("You")
    return entry.actor_name if entry.actor_kind == "agent" else _("PawFlow")


def _moved(event: Event) -> str:
    """``from Needs review to In use; confidence: 0.85, now 0.90``."""
    entry = event.entry
    after = str(labels.word_of(labels.STATUS, event.status_after or "").shown)
    parts: list[str] = []
    if event.status_before is None:
        parts.append(_("%(status)s: %(why)s") % {"status": after, "why": why(entry.reason)})
    elif event.status_before != event.status_after:
        before = str(labels.word_of(labels.STATUS, event.status_before).shown)
        parts.append(_("from %(before)s to %(after)s") % {"before": before, "after": after})
        if entry.verb not in _SPEAKS_FOR_ITSELF:
            parts.append(why(entry.reason))
    parts += [_changed(name, old, new) for name, (old, new) in event.changes.items() if name in _TOLD]
    if entry.actor_token and entry.actor_kind == "person":
        parts.append(_("with the token %(token)s") % {"token": entry.actor_token})
    return "; ".join(parts)


def _changed(name: str, old: Any, new: Any) -> str:
    told, shown = _TOLD[name]
    before, after = (_("none") if value in (None, "", []) else shown(value) for value in (old, new))
    return _("%(field)s: %(before)s, now %(after)s") % {"field": told, "before": before, "after": after}


def _privacy(code: str) -> str:
    return _("ordinary") if code == Privacy.NORMAL else str(labels.word_of(labels.PRIVACY, code).shown).lower()


def _moment(text: str) -> str:
    return date_format(localtime(datetime.fromisoformat(text)), "j F Y, H:i")


# Fields whose change a person understands without the rest of the record: how each is called, and how a value of it in
# the journal is said.
_TOLD: Mapping[str, tuple[str | Promise, Callable[[Any], str]]] = {
    "confidence": (gettext_lazy("confidence"), lambda hundredths: f"{hundredths / 100:.2f}"),
    "category": (gettext_lazy("category"), str),
    "tags": (gettext_lazy("tags"), ", ".join),
    "pinned": (gettext_lazy("pinned"), lambda is_so: _("yes") if is_so else _("no")),
    "privacy": (gettext_lazy("privacy"), _privacy),
    "scope": (gettext_lazy("read by"), lambda code: str(labels.word_of(labels.READER, code).shown)),
    "scope_agent": (gettext_lazy("which agent"), str),
    "expires_at": (gettext_lazy("expires"), _moment),
}


# --- where it comes from --------------------------------------------------------------------------------------


def source_steps(item: GovernanceItem, evidence: Sequence[Evidence]) -> list[Step]:
    """Each occasion on which it was said, then what the gate made of it and how it stands now. The key ``o`` opens the
    first turn."""
    steps = [_occasion(item, row) for row in evidence]
    first = next((place for place, step in enumerate(steps) if step.url), None)
    if first is not None:
        steps[first] = replace(steps[first], key="o")
    now = labels.word_of(labels.STATUS, item.status)
    return [*steps, Step(title=str(now.shown), sentence=why(item.reason), at=item.updated_at, status=item.status)]


def _occasion(item: GovernanceItem, row: Evidence) -> Step:
    kind, _separator, name = row.principal.partition(":")
    place = str(labels.word_of(labels.ORIGIN, row.origin).shown)
    if row.file and row.line:
        place = _("%(file)s, line %(line)s") % {"file": row.file, "line": row.line}
    elif row.file:
        place = row.file
    elif row.turn:
        place = _("%(origin)s, turn %(turn)s") % {"origin": place, "turn": row.turn}
    hidden = item.privacy == Privacy.SECRET
    quote = "" if hidden else row.quote[:QUOTE_CHARS]
    spans = [] if row.span_start is None or row.span_end is None else [(row.span_start, row.span_end)]
    return Step(
        title=_said_by(kind, name),
        at=row.at,
        sentence=place,
        quote=quote,
        spans=spans,
        url=turn_address(row.turn),
        url_text=_("Open the turn"),
    )


def turn_address(turn: str) -> str:
    """Where the turn ``run:number`` is read; empty for what names none."""
    return reverse("session-turn", args=[turn]) if _TURN.fullmatch(turn) else ""


def _said_by(kind: str, name: str) -> str:
    if kind == "person":
        return _("You said it")
    if kind == "import":
        return _("It came with %(file)s") % {"file": name or _("an import")}
    return _("%(name)s said it") % {"name": name or kind}
