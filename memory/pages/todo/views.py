"""The to-do panel: the list of one agent in one place, and each task of it."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from memory.models import TaskStatus, TodoTask
from memory.pages import desk
from memory.pages.todo.forms import AddTaskForm, TaskForm
from memory.pages.todo.page import differences, rows_of, task_form, task_list
from memory.todo.reading import find_task
from memory.todo.services import TaskWords, clear_completed, create_task, delete_task, update_task
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, StaleRevision
from pawflow_web.web.render import out_of_band, person_required, render_panel, target_of, toast, wants_partial

LIST = "memory/todo.html"
TASK = "memory/todo_task.html"
PANEL = "todo"


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def todo(request: HttpRequest) -> HttpResponse:
    """``/todo``: a list by ``GET``, of ``agent`` in ``conversation``; a new task of it by ``POST``."""
    if request.method == "POST":
        return _add(request)
    context = {"list": task_list(request, request.GET), "add": AddTaskForm(auto_id="todo-add-%s")}
    target = target_of(request)
    if target == "todo-more":
        return render_panel(request, LIST, context, partial="rows")
    if target == "todo-list":
        return render_panel(request, LIST, context, partial="list", out_of_band=_around(request, context))
    return render_panel(request, LIST, context, partial="panel")


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def task(request: HttpRequest, reference: str) -> HttpResponse:
    """``/todo/td_…``: one task to be read and changed, as a page and in the dialog."""
    row = find_task(person_of(request), reference)
    if request.method != "POST":
        return _task_page(request, row, task_form(row))
    form = task_form(row, request.POST)
    if not form.is_valid():
        return _task_page(request, row, form, status=422)
    try:
        row = update_task(task=row, given=form.words(), revision=form.cleaned_data["revision"])
    except StaleRevision as error:
        return _two_versions(request, find_task(person_of(request), reference), request.POST, error.status)
    except (Invalid, Conflict) as error:
        form.add_error(None, error.message)
        return _task_page(request, row, form, status=error.status)
    return _changed(request, row, _("Saved."))


@require_POST
@person_required
def status(request: HttpRequest, reference: str) -> HttpResponse:
    """``POST /todo/td_…/status``: ``status`` to ``to``; ``revision`` is the one that stands on the screen."""
    row = find_task(person_of(request), reference)
    to = request.POST.get("to", "")
    if to not in TaskStatus.values:
        raise Invalid(
            _("Say where the task stands now."), fields={"to": f"must be one of {', '.join(TaskStatus.values)}"}
        )
    try:
        row = update_task(task=row, given=TaskWords(status=to), revision=_revision(request))
    except StaleRevision as error:
        row = find_task(person_of(request), reference)
        said = _("Not done. It was changed meanwhile: look at it first.")
        return _row(request, row, toast(request, said), status=error.status)
    said = {"completed": _("Done."), "in_progress": _("Begun."), "pending": _("To do again.")}[to]
    return _row(request, row, toast(request, said))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def delete(request: HttpRequest, reference: str) -> HttpResponse:
    """``/todo/td_…/delete``: asks, then deletes."""
    row = find_task(person_of(request), reference)
    back = desk.address(PANEL, row)
    if request.method == "POST":
        delete_task(task=row)
        if desk.is_on(request, PANEL):
            return desk.list_changed(request, _("Deleted."))
        return desk.onward(request, back, _("Deleted."))
    context = {
        "title": _("Delete this task?"),
        "words": row.subject,
        "text": _("What waits for it waits no longer. This cannot be taken back."),
        "verb": _("Delete"),
        "busy": _("Deleting"),
        "action": reverse("todo-delete", args=[reference]),
        "back": back,
        "up": _("To-do"),
    }
    return desk.question(request, context)


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def clear(request: HttpRequest) -> HttpResponse:
    """``/todo/clear``: asks, then deletes what is completed in the list of ``agent`` in ``conversation``."""
    given = request.POST if request.method == "POST" else request.GET
    chosen = desk.desk_of(request, given, TodoTask.objects.all())
    back = desk.address(PANEL, chosen)
    if request.method == "POST":
        number = clear_completed(place=chosen.place)
        said = ngettext("%(number)d task deleted.", "%(number)d tasks deleted.", number) % {"number": number}
        return desk.list_changed(request, said) if desk.is_on(request, PANEL) else desk.onward(request, back, said)
    number = TodoTask.objects.in_list(chosen.place).filter(status=TaskStatus.COMPLETED).count()
    asked = ngettext("Delete the %(number)d task that is done?", "Delete the %(number)d tasks that are done?", number)
    context = {
        "title": asked % {"number": number},
        "text": _("This cannot be taken back."),
        "verb": _("Delete"),
        "busy": _("Deleting"),
        "action": reverse("todo-clear"),
        "fields": chosen.chosen,
        "back": back,
        "up": _("To-do"),
    }
    return desk.question(request, context)


# --- what is answered ---------------------------------------------------------------------------------------------


def _add(request: HttpRequest) -> HttpResponse:
    form = AddTaskForm(request.POST, auto_id="todo-add-%s")
    chosen = desk.desk_of(request, request.POST, TodoTask.objects.all())
    if form.is_valid():
        try:
            create_task(place=chosen.place, given=form.words())
        except (Invalid, Conflict) as error:
            form.add_error(None, error.message)
            return _add_again(request, form, error.status)
        if not wants_partial(request):
            return desk.onward(request, desk.address(PANEL, chosen), _("Added."))
        context = {"list": task_list(request, request.POST), "add": AddTaskForm(auto_id="todo-add-%s"), "added": True}
        headers, note = {"HX-Trigger": "items-changed"}, toast(request, _("Added."))
        return render_panel(request, LIST, context, partial="add", status=201, headers=headers, out_of_band=(note,))
    return _add_again(request, form, 422)


def _add_again(request: HttpRequest, form: AddTaskForm, status: int) -> HttpResponse:
    context = {"list": task_list(request, request.POST), "add": form, "open": True}
    return render_panel(request, LIST, context, partial="add", status=status)


def _around(request: HttpRequest, context: dict[str, Any]) -> tuple[Any, ...]:
    """What stands outside of the list and follows it."""
    parts = ("coverage", "place")
    return tuple(out_of_band(request, f"{LIST}#{part}", {**context, "swap": True}) for part in parts)


def _task_page(request: HttpRequest, row: TodoTask, form: TaskForm, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "row": rows_of([row])[0],
        "form": form,
        "whose": desk.whose(row),
        "back": desk.address(PANEL, row),
        **more,
    }
    return render_panel(request, TASK, context, partial="question", status=status)


def _two_versions(request: HttpRequest, row: TodoTask, typed: QueryDict, status: int) -> HttpResponse:
    """What is stored now beside what was typed; sent again, the latter takes its place."""
    insisting = typed.copy()
    insisting["revision"] = str(row.revision)
    form = task_form(row, insisting)
    form.is_valid()
    return _task_page(request, row, form, status=status, theirs=differences(row, form), conflict=True)


def _changed(request: HttpRequest, row: TodoTask, said: str) -> HttpResponse:
    if desk.is_on(request, PANEL):
        return _row(request, row, toast(request, said), headers=desk.into_row(PANEL, row.ref))
    return desk.onward(request, desk.address(PANEL, row), said)


def _row(request: HttpRequest, row: TodoTask, note: Any, *, status: int = 200, **more: Any) -> HttpResponse:
    """The row as it is now; without htmx the list."""
    if not wants_partial(request):
        said = _("Not done. It was changed meanwhile: look at it first.") if status == 409 else _("Saved.")
        return desk.onward(request, desk.address(PANEL, row), said)
    context = {"row": rows_of([row])[0], "focus": True}
    return render_panel(request, LIST, context, partial="row", status=status, out_of_band=(note,), **more)


def _revision(request: HttpRequest) -> int | None:
    given = request.POST.get("revision", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
