"""The tables of this app in ``/admin``."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from conversations.models import Conversation, Project
from pawflow_web.web.admin import OwnersAdmin


@admin.register(Conversation)
class ConversationAdmin(OwnersAdmin):
    title = _("Conversations")
    list_display = ("ref", "title", "project", "source", "created_at", "updated_at")
    list_filter = ("encrypted", "temporary", "flagged")
    list_select_related = ("project",)
    ordering = ("-updated_at", "-pk")
    fields = (
        "ref",
        "title",
        "external_id",
        "project",
        "source",
        "encrypted",
        "temporary",
        "flagged",
        "created_at",
        "updated_at",
    )


@admin.register(Project)
class ProjectAdmin(OwnersAdmin):
    title = _("Projects")
    by_ref = ""
    list_display = ("slug", "name", "archived", "created_at")
    list_filter = ("archived", "flagged")
    ordering = ("slug",)
    fields = ("slug", "name", "description", "root", "archived", "flagged", "created_at")
