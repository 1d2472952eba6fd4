"""Pages of memories."""

from django.urls import path

from memory import views

urlpatterns = [
    path("memories", views.memories, name="memories"),
    path("memories/bulk", views.bulk, name="memories-bulk"),
]
