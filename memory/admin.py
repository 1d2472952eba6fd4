"""The table of this app in ``/admin``."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memory.models import Memory
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
