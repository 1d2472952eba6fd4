"""For ``include("pawflow_web.api.urls")``."""

from pawflow_web.api import urlpatterns

__all__ = ["urlpatterns"]
