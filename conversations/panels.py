"""Panels of this app."""

from django.utils.translation import gettext_lazy as _

from conversations.pages import views
from pawflow_web.web.panels import panel

sessions = panel("sessions", title=_("Sessions"), group="record", icon="session", order=10, key="s")(views.sessions)
