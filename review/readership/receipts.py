"""Proof on the spot: every way out of the product, asked just now whether it still finds one belief."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.identity.principal import Principal
from review.gate import tombstones
from review.models import GovernanceItem
from review.readers import check, readers
from review.readership.audience import agents_reading


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader answered. ``whole``: see :class:`review.readers.Reader`."""

    title: str | Promise
    finds: bool
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """All readers at one moment, and the ``agents`` that may have it in a prompt. ``refused``: the words are turned
    away when somebody brings them again."""

    at: datetime
    milliseconds: int
    readings: Sequence[Reading] = field(default_factory=list)
    agents: Sequence[str] = ()
    refused: bool = False

    @property
    def whole(self) -> list[Reading]:
        """The owner's own copies, which take everything along."""
        return [reading for reading in self.readings if reading.whole]

    @property
    def asked(self) -> list[Reading]:
        """Those whose answer says who may use it."""
        return [reading for reading in self.readings if not reading.whole]

    @property
    def still(self) -> list[Reading]:
        """Those that find it."""
        return [reading for reading in self.asked if reading.finds]

    @property
    def whole_titles(self) -> str:
        return ", ".join(str(reading.title) for reading in self.whole)

    @property
    def summary(self) -> str:
        """``10 of 15 readers find it``."""
        told = {"still": len(self.still), "all": len(self.asked)}
        return _("%(still)d of %(all)d readers find it") % told

    @property
    def sentence(self) -> str:
        """``Gone from all 7 readers.``, or which ones still find it."""
        if self.still:
            told = {"titles": ", ".join(str(reading.title) for reading in self.still)}
            return _("Still found by: %(titles)s.") % told
        number = len(self.asked)
        told_all = ngettext("Gone from the one reader.", "Gone from all %(count)d readers.", number)
        return told_all % {"count": number}


def take_receipt(principal: Principal, item: GovernanceItem) -> Receipt:
    """Ask every reader of the item's kind as ``principal``. ``item`` may be gone already."""
    begun = perf_counter()
    found = check(principal, item)
    readings = [Reading(each.title, found[each.name], each.whole) for each in readers.all() if each.name in found]
    agents = agents_reading(principal, item)
    refused = tombstones.standing(item.user_id, item.text_digest) is not None
    return Receipt(timezone.now(), round((perf_counter() - begun) * 1000), readings, agents, refused)
