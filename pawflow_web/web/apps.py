from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "pawflow_web.web"
    label = "web"
    default_auto_field = "django.db.models.BigAutoField"
