"""Panels of this app."""

from django.utils.translation import gettext_lazy as _

from pawflow_web.identity import settings_views
from pawflow_web.web.panels import panel

settings = panel("settings", title=_("Settings"), group="system", icon="gear", order=40)(settings_views.preferences)
