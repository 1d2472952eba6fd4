"""The journal, and the refusals that stand in no belief."""

import json
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pawflow_web.identity.models import UserClock
from pawflow_web.identity.person import person_of, user_of
from pawflow_web.web.admin import OwnersAdmin
from review.admin.deeds import for_each
from review.display.shape import MASK
from review.gate import tombstones
from review.journal.chain import verify
from review.models import GovernanceItem, JournalEntry, Privacy, Tombstone

# Replaying more than this takes longer than somebody waits for a page.
VERIFIED_MOST = 5_000


@admin.register(JournalEntry)
class JournalEntryAdmin(OwnersAdmin):
    title = gettext_lazy("Journal")
    by_ref = "item_ref"
    list_display = ("seq", "at", "verb", "actor_kind", "actor_name", "item_ref", "reason", "decision", "undoes")
    list_filter = ("event",)
    ordering = ("-seq",)
    fields = (
        "seq",
        "at",
        "decision",
        "event",
        "verb",
        "actor_kind",
        "actor_name",
        "actor_token",
        "item_ref",
        "reason",
        "undoes",
        "moved",
        "body",
        "note",
        "payload_digest",
        "prev",
        "hash",
    )

    @admin.display(description=gettext_lazy("payload"))
    def body(self, entry: JournalEntry) -> SafeString | str:
        """What the belief was like after it. It holds no words of a belief; tags are words too where it is secret."""
        payload = getattr(entry, "payload", None)
        if payload is None:
            return _("erased")
        state = json.loads(payload.body)
        if _is_secret(entry, state) and state.get("facet"):
            state["facet"] = MASK
        shown = json.dumps(state, indent=1, ensure_ascii=False)
        return format_html('<pre tabindex="0" role="region" aria-label="{}">{}</pre>', _("payload"), shown)

    @admin.display(description=gettext_lazy("what was said to it"))
    def note(self, entry: JournalEntry) -> str:
        payload = getattr(entry, "payload", None)
        return payload.note if payload is not None else ""

    def get_urls(self) -> list[Any]:
        check = self.admin_site.admin_view(require_POST(self.verify_all))
        return [path("verify/", check, name="review_journalentry_verify"), *super().get_urls()]

    def verify_all(self, request: HttpRequest) -> HttpResponse:
        """Replay all of it and compare every belief with it, where that is done before somebody tires of waiting."""
        written = UserClock.objects.values_list("seq", flat=True).get(user_id=person_of(request).user_id)
        if written > VERIFIED_MOST:
            command = f".venv/bin/python manage.py verify_journal --owner {person_of(request).user_name}"
            messages.warning(request, _("It is too long for a page. Run: %(command)s") % {"command": command})
        else:
            _tell(request)
        return redirect("admin:review_journalentry_changelist")


def _tell(request: HttpRequest) -> None:
    shown = verify(user_of(request))
    if shown.ok:
        proved = {"entries": shown.entries, "items": shown.items}
        messages.success(request, _("Intact: %(entries)d entries, %(items)d beliefs, nothing differs.") % proved)
        return
    messages.error(request, _("%(number)d things do not fit.") % {"number": len(shown.differences)})
    for difference in shown.differences[:5]:
        messages.error(request, ", ".join(f"{name} {value}" for name, value in difference.items()))


def _is_secret(entry: JournalEntry, state: dict[str, Any]) -> bool:
    if state.get("privacy") == Privacy.SECRET:
        return True
    return GovernanceItem.objects.filter(pk=entry.item_id, privacy=Privacy.SECRET).exists()


@admin.register(Tombstone)
class TombstoneAdmin(OwnersAdmin):
    title = gettext_lazy("Refused from now on")
    by_ref = "item_ref"
    list_display = ("ref", "item_ref", "scope", "by", "at", "hits", "lifted_at")
    ordering = ("-at", "-pk")
    # without the digest of the words
    fields = ("ref", "item_ref", "scope", "by", "at", "hits", "lifted_at")
    actions = ("lift",)

    @admin.action(description=gettext_lazy("Lift: these words may come again"))
    def lift(self, request: HttpRequest, queryset: QuerySet[Tombstone]) -> None:
        person = person_of(request)
        for_each(request, queryset, "ref", lambda ref: tombstones.lift_by_ref(principal=person, ref=ref))
