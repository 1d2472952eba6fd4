"""Bulk decisions and imports."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from pawflow_web.web.admin import OwnersAdmin
from review.models import Batch, ImportJob


@admin.register(Batch)
class BatchAdmin(OwnersAdmin):
    title = _("Bulk decisions")
    list_display = ("ref", "action", "number", "at", "undone_at")
    ordering = ("-pk",)
    fields = ("ref", "action", "decisions", "at", "undone_at")

    @admin.display(description=_("decisions"))
    def number(self, batch: Batch) -> int:
        return len(batch.decisions)


@admin.register(ImportJob)
class ImportJobAdmin(OwnersAdmin):
    title = _("Imports")
    list_display = ("ref", "format", "source", "state", "decided", "started_at", "finished_at")
    list_filter = ("state",)
    list_select_related = ("agent",)
    ordering = ("-started_at", "-pk")
    fields = ("ref", "format", "source", "agent", "state", "decided", "line", "report", "started_at", "finished_at")
