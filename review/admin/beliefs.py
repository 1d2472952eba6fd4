"""Beliefs, and what belongs to a single one."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.person import person_of
from pawflow_web.web.admin import OwnersAdmin
from review import lifecycle
from review.admin.deeds import chosen_of, for_each, tell
from review.display.shape import MASK, shown_text
from review.kinds import kinds
from review.models import Believed, Evidence, Feedback, GovernanceItem, ItemUse, Privacy, UseEvent
from review.search.filters import ItemFilter
from review.search.find import find_items

_IN_A_LIST = 100
_FOUND_MOST = 100


class KindFilter(admin.SimpleListFilter):
    """By kind, from the registry: asking the table for them would read all of it."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind.name, kind.name) for kind in kinds.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(GovernanceItem)
class GovernanceItemAdmin(OwnersAdmin):
    title = _("Beliefs")
    by_number = "number"
    search_help_text = _("A reference, such as 3fa4c1d2e5b6 or #42, or words.")
    list_display = ("ref", "number", "words", "status", "reason", "scope", "privacy", "origin", "recorded_at")
    list_filter = ("status", KindFilter, "scope", "privacy", "origin", "reason", "pinned")
    ordering = ("-recorded_at", "-pk")
    fields = (
        "ref",
        "number",
        "kind",
        "all_words",
        "status",
        "reason",
        "confidence",
        "privacy",
        "origin",
        "flags",
        "scope",
        "scope_agent",
        "scope_conversation",
        "tier",
        "exclusive_key",
        "valid",
        "recorded_at",
        "updated_at",
        "last_seen_at",
        "retired_at",
        "expires_at",
        "pinned",
        "decided",
        "contradicts",
        "supersedes",
        "revision",
        "changed_seq",
    )
    actions = ("accept", "reject", "restore", "forget")

    def view_on_site(self, obj: GovernanceItem) -> str:
        return reverse("item", args=[obj.ref])

    @admin.display(description=_("words"))
    def words(self, item: GovernanceItem) -> str:
        return Truncator(shown_text(item)).chars(_IN_A_LIST)

    @admin.display(description=_("words"))
    def all_words(self, item: GovernanceItem) -> str:
        return shown_text(item)

    def search_words(self, request: HttpRequest, queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
        page = find_items(
            person_of(request), narrowed_to=ItemFilter(), query=words, sort="recent", limit=_FOUND_MOST, counted=False
        )
        return queryset.filter(pk__in=[hit.item.pk for hit in page.hits])

    @admin.action(description=_("Accept: agents may use them"))
    def accept(self, request: HttpRequest, queryset: QuerySet[GovernanceItem]) -> None:
        _decide_many(request, queryset, "accept")

    @admin.action(description=_("Reject: they should never have been believed"))
    def reject(self, request: HttpRequest, queryset: QuerySet[GovernanceItem]) -> None:
        _decide_many(request, queryset, "reject")

    @admin.action(description=_("Forget: out of use, without prejudice"))
    def forget(self, request: HttpRequest, queryset: QuerySet[GovernanceItem]) -> None:
        _decide_many(request, queryset, "forget")

    @admin.action(description=_("Restore: rejected ones back into review"))
    def restore(self, request: HttpRequest, queryset: QuerySet[GovernanceItem]) -> None:
        person = person_of(request)
        for_each(request, queryset, "ref", lambda ref: lifecycle.restore(principal=person, reference=ref))


def _decide_many(request: HttpRequest, rows: QuerySet[GovernanceItem], verb: str) -> None:
    refs = chosen_of(request, rows, "ref")
    if not refs:
        return
    _batch, results = lifecycle.decide_many(principal=person_of(request), action=verb, references=refs)
    refused = [(result.ref, result.error) for result in results if result.error is not None]
    tell(request, len(results) - len(refused), refused)


class OfItemAdmin(OwnersAdmin):
    """Rows that belong to one belief, found by its reference."""

    by_ref = "item__ref"
    by_number = "item__number"
    list_select_related = ("item",)

    def view_on_site(self, obj: Any) -> str:
        return reverse("item", args=[obj.item.ref])

    @admin.display(description=_("words"))
    def words(self, row: Any) -> str:
        return Truncator(shown_text(row.item)).chars(_IN_A_LIST)


@admin.register(Evidence)
class EvidenceAdmin(OfItemAdmin):
    title = _("Evidence")
    list_display = ("item", "words", "origin", "principal", "file", "line", "at")
    list_filter = ("origin",)
    ordering = ("-pk",)
    fields = ("item", "words", "origin", "principal", "agent", "conversation", "turn", "file", "line", "said", "at")

    @admin.display(description=_("quote"))
    def said(self, row: Evidence) -> str:
        return MASK if row.quote and row.item.privacy == Privacy.SECRET else row.quote


@admin.register(Believed)
class BelievedAdmin(OfItemAdmin):
    title = _("What was known when")
    list_display = ("item", "words", "known", "valid")
    ordering = ("-pk",)
    fields = ("item", "words", "known", "valid")


@admin.register(Feedback)
class FeedbackAdmin(OfItemAdmin):
    title = _("Feedback")
    list_display = ("item", "words", "helpful", "principal", "at")
    list_filter = ("helpful",)
    ordering = ("-pk",)
    fields = ("item", "words", "helpful", "principal", "note", "at")


@admin.register(UseEvent)
class UseEventAdmin(OfItemAdmin):
    title = _("Uses")
    list_display = ("item", "words", "principal", "reader", "rank", "at")
    ordering = ("-at", "-pk")
    fields = ("item", "words", "principal", "agent", "conversation", "reader", "rank", "at")


@admin.register(ItemUse)
class ItemUseAdmin(OfItemAdmin):
    title = _("Uses of each belief")
    list_display = ("item", "words", "count", "last_at")
    ordering = ("-pk",)
    fields = ("item", "words", "count", "last_at")
