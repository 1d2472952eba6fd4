"""Panels of this app."""

from django.utils.translation import gettext_lazy as _

from pawflow_web.identity import settings_views, views
from pawflow_web.web.panels import panel

settings = panel("settings", title=_("Settings"), group="system", icon="gear", order=40)(settings_views.preferences)

agents = panel("agents", title=_("Agents"), group="system", icon="agent", order=41, listed=False)(settings_views.agents)
tokens = panel("tokens", title=_("Tokens"), group="system", icon="lock", order=42, listed=False)(views.tokens)
