"""Pages of memories."""

from django.urls import path

from memory.pages.context import views as context_views
from memory.pages.diary import views as diary_views
from memory.pages.imports import views as import_views
from memory.pages.memories import views
from memory.pages.scratch import views as scratch_views
from memory.pages.todo import views as todo_views

urlpatterns = [
    path("memories", views.memories, name="memories"),
    path("memories/bulk", views.bulk, name="memories-bulk"),
    path("memories/context", context_views.context, name="context"),
    path("memories/markdown", context_views.markdown, name="memories-markdown"),
    path("diary", diary_views.diary, name="diary"),
    path("diary/closing", diary_views.closing, name="diary-closing"),
    path("diary/<str:reference>", diary_views.entry, name="diary-entry"),
    path("diary/<str:reference>/admission", diary_views.admission, name="diary-admission"),
    path("diary/<str:reference>/delete", diary_views.delete, name="diary-delete"),
    path("todo", todo_views.todo, name="todo"),
    path("todo/clear", todo_views.clear, name="todo-clear"),
    path("todo/<str:reference>", todo_views.task, name="todo-task"),
    path("todo/<str:reference>/status", todo_views.status, name="todo-status"),
    path("todo/<str:reference>/delete", todo_views.delete, name="todo-delete"),
    path("scratchpad", scratch_views.scratchpad, name="scratchpad"),
    path("scratchpad/<str:reference>", scratch_views.note, name="scratch-note"),
    path("scratchpad/<str:reference>/keep", scratch_views.keep, name="scratch-keep"),
    path("scratchpad/<str:reference>/delete", scratch_views.delete, name="scratch-delete"),
    path("imports", import_views.imports, name="imports"),
    path("imports/check", import_views.check, name="imports-check"),
    path("checkup", import_views.checkup, name="checkup"),
]
