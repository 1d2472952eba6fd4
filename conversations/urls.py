"""Pages of conversations."""

from django.urls import path

from conversations.pages import views

urlpatterns = [
    path("sessions", views.sessions, name="sessions"),
    path("sessions/turn/<str:ref>", views.turn, name="session-turn"),
    path("sessions/<str:ref>", views.session, name="session"),
    path("sessions/<str:ref>/delete", views.delete, name="session-delete"),
]
