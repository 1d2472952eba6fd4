from django.apps import AppConfig


class FilesConfig(AppConfig):
    name = "pawflow_web.files"
    label = "files"
    default_auto_field = "django.db.models.BigAutoField"
