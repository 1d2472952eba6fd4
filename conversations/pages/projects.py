"""The panel of projects, and under which one a conversation is filed."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from conversations.context import find_conversation, find_project
from conversations.models import Conversation, Project
from conversations.pages.project_forms import CHANGEABLE, FilingForm, ProjectChangesForm, ProjectForm
from conversations.services import create_project, update_conversation, update_project
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import BadRequest, Invalid
from pawflow_web.lib.paging import Page, Pager
from pawflow_web.web.render import page_behind, person_required, render_panel, target_of, toast, wants_partial

LIST, PROJECT, FILING = "conversations/projects.html", "conversations/project.html", "conversations/project_filing.html"
# Of those in use, and of the archived.
LISTED = 20


@dataclass(frozen=True, slots=True)
class Projects:
    """One page of those in use and one of the archived. ``unfolded``: the archived ones are shown without a click."""

    current: Page[Project]
    archived: Page[Project]
    unfolded: bool

    @property
    def none(self) -> bool:
        return not self.current.rows and not self.archived.rows


def projects_of(person: Principal, asked: Mapping[str, str]) -> Projects:
    """In the order of their slugs, each with ``filed``, how many conversations are, and when the last of those
    changed, ``last_at``; ``cursor`` and ``archived_cursor`` go on.

    Raises :class:`Invalid` for a cursor of another list.
    """
    behind = asked.get("archived_cursor") or None
    current = _page(person, asked.get("cursor") or None, archived=False)
    archived = _page(person, behind, archived=True)
    return Projects(current, archived, unfolded=behind is not None or not current.rows)


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def projects(request: HttpRequest) -> HttpResponse:
    """``/projects``: those of the person by ``GET``; a new one by ``POST``."""
    if request.method == "POST":
        return _add(request)
    found = projects_of(person_of(request), request.GET)
    context = {"projects": found, "add": _new_form(), "open": found.none}
    part = {"projects-more": "rows", "projects-archived-more": "archived", "projects-list": "list"}
    return render_panel(request, LIST, context, partial=part.get(target_of(request), "panel"))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """``/projects/<slug>``: its name, description and root to be changed, as a page and in the dialog."""
    person = person_of(request)
    row = find_project(person, slug)
    initial = {name: getattr(row, name) for name in CHANGEABLE}
    given = request.POST if request.method == "POST" else None
    form = ProjectChangesForm(given, initial=initial, auto_id="project-%s")
    if request.method != "POST":
        return _project_page(request, row, form)
    if not form.is_valid():
        return _project_page(request, row, form, status=422)
    try:
        row = update_project(
            principal=person,
            project=row,
            name=form.changed("name"),
            description=form.changed("description"),
            root=form.changed("root"),
        )
    except (BadRequest, Invalid) as error:
        form.refuse(error)
        return _project_page(request, row, form, status=422)
    return _changed(request, row, _("Saved."))


@require_POST
@person_required
def archive(request: HttpRequest, slug: str, *, archived: bool) -> HttpResponse:
    """``POST /projects/<slug>/archive`` and ``/unarchive``."""
    person = person_of(request)
    row = update_project(principal=person, project=find_project(person, slug), archived=archived)
    said = _("Archived. What is filed under it stays.") if archived else _("In use again.")
    return _changed(request, row, said)


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def file_conversation(request: HttpRequest, ref: str) -> HttpResponse:
    """``/sessions/<ref>/project``: under which project it is filed, as a page and in the dialog."""
    person = person_of(request)
    conversation = find_conversation(person, ref)
    form = FilingForm.of(person, conversation, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _file(request, conversation, form)
    context = {"conversation": conversation, "form": form}
    return render_panel(request, FILING, context, partial="question", status=422 if form.errors else 200)


# --- what is read and answered ------------------------------------------------------------------------------------


def _page(person: Principal, cursor: str | None, *, archived: bool) -> Page[Project]:
    rows = with_use(Project.objects.visible_to(person).filter(archived=archived))
    pager = Pager.of("projects-page", person.user_id, {"archived": archived})
    return pager.page(rows, order=("slug",), limit=LISTED, cursor=cursor)


def with_use(rows: QuerySet[Project]) -> QuerySet[Project]:
    """``filed`` and ``last_at`` (None: nothing is filed), looked up for the rows that are fetched alone."""
    filed = Conversation.objects.filter(project=OuterRef("pk")).order_by()
    number = filed.values("project").annotate(number=Count("pk")).values("number")
    last = filed.order_by("-updated_at").values("updated_at")[:1]
    return rows.annotate(filed=Coalesce(Subquery(number, IntegerField()), 0), last_at=Subquery(last))


def _new_form(given: QueryDict | None = None) -> ProjectForm:
    return ProjectForm(given, auto_id="projects-add-%s")


def _add(request: HttpRequest) -> HttpResponse:
    form = _new_form(request.POST)
    if form.is_valid():
        try:
            row = create_project(principal=person_of(request), **form.cleaned_data)
        except (BadRequest, Invalid) as error:
            form.refuse(error)
        else:
            return _added(request, row)
    context = {"projects": projects_of(person_of(request), {}), "add": form, "open": True}
    return render_panel(request, LIST, context, partial="add", status=422)


def _added(request: HttpRequest, row: Project) -> HttpResponse:
    said = _("Made. Its slug is %(slug)s.") % {"slug": row.slug}
    if not wants_partial(request):
        return _onward(request, reverse("projects"), said)
    headers, told = {"HX-Trigger": "items-changed"}, toast(request, said)
    context = {"add": _new_form(), "added": True}
    return render_panel(request, LIST, context, partial="add", status=201, headers=headers, out_of_band=(told,))


def _project_page(request: HttpRequest, row: Project, form: ProjectChangesForm, *, status: int = 200) -> HttpResponse:
    context = {"project": row, "form": form}
    return render_panel(request, PROJECT, context, partial="question", status=status)


def _changed(request: HttpRequest, row: Project, said: str) -> HttpResponse:
    """Over the list its row changes where it stands, so that a click that was none is taken back there."""
    path, _query = page_behind(request)
    if not wants_partial(request) or path != reverse("projects"):
        return _onward(request, reverse("projects"), said)
    context = {"project": with_use(Project.objects.filter(pk=row.pk)).get(), "focus": True}
    headers = {"HX-Retarget": f"#projects-{row.slug}", "HX-Reswap": "outerHTML", "HX-Trigger": "dialog-close"}
    told = toast(request, said)
    return render_panel(request, LIST, context, partial="row", headers=headers, out_of_band=(told,))


def _file(request: HttpRequest, conversation: Conversation, form: FilingForm) -> HttpResponse:
    slug: str = form.cleaned_data["project"]
    back = reverse("session", args=[conversation.ref])
    if form.has_changed():
        chosen = find_project(person_of(request), slug) if slug else None
        update_conversation(conversation=conversation, project=chosen, clear_project=chosen is None)
    if not slug:
        return _onward(request, back, _("Filed under no project."))
    return _onward(request, back, _("Filed under %(project)s.") % {"project": str(conversation.project)})


def _onward(request: HttpRequest, url: str, said: str) -> HttpResponse:
    """A whole page follows, and says there what was done."""
    messages.success(request, said)
    return HttpResponse(headers={"HX-Redirect": url}) if wants_partial(request) else redirect(url)
