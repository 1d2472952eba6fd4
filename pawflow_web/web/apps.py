from django.apps import AppConfig

from pawflow_web.web.panels import registry


class WebConfig(AppConfig):
    name = "pawflow_web.web"
    label = "web"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # The project's own app stands before this one and has imported every `panels.py` by now.
        registry.freeze()
