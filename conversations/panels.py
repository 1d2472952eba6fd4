"""Panels of this app."""

from django.utils.translation import gettext_lazy as _

from conversations.pages import projects as project_pages
from conversations.pages import views
from conversations.sessions.uploads import UPLOAD_MOST
from pawflow_web.web.bodies import uploads
from pawflow_web.web.panels import panel

uploads.add("/api/v1/sessions", UPLOAD_MOST)

sessions = panel("sessions", title=_("Sessions"), group="record", icon="session", order=10, key="s")(views.sessions)
projects = panel("projects", title=_("Projects"), group="projects", icon="project", order=30)(project_pages.projects)
