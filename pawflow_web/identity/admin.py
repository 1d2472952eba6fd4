"""The tables of this app in ``/admin``."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from pawflow_web.identity.models import Agent, ApiToken
from pawflow_web.identity.person import user_of
from pawflow_web.identity.services import revoke_token
from pawflow_web.web.admin import OwnersAdmin


@admin.register(Agent)
class AgentAdmin(OwnersAdmin):
    title = _("Agents")
    by_ref = ""
    list_display = ("name", "profile", "memory_render", "reads_sensitive", "created_at")
    list_filter = ("profile", "memory_render", "reads_sensitive")
    ordering = ("name",)
    fields = ("name", "profile", "memory_render", "reads_sensitive", "created_at")

    def view_on_site(self, obj: Agent) -> str:
        return reverse("agent", args=[obj.name])


@admin.register(ApiToken)
class ApiTokenAdmin(OwnersAdmin):
    title = _("Tokens")
    list_display = ("ref", "agent", "origin", "abilities", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = ("origin",)
    list_select_related = ("agent",)
    ordering = ("-created_at", "-pk")
    # never the digest
    fields = ("ref", "agent", "origin", "abilities", "created_at", "last_used_at", "expires_at", "revoked_at")
    actions = ("revoke",)

    @admin.action(description=_("Revoke: they open nothing from now on"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        refs = list(queryset.order_by("pk").values_list("ref", flat=True))
        for ref in refs:
            revoke_token(user=user_of(request), ref=ref)
        told = ngettext("%(number)d token is revoked.", "%(number)d tokens are revoked.", len(refs))
        messages.success(request, told % {"number": len(refs)})
