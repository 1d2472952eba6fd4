"""Panels of this app."""

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.person import is_signed_in, person_of
from pawflow_web.jobs import views
from pawflow_web.jobs.models import JobRun
from pawflow_web.web.panels import Count, panel
from pawflow_web.web.per_request import per_request


def running(request: HttpRequest) -> Count | None:
    """How many wait or run."""
    if not is_signed_in(request):
        return None
    number = per_request(request, "jobs.open", JobRun.objects.visible_to(person_of(request)).open().count)
    return Count(number, _("running")) if number else None


jobs = panel("jobs", title=_("Jobs"), group="system", icon="job", order=20, count=running)(views.jobs)
