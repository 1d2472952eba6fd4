"""Erasing an agent, and everything of oneself."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.erasers import holdings
from pawflow_web.identity.forms import AgentErasureForm, OwnerErasureForm
from pawflow_web.identity.models import Agent
from pawflow_web.identity.person import user_of
from pawflow_web.identity.services import erase_agent, erase_owner
from pawflow_web.lib.errors import NotFound
from pawflow_web.web.render import person_required, render_panel


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def agent_erase(request: HttpRequest, name: str) -> HttpResponse:
    """``/settings/agents/<name>/erase``: asks what becomes of what only it could read; a POST erases the agent."""
    user = user_of(request)
    agent = Agent.objects.of_owner(user.pk).filter(name=name).first()
    if agent is None:
        raise NotFound
    if agent.erasures.exists():
        messages.info(request, _("%(name)s is being erased. It can do nothing any more.") % {"name": agent.name})
        return redirect("agents")
    given = request.POST if request.method == "POST" else None
    form = AgentErasureForm(given, name=agent.name, auto_id="agent-erase-%s")
    if request.method != "POST" or not form.is_valid():
        context = {"agent": agent, "form": form, "holdings": [words for of in holdings.all() if (words := of(agent))]}
        return _page(request, "identity/agent_erase.html", context)
    gone = erase_agent(principal=principal_of_user(user), name=agent.name, beliefs=form.cleaned_data["beliefs"])
    said = _("%(name)s was erased.") if gone else _("%(name)s is being erased. It can do nothing any more.")
    messages.success(request, said % {"name": agent.name})
    return redirect("agents")


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def owner_erase(request: HttpRequest) -> HttpResponse:
    """``/settings/erase``: everything of the person who asks, for good."""
    user = user_of(request)
    given = request.POST if request.method == "POST" else None
    form = OwnerErasureForm(given, name=user.username, auto_id="erase-%s")
    if request.method != "POST" or not form.is_valid():
        return _page(request, "identity/owner_erase.html", {"form": form, "owner": user})
    gone = erase_owner(user=user, confirm=form.cleaned_data["confirm"])
    logout(request)
    said = _("Everything of %(name)s was erased.") if gone else _("Everything of %(name)s is being erased.")
    messages.success(request, said % {"name": user.username})
    return redirect(settings.LOGIN_URL)


def _page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    status = 422 if context["form"].errors else 200
    return render_panel(request, template, context, partial="question", status=status)
