"""A belief as a line of a list: short, and with the places that a reader looks for."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from pawflow_web.lib.scanner import describe
from pawflow_web.lib.text import excerpt, spans
from review.display.shape import MASK, ItemOut, present_all
from review.models import Evidence, GovernanceItem, Privacy, Scope
from review.querysets import first_reason

# Characters of a belief in a list. Nobody reads more in a line, and a page of long ones must stay light.
ROW_CHARS = 240
# And of one finding.
_FINDING_CHARS = 120


class Row(ItemOut):
    """A belief to show. ``spans`` are the places to mark in ``text``."""

    spans: list[tuple[int, int]] = []

    @property
    def shown_scope(self) -> str:
        """Who may read it, as the words of a sentence."""
        return reader_words(self.scope, self.agent)

    @property
    def why(self) -> str:
        """The reason that a person has to look at first."""
        return first_reason(self.reason, contradicts=self.contradicts is not None)


def rows_of(
    items: Sequence[GovernanceItem], words: Sequence[str] = (), sources: Mapping[int, Evidence] | None = None
) -> list[Row]:
    """Shortened for a list, around the words that were looked for. ``sources``: as for :func:`present_all`."""
    return [_short(shown, words) for shown in present_all(items, sources)]


def full_rows(items: Sequence[GovernanceItem], sources: Mapping[int, Evidence] | None = None) -> list[Row]:
    """With all their words, and the flagged passages marked. ``sources``: as for :func:`present_all`."""
    return [
        Row(**dict(shown), spans=flag_spans(item, shown.text))
        for shown, item in zip(present_all(items, sources), items, strict=True)
    ]


def flag_spans(item: GovernanceItem, text: str) -> list[tuple[int, int]]:
    """Where the scanner found something; nothing in masked words."""
    if text != item.text:
        return []
    return [(int(flag["start"]), int(flag["end"])) for flag in item.flags if flag["end"] > flag["start"]]


def flags_of(item: GovernanceItem) -> list[dict[str, str]]:
    """What the scanner found, as rule, sentence and the words it means."""
    shown = []
    for flag in item.flags:
        start, end = int(flag["start"]), int(flag["end"])
        words = MASK if item.privacy == Privacy.SECRET else item.text[start : min(end, start + _FINDING_CHARS)]
        shown.append({"rule": flag["rule"], "sentence": describe(flag["rule"]), "excerpt": words})
    return shown


def reader_words(scope: str, agent: str | None) -> str:
    """Who reads a belief of that scope, to stand at the start of a sentence."""
    if scope == Scope.AGENT:
        return agent or _("one agent")
    return {
        Scope.GLOBAL: _("every agent of yours"),
        Scope.CONVERSATION: _("every agent in its conversation"),
        Scope.PRIVATE: _("%(agent)s in its conversation") % {"agent": agent or _("one agent")},
    }[Scope(scope)]


def _short(shown: ItemOut, words: Sequence[str]) -> Row:
    text = excerpt(shown.text, words, chars=ROW_CHARS)
    return Row(**{**dict(shown), "text": text}, spans=spans(text, words) if words else [])
