"""Imports in the queue: of what came with one file and waits for nothing but a look, one row stands for all.

Which rows those are is asked once for a request; the list, the steps from row to row and the numbers of the groups
follow from that one answer, so that every waiting belief is a row or is counted under exactly one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Case, Count, Exists, F, FilteredRelation, Max, Min, OuterRef, Q, When
from django.urls import reverse
from django.utils.http import urlencode

from pawflow_web.identity.principal import Principal
from review.limits import ASK_ABOVE
from review.models import Evidence, GovernanceItem, Origin, Reason
from review.querysets import ItemQuerySet


@dataclass(frozen=True, slots=True)
class FileGroup:
    """``number`` beliefs of one file, one of which is the row above. ``upto`` is the last change among them: what
    came or changed later is not in that number."""

    file: str
    number: int
    upto: int

    @property
    def more(self) -> int:
        """How many stand under the row."""
        return self.number - 1

    @property
    def asks(self) -> bool:
        return self.number > ASK_ABOVE

    @property
    def look(self) -> str:
        """The queue narrowed to the file, where each is a row."""
        return f"{reverse('review')}?{urlencode({'file': self.file})}"


@dataclass(frozen=True, slots=True)
class Folds:
    """``shown`` is the condition for being a row; ``groups`` are by the number of the row that they stand under."""

    shown: Q = field(default_factory=Q)
    groups: Mapping[int, FileGroup] = field(default_factory=dict)


def folds(principal: Principal) -> Folds:
    """How the queue folds now."""
    alone = Case(When(said=None, then=F("number")))
    rows = (
        _with_first_file(principal)
        .values_list("said__file", alone)
        .annotate(head=Min("number"), number_of=Count("pk"), upto=Max("changed_seq"))
        .values_list("said__file", "head", "number_of", "upto")
    )
    found = list(rows)
    heads = [head for _file, head, _number, _upto in found]
    groups = {head: FileGroup(file, number, upto) for file, head, number, upto in found if file and number > 1}
    presses_or_heads = Q(contradicts__isnull=False) | ~Q(reason=Reason.IMPORT_REVIEW) | Q(number__in=heads)
    return Folds(presses_or_heads, groups)


def imports_of(principal: Principal, file: str) -> ItemQuerySet:
    """What the group of that file counts."""
    return _with_first_file(principal, Q(said__file=file))


def _with_first_file(principal: Principal, more: Q | None = None) -> ItemQuerySet:
    """Plain imports, each beside the first file that brought it (``said``, None where no file is known); only those
    for which ``more`` holds of both."""
    named = Q(evidence__origin=Origin.IMPORTER) & ~Q(evidence__file="")
    earlier = Evidence.objects.filter(origin=Origin.IMPORTER, item=OuterRef("pk"), pk__lt=OuterRef("said__pk"))
    waiting = GovernanceItem.objects.visible_to(principal).waiting()
    plain = waiting.filter(reason=Reason.IMPORT_REVIEW, contradicts__isnull=True)
    # One call: a second one would ask for any of its files.
    return plain.annotate(said=FilteredRelation("evidence", condition=named)).filter(
        more or Q(), ~Exists(earlier.exclude(file=""))
    )
