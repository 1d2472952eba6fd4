"""Panels of this app."""

from django.utils.translation import gettext_lazy as _

from graph.pages import views
from pawflow_web.web.panels import panel

kg = panel("kg", title=_("Knowledge graph"), group="beliefs", icon="graph", order=20, key="k")(views.kg)
