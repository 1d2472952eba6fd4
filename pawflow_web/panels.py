"""Panels that belong to no single app."""

from django.utils.translation import gettext_lazy as _

from pawflow_web.overview import views
from pawflow_web.web.panels import panel

overview = panel("overview", title=_("Overview"), group="", icon="home", order=10, tab=True, key="o")(views.overview)
