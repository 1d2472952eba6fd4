"""The tables of this app in ``/admin``."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from pawflow_web.jobs.models import JobRun, WorkerBeat
from pawflow_web.jobs.services import cancel_run
from pawflow_web.lib.errors import InvalidTransition
from pawflow_web.web.admin import OwnersAdmin


@admin.register(JobRun)
class JobRunAdmin(OwnersAdmin):
    title = _("Jobs")
    list_display = ("ref", "kind", "state", "done", "total", "created_at", "finished_at")
    list_filter = ("state",)
    ordering = ("-pk",)
    # without the arguments, which name places on this machine
    fields = (
        "ref",
        "kind",
        "state",
        "done",
        "total",
        "result",
        "error",
        "cancel_requested_at",
        "created_at",
        "started_at",
        "finished_at",
    )
    actions = ("cancel",)

    @admin.action(description=_("Cancel: ask them to stop"))
    def cancel(self, request: HttpRequest, queryset: QuerySet[JobRun]) -> None:
        for run in queryset.order_by("pk"):
            try:
                cancel_run(run)
            except InvalidTransition as error:
                messages.warning(request, f"#{run.ref}: {error.message}")
            else:
                messages.success(request, _("#%(ref)s is asked to stop.") % {"ref": run.ref})


@admin.register(WorkerBeat)
class WorkerBeatAdmin(OwnersAdmin):
    title = _("Workers")
    owner = ""
    by_ref = ""
    list_display = ("node", "at")
    ordering = ("node",)
    fields = ("node", "at")
