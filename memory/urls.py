"""Pages of memories."""

from django.urls import path

from memory.pages.context import views as context_views
from memory.pages.imports import views as import_views
from memory.pages.memories import views

urlpatterns = [
    path("memories", views.memories, name="memories"),
    path("memories/bulk", views.bulk, name="memories-bulk"),
    path("memories/context", context_views.context, name="context"),
    path("memories/markdown", context_views.markdown, name="memories-markdown"),
    path("imports", import_views.imports, name="imports"),
    path("imports/check", import_views.check, name="imports-check"),
    path("checkup", import_views.checkup, name="checkup"),
]
