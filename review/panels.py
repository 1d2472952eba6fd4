"""Panels of this app, and the seal at the foot of the navigation."""

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.person import is_signed_in
from pawflow_web.web.context import JOURNAL, seals
from pawflow_web.web.panels import Count, panel
from review.pages.queue import views
from review.pages.records import views as records
from review.pages.records.seal import seal_of
from review.queue.waiting import reasons_of


def waiting(request: HttpRequest) -> Count | None:
    """How many beliefs wait for the person."""
    if not is_signed_in(request):
        return None
    number = sum(reasons_of(request).values())
    return Count(number, _("waiting"), due=True) if number else None


review = panel("review", title=_("Review"), group="", icon="review", order=20, count=waiting, tab=True, key="r")(
    views.review
)

# What hangs below Review: found by its name.
journal = panel("journal", title=_("Journal"), group="", icon="seal", order=21, listed=False)(records.journal)
refused = panel("refused", title=_("Refused words"), group="", icon="cross", order=22, listed=False)(records.refused)
archive_requests = panel(
    "archive-requests", title=_("Archive requests"), group="", icon="folder", order=23, listed=False
)(records.archive_requests)

seals.add(JOURNAL, seal_of)
