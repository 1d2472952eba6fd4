from django.apps import AppConfig


class LlmConfig(AppConfig):
    name = "pawflow_web.llm"
    label = "llm"
    default_auto_field = "django.db.models.BigAutoField"
