"""Pages of conversations."""

from django.urls import path

from conversations.pages import projects, views

urlpatterns = [
    path("sessions", views.sessions, name="sessions"),
    path("sessions/turn/<str:ref>", views.turn, name="session-turn"),
    path("sessions/<str:ref>", views.session, name="session"),
    path("sessions/<str:ref>/delete", views.delete, name="session-delete"),
    path("sessions/<str:ref>/project", projects.file_conversation, name="session-project"),
    path("projects", projects.projects, name="projects"),
    path("projects/<str:slug>", projects.project, name="project"),
    path("projects/<str:slug>/archive", projects.archive, {"archived": True}, name="project-archive"),
    path("projects/<str:slug>/unarchive", projects.archive, {"archived": False}, name="project-unarchive"),
]
