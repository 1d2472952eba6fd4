"""Why words are refused, told to the person who once rejected them."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from pawflow_web.identity.principal import Principal
from review.models import JournalPayload, Tombstone


@dataclass(frozen=True, slots=True)
class Refusal:
    """``sentence`` says when and why; ``item_ref`` is the rejected belief, empty when nothing is known of it."""

    sentence: str
    item_ref: str = ""


def told(principal: Principal, ref: str) -> Refusal:
    """The refusal of the principal's that the tombstone ``ref`` stands for."""
    stone = Tombstone.objects.filter(user_id=principal.user_id, ref=ref).first()
    if stone is None:
        return Refusal(_("You rejected this, so it was not stored."))
    told = {"day": date_format(localtime(stone.at), "j F Y"), "comment": _comment_on(stone)}
    if told["comment"]:
        return Refusal(_("You rejected this on %(day)s (“%(comment)s”), so it was not stored.") % told, stone.item_ref)
    return Refusal(_("You rejected this on %(day)s, so it was not stored.") % told, stone.item_ref)


def _comment_on(stone: Tombstone) -> str:
    """What the person wrote beside the last rejection."""
    entries = JournalPayload.objects.filter(user_id=stone.user_id, item_id=stone.item_id, entry__verb="reject")
    return entries.order_by("-entry__seq").values_list("note", flat=True).first() or ""
