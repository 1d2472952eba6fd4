"""The tables of this app in ``/admin``."""

from django.contrib import admin
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memory.models import DiaryEntry, Memory, ScratchNote, TodoTask
from pawflow_web.web.admin import OwnersAdmin
from review.admin.beliefs import OfItemAdmin
from review.display.shape import MASK
from review.models import Privacy


@admin.register(Memory)
class MemoryAdmin(OfItemAdmin):
    title = _("Memories")
    owner = "item__user"
    list_display = ("item", "words", "category", "shown_tags", "importance", "durability")
    list_filter = ("category", "importance", "durability")
    ordering = ("-item__recorded_at", "-pk")
    fields = ("item", "words", "category", "shown_tags", "importance", "durability")

    @admin.display(description=_("tags"))
    def shown_tags(self, memory: Memory) -> str:
        return MASK if memory.tags and memory.item.privacy == Privacy.SECRET else ", ".join(memory.tags)


@admin.register(DiaryEntry)
class DiaryEntryAdmin(OwnersAdmin):
    title = _("Diaries")
    list_display = ("ref", "agent", "type", "words", "origin", "admitted", "created_at")
    list_filter = ("type", "origin", "admitted")
    list_select_related = ("agent",)
    ordering = ("-pk",)
    fields = ("ref", "agent", "type", "text", "tags", "flags", "origin", "admitted", "conversation", "created_at")

    @admin.display(description=_("words"))
    def words(self, entry: DiaryEntry) -> str:
        return Truncator(entry.text).chars(100)


@admin.register(TodoTask)
class TodoTaskAdmin(OwnersAdmin):
    title = _("To-do lists")
    list_display = ("ref", "agent", "conversation", "status", "subject", "updated_at")
    list_filter = ("status",)
    list_select_related = ("agent", "conversation")
    ordering = ("-updated_at", "-pk")
    fields = (
        "ref",
        "agent",
        "conversation",
        "external_id",
        "status",
        "subject",
        "active_form",
        "description",
        "owner",
        "metadata",
        "flags",
        "revision",
        "created_at",
        "updated_at",
    )


@admin.register(ScratchNote)
class ScratchNoteAdmin(OwnersAdmin):
    """Also what has expired and is not swept yet: the row is still there."""

    title = _("Scratch notes")
    list_display = ("ref", "agent", "conversation", "topic", "expires_at", "updated_at")
    list_select_related = ("agent", "conversation")
    ordering = ("-updated_at", "-pk")
    fields = (
        "ref",
        "agent",
        "conversation",
        "topic",
        "content",
        "tags",
        "flags",
        "revision",
        "expires_at",
        "created_at",
        "updated_at",
    )
