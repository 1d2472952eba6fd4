"""One belief as of another day: whether agents could read it then, and what was known of it by then."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from pawflow_web.identity.clock import now
from pawflow_web.web.time_travel import then_of
from pawflow_web.web.times import full_time
from review.display.rows import Row
from review.display.steps import Step
from review.models import READABLE, Believed, GovernanceItem
from review.pages.item.actions import Actions
from review.pages.item.page import ItemPage


def on_its_day(request: HttpRequest, page: ItemPage, item: GovernanceItem) -> ItemPage:
    """The page as it is; of another day without what can be done now and without what came to be known later."""
    day = then_of(request)
    if day is None:
        return page
    at = day.at or now()
    page = replace(page, actions=Actions((), ()), sentence=_as_known_now(item, at))
    return page if day.known is None else _as_known(page, item, at, day.known)


def _as_known_now(item: GovernanceItem, at: datetime) -> str:
    if item.status not in READABLE:
        return _("No agent may read it now, so none is told of it for that day either.")
    if at in item.valid:
        return _("As it is known now, it held on that day.")
    return _("As it is known now, it did not hold on that day.")


def _as_known(page: ItemPage, item: GovernanceItem, at: datetime, known: datetime) -> ItemPage:
    reading = Believed.objects.filter(item=item, known__contains=known).first()
    connected = [link for link in page.connected if link.item.recorded_at and link.item.recorded_at <= known]
    refs = {link.item.ref for link in connected}
    facts = {name: ref if ref in refs else None for name, ref in _links(page.item).items()}
    if reading is not None:
        facts |= {"valid_from": reading.valid.lower, "valid_to": reading.valid.upper}
    return replace(
        page,
        item=page.item.model_copy(update=facts),
        sentence=_sentence(item, reading, at, known),
        sources=_until(page.sources, known),
        history=_until(page.history, known),
        # drawn from what is known now
        ranges=None,
        connected=connected,
    )


def _sentence(item: GovernanceItem, reading: Believed | None, at: datetime, known: datetime) -> str:
    if known < item.recorded_at:
        came = full_time(timezone.localtime(item.recorded_at))
        return _("It was not known here yet: it came on %(day)s.") % {"day": came}
    if reading is None:
        return _("It was known here, but no agent could read it then.")
    if at in reading.valid:
        return _("Your agents could read it then.")
    return _("It was in use here then, but for another time than that day.")


def _links(row: Row) -> dict[str, str | None]:
    return {"supersedes": row.supersedes, "superseded_by": row.superseded_by, "contradicts": row.contradicts}


def _until(steps: Sequence[Step], known: datetime) -> list[Step]:
    return [step for step in steps if step.at is not None and step.at <= known]
