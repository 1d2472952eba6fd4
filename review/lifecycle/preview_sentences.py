"""What would follow from a decision, in sentences that go on after "If you accept:"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from review.display.shape import first_words
from review.models import LIVE, READABLE, GovernanceItem, Privacy, Status

# Characters of a belief that is named in a sentence, and names in a list before they are counted.
_LABEL_CHARS = 48
_NAMES_MOST = 3
_JUST_NOW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Sentence:
    """``ref`` is the other belief that it is about, named in ``label``; both are empty where it is the one decided
    on."""

    text: str
    ref: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One belief before and after the decision, with the names of the agents that read it."""

    before: GovernanceItem
    after: GovernanceItem
    read_by: Sequence[str]
    reads_then: Sequence[str]

    @property
    def gained(self) -> list[str]:
        return [name for name in self.reads_then if name not in self.read_by]

    @property
    def lost(self) -> list[str]:
        return [name for name in self.read_by if name not in self.reads_then]


def sentences(
    verb: str, turns: Sequence[Turn], now: datetime, zone: ZoneInfo, *, has_agents: bool
) -> tuple[Sentence, ...]:
    """The first of ``turns`` is the belief that is decided on."""
    subject, others = turns[0], turns[1:]
    teller = _Teller(now, zone, has_agents)
    told = [Sentence(text) for text in teller.of_subject(verb, subject)]
    for turn in others:
        label = _label(turn.after)
        told += [Sentence(text % {"label": label}, turn.after.ref, label) for text in teller.of_other(turn, subject)]
    left = _stays_replaced(verb, subject)
    return (*told, *left)


@dataclass(frozen=True, slots=True)
class _Teller:
    now: datetime
    zone: ZoneInfo
    has_agents: bool

    def of_subject(self, verb: str, turn: Turn) -> Iterator[str]:
        if verb == "correct":
            yield self._of_new_words(turn)
            return
        if turn.gained:
            yield _("%(who)s may read it from the next turn.") % {"who": _names(turn.gained)}
        if turn.lost:
            yield _no_longer(turn.lost)
        if not turn.gained and not turn.lost:
            yield self._of_no_change(turn)
        if verb == "reject":
            yield _("Its words are refused from then on, whoever offers them.")
        elif verb == "restore":
            yield _("It waits for you again, and its words are no longer refused.")

    def of_other(self, turn: Turn, subject: Turn) -> Iterator[str]:
        """Texts with room for the label of the belief."""
        before, after = turn.before, turn.after
        if after.status not in READABLE and before.status in LIVE:
            yield _("%(label)s goes out of use.")
            return
        if after.status in LIVE and before.status not in LIVE:
            yield _("%(label)s is in use again.") if after.status in READABLE else _("%(label)s waits again.")
            return
        if after.valid == before.valid:
            return
        if after.valid.isempty:
            yield _("%(label)s is replaced from its very start; it stays in the history.")
        elif before.valid.isempty or _later(after.valid.upper, before.valid.upper):
            yield _("%(label)s holds again as it did before.")
        else:
            yield _("%(label)s ends ") + self._moment(after.valid.upper) + "."
            gap = subject.after.valid.upper
            if gap is not None and _later(before.valid.upper, gap):
                yield _("From %(day)s on neither holds.") % {"day": self._day(gap)}

    def _of_new_words(self, turn: Turn) -> str:
        if turn.reads_then:
            sentence = ngettext(
                "%(who)s reads the new words from the next turn; the old ones stay in the history.",
                "%(who)s read the new words from the next turn; the old ones stay in the history.",
                len(turn.reads_then),
            )
            return sentence % {"who": _names(turn.reads_then)}
        return _("The new words take its place; the old ones stay in the history.")

    def _of_no_change(self, turn: Turn) -> str:
        after = turn.after
        if after.status not in READABLE:
            return _("No agent reads it, before or after.")
        if after.privacy != Privacy.NORMAL:
            return _("No agent reads it, because it is %(privacy)s.") % {"privacy": after.privacy}
        if not self.has_agents:
            return _("No agent of yours is connected yet; the first one may read it.")
        if not after.valid.isempty and after.valid.lower is not None and after.valid.lower > self.now:
            return _("No agent reads it before %(day)s.") % {"day": self._day(after.valid.lower)}
        if after.valid.upper is not None and after.valid.upper <= self.now:
            return _("Agents meet it only when they ask about the time before %(day)s.") % {
                "day": self._day(after.valid.upper)
            }
        return _("What your agents read stays the same.")

    def _moment(self, moment: datetime | None) -> str:
        if moment is None or abs(moment - self.now) < _JUST_NOW:
            return _("now")
        return _("on %(day)s") % {"day": self._day(moment)}

    def _day(self, moment: datetime) -> str:
        return date_format(localtime(moment, self.zone), "j F Y")


def _stays_replaced(verb: str, subject: Turn) -> Iterator[Sentence]:
    """What the decided belief took the place of does not come back by itself."""
    replaced = subject.before.supersedes
    if verb not in {"reject", "forget"} or replaced is None or replaced.status not in READABLE:
        return
    if replaced.status == Status.ACTIVE and replaced.valid.upper is None:
        return
    label = _label(replaced)
    text = _("%(label)s, which it replaced, does not come back by itself.") % {"label": label}
    yield Sentence(text, replaced.ref, label)


def _label(item: GovernanceItem) -> str:
    return f"#{item.number} {first_words(item, _LABEL_CHARS)}"


def _names(names: Sequence[str]) -> str:
    """``codex``, ``claude-code and codex``, ``5 agents``."""
    if len(names) > _NAMES_MOST:
        return ngettext("%(count)d agent", "%(count)d agents", len(names)) % {"count": len(names)}
    if len(names) == 1:
        return names[0]
    return _("%(some)s and %(last)s") % {"some": ", ".join(names[:-1]), "last": names[-1]}


def _no_longer(names: Sequence[str]) -> str:
    who = {"who": _names(names)}
    return ngettext("%(who)s no longer reads it.", "%(who)s no longer read it.", len(names)) % who


def _later(one: datetime | None, other: datetime | None) -> bool:
    """Whether an upper bound lies behind another; None is without an end."""
    return other is not None and (one is None or one > other)
