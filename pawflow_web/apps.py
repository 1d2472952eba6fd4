from django.apps import AppConfig


class PawflowWebConfig(AppConfig):
    name = "pawflow_web"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from pawflow_web.checks import load_registries  # noqa: PLC0415 - models exist only now

        load_registries()
