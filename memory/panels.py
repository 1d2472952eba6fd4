"""Panels of this app."""

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from memory.importers.uploads import UPLOAD_MOST
from memory.pages.context import views as context_views
from memory.pages.diary import views as diary_views
from memory.pages.imports import views as import_views
from memory.pages.memories import views
from memory.pages.memories.browse import total_of
from memory.pages.scratch import views as scratch_views
from memory.pages.todo import views as todo_views
from pawflow_web.identity.person import is_signed_in
from pawflow_web.web.bodies import uploads
from pawflow_web.web.panels import Count, panel

# The check-up takes a large file as well: it reads the beginning and says so.
for path in ("/api/v1/import", "/imports", "/imports/check"):
    uploads.add(path, UPLOAD_MOST)


def in_use(request: HttpRequest) -> Count | None:
    """How many there are, quietly."""
    return Count(total_of(request), _("in use")) if is_signed_in(request) else None


memories = panel(
    "memories",
    title=_("Memories"),
    group="beliefs",
    icon="memory",
    order=10,
    count=in_use,
    tab=True,
    key="m",
)(views.memories)

context = panel("context", title=_("Context preview"), group="beliefs", icon="eye", order=40, key="x")(
    context_views.context
)

diary = panel("diary", title=_("Diary"), group="record", icon="diary", order=20, key="d")(diary_views.diary)

todo = panel("todo", title=_("To-do"), group="desk", icon="todo", order=10, key="t")(todo_views.todo)
scratchpad = panel("scratchpad", title=_("Scratchpad"), group="desk", icon="scratch", order=20)(
    scratch_views.scratchpad
)

imports = panel("imports", title=_("Imports"), group="system", icon="import", order=30)(import_views.imports)
checkup = panel("checkup", title=_("Check-up"), group="system", icon="eye", order=31, listed=False)(
    import_views.checkup
)
markdown = panel(
    "memories-markdown", title=_("Memory as Markdown"), group="beliefs", icon="memory", order=41, listed=False
)(context_views.markdown)
