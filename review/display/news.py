"""What happened in an owner's memory, in sentences, the newest first: the journal told to the person it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pawflow_web.identity.principal import Principal
from review.display.shape import first_words
from review.display.steps import who
from review.models import GovernanceItem, JournalEntry

LINES = 12
# So many entries are read for one page of lines; a long import is one line and may hold more than these.
_WINDOW = 500
_COLUMNS = ("seq", "decision", "verb", "actor_kind", "actor_name", "item_id", "item_ref", "at")
# The same party doing the same is one line as long as it goes on.
_PAUSE = timedelta(hours=1)
_FIRST_WORDS = 60

# For one belief and for many; "%(who)s" is You, an agent's name or PawFlow, "%(number)s" how many.
TOLD: dict[str, tuple[str | Promise, str | Promise]] = {
    "admit": (gettext_lazy("%(who)s brought"), gettext_lazy("%(who)s brought %(number)s beliefs")),
    "accept": (gettext_lazy("%(who)s accepted"), gettext_lazy("%(who)s accepted %(number)s beliefs")),
    "reject": (gettext_lazy("%(who)s rejected"), gettext_lazy("%(who)s rejected %(number)s beliefs")),
    "restore": (gettext_lazy("%(who)s brought back"), gettext_lazy("%(who)s brought back %(number)s beliefs")),
    "forget": (gettext_lazy("%(who)s took out of use"), gettext_lazy("%(who)s took %(number)s beliefs out of use")),
    "confirm": (gettext_lazy("%(who)s said again"), gettext_lazy("%(who)s said %(number)s beliefs again")),
    "restate": (gettext_lazy("%(who)s said again"), gettext_lazy("%(who)s said %(number)s beliefs again")),
    "recur": (gettext_lazy("It happened again:"), gettext_lazy("%(number)s procedures happened again")),
    "supersede": (gettext_lazy("Replaced:"), gettext_lazy("%(number)s beliefs were replaced")),
    "expire": (gettext_lazy("Its time was over:"), gettext_lazy("The time of %(number)s beliefs was over")),
    "correct": (gettext_lazy("%(who)s corrected"), gettext_lazy("%(who)s corrected %(number)s beliefs")),
    "end": (gettext_lazy("%(who)s ended"), gettext_lazy("%(who)s ended %(number)s beliefs")),
    "edit": (gettext_lazy("%(who)s changed"), gettext_lazy("%(who)s changed %(number)s beliefs")),
    "undo": (gettext_lazy("%(who)s took a decision back:"), gettext_lazy("%(who)s took %(number)s decisions back")),
    "flag": (gettext_lazy("%(who)s flagged"), gettext_lazy("%(who)s flagged %(number)s beliefs")),
    "consolidate": (
        gettext_lazy("%(who)s merged into another:"),
        gettext_lazy("%(who)s merged %(number)s beliefs into others"),
    ),
    "feedback": (gettext_lazy("%(who)s judged"), gettext_lazy("%(who)s judged %(number)s beliefs")),
    "seal": (gettext_lazy("%(who)s made secret:"), gettext_lazy("%(who)s made %(number)s beliefs secret")),
    "open": (gettext_lazy("%(who)s made readable:"), gettext_lazy("%(who)s made %(number)s beliefs readable")),
    "decline_archive": (
        gettext_lazy("%(who)s declined to archive"),
        gettext_lazy("%(who)s declined to archive %(number)s beliefs"),
    ),
    "archive_request": (
        gettext_lazy("%(who)s asks to archive"),
        gettext_lazy("%(who)s asks to archive %(number)s beliefs"),
    ),
    "lift_tombstone": (
        gettext_lazy("%(who)s lifted a refusal:"),
        gettext_lazy("%(who)s lifted %(number)s refusals"),
    ),
    "refuse": (
        gettext_lazy("%(who)s was refused: you rejected"),
        gettext_lazy("%(who)s was refused %(number)s times: you had rejected the words"),
    ),
    "reveal": (
        gettext_lazy("%(who)s looked at a secret:"),
        gettext_lazy("%(who)s looked at %(number)s secrets"),
    ),
    "purge": (gettext_lazy("%(who)s purged"), gettext_lazy("%(who)s purged %(number)s beliefs")),
}
# Told with the decision that they follow from.
_FOLLOW = frozenset({"supersede", "expire"})
# What a decision over several beliefs is called after; else after its first entry that follows from nothing.
_FIRST = ("undo", "correct")


@dataclass(slots=True)
class Line:
    """One thing that happened: to one belief, whose words and address it has, or to a number of them.

    ``at`` is when, at the latest; ``replaced`` counts what gave way; ``or_more``: nobody counted to the end.
    """

    at: datetime
    until: datetime
    verb: str
    who: str
    seq: int
    item_ids: set[int]
    ref: str
    replaced: int
    decisions: int = 1
    or_more: bool = False
    words: str = ""
    url: str = ""

    @property
    def number(self) -> int:
        """How many: decisions where they are what it was done to, else beliefs."""
        return self.decisions if self.verb == "undo" else len(self.item_ids)

    @property
    def alone(self) -> bool:
        return self.number == 1

    @property
    def sentence(self) -> str:
        """``You accepted``, before the words of the one belief; ``You accepted 11 beliefs``."""
        named = self.verb.replace("_", " ").replace("%", "%%")
        one, many = TOLD.get(self.verb, (f"%(who)s: {named}", f"%(who)s: {named}, %(number)s"))
        number = _("%(number)d or more") if self.or_more else "%(number)d"
        shown = number % {"number": self.number}
        return str(one if self.alone else many) % {"who": self.who, "number": shown}


@dataclass(frozen=True, slots=True)
class News:
    """One page of lines, and the entry of the journal before which the next one lies (0: nothing does)."""

    lines: list[Line]
    before: int


def news_of(principal: Principal, *, since: datetime | None = None, before: int = 0) -> News:
    """What happened after ``since``, or before the journal's entry ``before``. Two statements, whatever happened."""
    rows = JournalEntry.objects.filter(user_id=principal.user_id).order_by("-seq")
    if before:
        rows = rows.filter(seq__lt=before)
    entries = list(rows.only(*_COLUMNS)[:_WINDOW])
    told = [entry for entry in entries if before or since is None or entry.at > since]
    lines = _lines(told)
    page = lines[:LINES]
    if page and len(lines) <= LINES and len(told) == _WINDOW:
        page[-1].or_more = True
    _name(principal, page)
    return News(page, _next(page, entries))


