"""What agents asked a person to archive."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.person import person_of
from review.admin.beliefs import OfItemAdmin
from review.admin.deeds import for_each
from review.lifecycle.archiving import decide_archive
from review.models import ArchiveRequest


@admin.register(ArchiveRequest)
class ArchiveRequestAdmin(OfItemAdmin):
    title = _("Archive requests")
    list_display = ("ref", "item", "words", "principal", "state", "at", "decided_at")
    list_filter = ("state",)
    ordering = ("-pk",)
    fields = ("ref", "item", "words", "principal", "reason", "state", "at", "decided_at")
    actions = ("approve", "decline")

    @admin.action(description=_("Approve: take the beliefs out of use"))
    def approve(self, request: HttpRequest, queryset: QuerySet[ArchiveRequest]) -> None:
        person = person_of(request)
        for_each(request, queryset, "ref", lambda ref: decide_archive(principal=person, ref=ref, approve=True))

    @admin.action(description=_("Decline: the beliefs stay as they are"))
    def decline(self, request: HttpRequest, queryset: QuerySet[ArchiveRequest]) -> None:
        person = person_of(request)
        for_each(request, queryset, "ref", lambda ref: decide_archive(principal=person, ref=ref, approve=False))
