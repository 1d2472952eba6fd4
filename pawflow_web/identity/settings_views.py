"""How the dashboard looks to a person, and how much of the memory each agent works with."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pawflow_web.identity.auth import preferences_of
from pawflow_web.identity.forms import AgentForm, PreferencesForm
from pawflow_web.identity.models import Agent, User, UserSettings
from pawflow_web.identity.person import user_of
from pawflow_web.identity.services import update_agent, update_preferences
from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.web.paths import own_path
from pawflow_web.web.render import person_required, render_panel

AGENTS_A_PAGE = 50
_LOOKS = ("theme", "density")


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def preferences(request: HttpRequest) -> HttpResponse:
    """``/settings``: theme, density, time zone and single keys."""
    user = user_of(request)
    kept = _kept(user)
    if request.method != "POST":
        values = {name: getattr(kept, name) for name in PreferencesForm.base_fields}
        return _preferences_page(
            request, PreferencesForm(initial=values, current=kept.time_zone, auto_id="settings-%s")
        )
    form = PreferencesForm(request.POST, current=kept.time_zone, auto_id="settings-%s")
    if not form.is_valid():
        return _preferences_page(request, form, status=422)
    wanted: dict[str, Any] = {name: value for name, value in form.cleaned_data.items() if value != getattr(kept, name)}
    update_preferences(user=user, **wanted)
    messages.success(request, _("Saved."))
    return redirect("settings")


@require_POST
@person_required
def look(request: HttpRequest) -> HttpResponse:
    """``/settings/look``: the theme or the density alone, from the account menu; leads back to ``back``."""
    given: dict[str, Any] = {name: request.POST[name] for name in _LOOKS if name in request.POST}
    try:
        update_preferences(user=user_of(request), **given)
    except Invalid as error:
        messages.error(request, error.message)
    return redirect(own_path(request.POST.get("back", "")) or "settings")


@require_safe
@person_required
def agents(request: HttpRequest) -> HttpResponse:
    """``/settings/agents``: each agent with what it works with and when it was last seen."""
    after = request.GET.get("after", "")
    found = Agent.objects.of_owner(user_of(request).pk).filter(name__gt=after).with_tokens()
    rows = list(found[: AGENTS_A_PAGE + 1])
    context = {
        "agents": rows[:AGENTS_A_PAGE],
        "more": rows[AGENTS_A_PAGE - 1].name if len(rows) > AGENTS_A_PAGE else "",
    }
    return render_panel(request, "identity/agents.html", context, partial="panel")


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def agent(request: HttpRequest, name: str) -> HttpResponse:
    """One agent's settings, as a page and in the dialog; a POST changes them."""
    user = user_of(request)
    row = Agent.objects.of_owner(user.pk).filter(name=name).first()
    if row is None:
        raise NotFound
    if request.method != "POST":
        values = {field: getattr(row, field) for field in AgentForm.base_fields}
        return _agent_page(request, row, AgentForm(initial=values, auto_id="agent-%s"))
    form = AgentForm(request.POST, auto_id="agent-%s")
    if not form.is_valid():
        return _agent_page(request, row, form, status=422)
    update_agent(user=user, name=row.name, **form.cleaned_data)
    messages.success(request, _("Saved. It holds from the next call of %(name)s.") % {"name": row.name})
    return redirect("agents")


def _kept(user: User) -> UserSettings:
    kept = preferences_of(user)
    if kept is None:
        raise NotFound
    return kept


def _preferences_page(request: HttpRequest, form: PreferencesForm, *, status: int = 200) -> HttpResponse:
    return render_panel(request, "identity/settings.html", {"form": form}, partial="panel", status=status)


def _agent_page(request: HttpRequest, row: Agent, form: AgentForm, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {"agent": row, "form": form}
    return render_panel(request, "identity/agent.html", context, partial="question", status=status)