def _next(page: Sequence[Line], entries: Sequence[JournalEntry]) -> int:
    # Entries are numbered from 1 without a gap, so that the number says whether anything came before.
    if page:
        return page[-1].seq if page[-1].seq > 1 else 0
    return entries[0].seq + 1 if entries else 0


def _lines(entries: Sequence[JournalEntry]) -> list[Line]:
    """Entries, the newest first, as lines: a decision is one, and so are many alike."""
    lines: list[Line] = []
    for _decision, of_it in groupby(entries, key=attrgetter("decision")):
        line = _line(list(of_it))
        last = lines[-1] if lines else None
        if last and (last.verb, last.who) == (line.verb, line.who) and last.until - line.at <= _PAUSE:
            last.item_ids |= line.item_ids
            last.replaced += line.replaced
            last.decisions += 1
            last.until, last.seq = line.until, line.seq
        else:
            lines.append(line)
    return lines


def _line(entries: Sequence[JournalEntry]) -> Line:
    """What one decision did, of which these are the entries, the newest first."""
    verbs = {entry.verb for entry in entries}
    own = [entry for entry in reversed(entries) if entry.verb not in _FOLLOW]
    verb = next((verb for verb in _FIRST if verb in verbs), (own or entries)[0].verb)
    named = [entry for entry in entries if entry.verb == verb]
    # A decision taken back is told of the belief it was about, a correction with the words as they are now.
    new = [entry for entry in entries if entry.verb == "admit"]
    shown = (new if verb == "correct" and new else named)[-1]
    return Line(
        at=entries[0].at,
        until=entries[-1].at,
        verb=verb,
        who=who(named[0]),
        seq=entries[-1].seq,
        item_ids={entry.item_id for entry in named},
        ref=shown.item_ref,
        replaced=sum(entry.verb == "supersede" for entry in entries) if verb != "supersede" else 0,
    )


def _name(principal: Principal, lines: Sequence[Line]) -> None:
    """The words of what stands alone on its line; one that was purged has none."""
    refs = [line.ref for line in lines if line.alone]
    items = GovernanceItem.objects.visible_to(principal).filter(ref__in=refs).only("ref", "text", "privacy")
    known = {item.ref: first_words(item, _FIRST_WORDS) for item in items}
    for line in lines:
        if line.alone and line.ref in known:
            line.words = known[line.ref]
            line.url = reverse("item", args=[line.ref])
