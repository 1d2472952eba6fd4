from django.apps import AppConfig


class IdentityConfig(AppConfig):
    name = "pawflow_web.identity"
    label = "identity"
    default_auto_field = "django.db.models.BigAutoField"
