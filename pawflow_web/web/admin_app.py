"""The app of Django's admin, with our site in the place of its own."""

from django.contrib.admin.apps import AdminConfig


class OwnersAdminConfig(AdminConfig):
    default_site = "pawflow_web.web.admin.OwnersSite"
