"""The tables of this app in ``/admin``."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from graph.models import Entity, EntityMerge, Triple
from pawflow_web.web.admin import OwnersAdmin
from review.admin.beliefs import OfItemAdmin


@admin.register(Triple)
class TripleAdmin(OfItemAdmin):
    title = _("Facts")
    owner = "user"
    list_display = ("item", "subject_name", "predicate", "object_name", "score", "live")
    list_filter = ("live", "is_value")
    ordering = ("-item__recorded_at", "-pk")
    fields = (
        "item",
        "words",
        "subject_name",
        "predicate",
        "object_name",
        "is_value",
        "score",
        "source",
        "subject",
        "object",
        "live",
        "valid",
        "counted",
    )


@admin.register(Entity)
class EntityAdmin(OwnersAdmin):
    title = _("Entities")
    list_display = ("ref", "name", "type", "degree", "created_at")
    ordering = ("-degree", "pk")
    fields = ("ref", "name", "type", "degree", "created_at")


@admin.register(EntityMerge)
class EntityMergeAdmin(OwnersAdmin):
    title = _("Merges of entities")
    list_display = ("ref", "kept", "dropped_name", "by", "at", "undone_at")
    list_select_related = ("kept",)
    ordering = ("-pk",)
    fields = ("ref", "kept", "dropped_ref", "dropped_name", "dropped_type", "names", "by", "at", "undone_at")
