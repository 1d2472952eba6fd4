"""Pages of what agents get: the context of one before its next turn, and the memory as Markdown."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import F, Max
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.context import call_context
from conversations.models import Project
from memory.context.scoped import scoped_view
from memory.pages.context.forms import PreviewForm, ReadingForm
from memory.pages.context.preview import preview, shown_lines
from memory.pages.memories.browse import agents_of
from pawflow_web.identity.call import Call
from pawflow_web.identity.models import Agent, Profile
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import find_agent, principal_of_agent
from pawflow_web.lib.blocks import Ask
from pawflow_web.lib.errors import NotFound
from pawflow_web.web.render import person_required, render_panel, target_of

CONTEXT = "memory/context.html"
MARKDOWN = "memory/markdown.html"
_PROJECTS_MOST = 500


@require_safe
@person_required
def context(request: HttpRequest) -> HttpResponse:
    """``/memories/context``: exactly what an agent would get before its next turn; nothing is counted as used.

    The names of ``GET /context``; ``compare`` is a day, and shows what its memory gained and lost since. Without
    ``agent``: the one that called last.
    """
    person = person_of(request)
    agent = _agent(person, request.GET.get("agent", ""))
    if agent is None:
        return render_panel(request, CONTEXT, {"agent": None}, partial="panel")
    form = PreviewForm({**request.GET.dict(), "agent": agent.name}, zone=person.zone, auto_id="context-%s")
    shown: dict[str, Any] = {"agent": agent, "secure": agent.profile == Profile.SECURE}
    status = 200
    if not form.is_valid():
        status = 422
    else:
        try:
            call = _call(principal_of_agent(agent, person.zone), form.cleaned_data)
        except NotFound as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            shown["preview"] = None if shown["secure"] else _preview(call, form.cleaned_data)
    names = [(name, name) for name in agents_of(request)]
    shown |= {
        "form": form,
        "selects": form.selects(agents=names, projects=_projects(person)),
        "chips": _chips(form, person),
    }
    return _answer(request, CONTEXT, "context-body", shown, status)


@require_safe
@person_required
def markdown(request: HttpRequest) -> HttpResponse:
    """``/memories/markdown``: ``GET /memory.md`` as the person reads it, or the agent that is named."""
    person = person_of(request)
    form = ReadingForm(request.GET, auto_id="markdown-%s")
    name = request.GET.get("agent", "").strip()
    agent = _agent(person, name) if name else None
    shown: dict[str, Any] = {"agent": agent, "secure": agent is not None and agent.profile == Profile.SECURE}
    status = 200
    if not form.is_valid():
        status = 422
    else:
        try:
            call = _call(principal_of_agent(agent, person.zone) if agent else person, form.cleaned_data)
        except NotFound as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            view = scoped_view(Ask(call.principal, call.project, form.cleaned_data["query"]))
            known = (line for section in view.sections for line in section.lines)
            shown["lines"] = [] if shown["secure"] else list(shown_lines(view.markdown(), known))
    names = [("", _("You")), *((one, one) for one in agents_of(request))]
    shown |= {"form": form, "selects": form.selects(agents=names, projects=_projects(person))}
    return _answer(request, MARKDOWN, "markdown-body", shown, status)


def _answer(request: HttpRequest, template: str, body: str, shown: Mapping[str, Any], status: int) -> HttpResponse:
    partial = "body" if target_of(request) == body else "panel"
    return render_panel(request, template, shown, partial=partial, status=status)


def _agent(person: Principal, name: str) -> Agent | None:
    """The person's agent of that name; without a name the one that called last, None where there is none. Raises as
    :func:`find_agent` does."""
    if name:
        return find_agent(person, name)
    last_call = F("called_at").desc(nulls_last=True)
    own = Agent.objects.select_related("user").filter(user_id=person.user_id)
    return own.annotate(called_at=Max("tokens__last_used_at")).order_by(last_call, "name").first()


def _call(principal: Principal, given: Mapping[str, Any]) -> Call:
    """As the agent's own call would be placed. Raises :class:`NotFound`."""
    place = {name: given[name] for name in ("conversation", "project") if given.get(name)}
    return call_context(principal, headers={}, query=place, surface="panel")


def _preview(call: Call, given: Mapping[str, Any]) -> Any:
    return preview(
        call.principal,
        project=call.project,
        query=given["query"],
        budget=given["budget"],
        freeze=given["freeze"],
        since=given["compare"],
    )


def _projects(person: Principal) -> list[str]:
    slugs = Project.objects.visible_to(person).order_by("slug").values_list("slug", flat=True)
    return list(slugs[:_PROJECTS_MOST])


def _chips(form: PreviewForm, person: Principal) -> list[dict[str, Any]]:
    """The same question about now and since yesterday."""
    asked = [(name, form.data[name]) for name in form.fields if name != "compare" and form.data.get(name)]
    yesterday = (datetime.now(person.zone) - timedelta(days=1)).date().isoformat()
    compare = form.data.get("compare", "")
    address = reverse("context")
    return [
        {"text": _("Now"), "url": f"{address}?{urlencode(asked)}", "current": not compare},
        {
            "text": _("Changed since yesterday"),
            "url": f"{address}?{urlencode([*asked, ('compare', yesterday)])}",
            "current": compare == yesterday,
        },
    ]
