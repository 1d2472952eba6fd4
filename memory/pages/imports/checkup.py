"""A check-up as a person reads it: a sentence for each sort of finding, and its lines below."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.importers.checkup import Checked, CheckUp, Contradiction, Known, Repeated
from pawflow_web.lib.scanner import describe
from pawflow_web.web.templatetags.pawflow import thousands
from review.display.labels import DIFFERENCE, STATUS

# Of each sort; a page with more is not read.
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One finding. ``where`` says which line, ``why`` what is the matter; ``other`` stands beside it."""

    belief: Checked
    why: str = ""
    other: Checked | None = None
    # the belief that is there already
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """One sort of finding: a sentence that counts, the first rows, and how many more there are."""

    name: str
    sentence: str
    hint: str
    rows: Sequence[Row]
    more: int
    status: str = "needs_review"


def beliefs(found: CheckUp) -> str:
    """``212 beliefs.``"""
    return _counted(found.total, ngettext("%(count)s belief.", "%(count)s beliefs.", found.total))


def groups(found: CheckUp) -> list[Group]:
    """What was found, what needs a person most first; sorts of which there is nothing are left out."""
    built = (_secrets, _instructions, _contradictions, _against_use, _personal, _repeated, _refused, _known)
    return [group for build in built if (group := build(found)) is not None]


def not_compared(found: CheckUp) -> list[str]:
    """What the answer does not cover; empty when it covers everything."""
    told = []
    if found.left_out and not found.total:
        told.append(_("There was no time to read it to its end, and no belief was met until then."))
    elif found.left_out:
        told.append(
            _("Only the first %(count)s beliefs were looked at; the file holds more.")
            % {"count": thousands(found.total)}
        )
    if found.in_use > found.in_use_compared:
        told.append(
            _("It was held against the newest %(compared)s of %(total)s beliefs in use.")
            % {"compared": thousands(found.in_use_compared), "total": thousands(found.in_use)}
        )
    if not found.pairs_complete:
        told.append(_("So many lines are alike that not all of them were held against each other."))
    return told


def _group(
    name: str, number: int, sentence: str, hint: str, rows: Sequence[Any], row: Callable[[Any], Row], **more: str
) -> Group | None:
    if not rows:
        return None
    shown = [row(one) for one in rows[:SHOWN]]
    return Group(name, _counted(number, sentence), hint, shown, len(rows) - len(shown), **more)


def _counted(number: int, sentence: str) -> str:
    return sentence % {"count": thousands(number)}


def _rules(belief: Checked) -> Row:
    return Row(belief, "; ".join(describe(rule) for rule in belief.rules))


def _secrets(found: CheckUp) -> Group | None:
    number = len(found.secrets)
    sentence = ngettext("%(count)s holds a secret.", "%(count)s hold secrets.", number)
    hint = _("The secret itself is not shown. In review such a belief stays masked, and no agent reads it.")
    return _group("secrets", number, sentence, hint, found.secrets, _rules, status="rejected")


def _instructions(found: CheckUp) -> Group | None:
    number = len(found.instructions)
    sentence = ngettext("%(count)s tries to instruct the agent.", "%(count)s try to instruct the agent.", number)
    hint = _("What is marked reads like an order to the agent and not like something to remember.")
    return _group("instructions", number, sentence, hint, found.instructions, _rules, status="rejected")


def _contradictions(found: CheckUp) -> Group | None:
    number = found.contradicting
    sentence = ngettext("%(count)s may contradict itself.", "%(count)s may contradict each other.", number)
    hint = _("They look alike and differ in what cannot both hold. Told from the words alone, so it may be wrong.")
    return _group("contradictions", number, sentence, hint, found.contradictions, _pair)


def _against_use(found: CheckUp) -> Group | None:
    number = len({one.belief.line for one in found.against_use})
    sentence = ngettext("%(count)s may contradict what is in use.", "%(count)s may contradict what is in use.", number)
    hint = _("Your agents read the other one today.")
    return _group("against-use", number, sentence, hint, found.against_use, _pair)


def _pair(one: Contradiction) -> Row:
    return Row(one.belief, str(DIFFERENCE.get(one.difference, one.difference)), one.other, one.ref)


def _personal(found: CheckUp) -> Group | None:
    number = len(found.personal)
    sentence = ngettext("%(count)s is personal.", "%(count)s are personal.", number)
    hint = _("Only agents that you allow it read what is sensitive.")
    return _group("personal", number, sentence, hint, found.personal, _rules)


def _repeated(found: CheckUp) -> Group | None:
    number = len(found.repeated)
    sentence = ngettext("%(count)s is said twice.", "%(count)s are said twice.", number)

    def row(one: Repeated) -> Row:
        return Row(one.belief, _("the same as line %(line)d") % {"line": one.first})

    hint = _("The same words, but for case and punctuation. They become one belief.")
    return _group("repeated", number, sentence, hint, found.repeated, row, status="stale")


def _refused(found: CheckUp) -> Group | None:
    number = len(found.refused)
    sentence = ngettext("%(count)s was rejected by you before.", "%(count)s were rejected by you before.", number)
    hint = _("They are refused again, and do not come into review.")
    return _group("refused", number, sentence, hint, found.refused, lambda one: Row(one.belief), status="rejected")


def _known(found: CheckUp) -> Group | None:
    number = len(found.known)
    sentence = ngettext("%(count)s is known already.", "%(count)s are known already.", number)

    def row(one: Known) -> Row:
        word = STATUS.get(one.status)
        return Row(one.belief, str(word.shown) if word else one.status, ref=one.ref)

    return _group("known", number, sentence, _("Nothing is added for them."), found.known, row, status="active")


def faults(found: CheckUp) -> tuple[str, Sequence[tuple[int, str]], int]:
    """What cannot be stored, as a sentence; the first of them by line; how many more there are."""
    number = len(found.faults)
    sentence = ngettext("%(count)s place cannot be stored.", "%(count)s places cannot be stored.", number)
    return _counted(number, sentence), sorted(found.faults)[:SHOWN], max(0, number - SHOWN)
