"""Panels of this app."""

from django.utils.translation import gettext_lazy as _

from pawflow_web.identity import views
from pawflow_web.web.panels import panel

tokens = panel("tokens", title=_("Tokens"), group="system", icon="lock", order=40)(views.tokens)
