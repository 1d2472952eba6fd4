"""Every address of the product."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from pawflow_web.web import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("pawflow_web.api.urls")),
    path("", include("pawflow_web.identity.urls")),
    path("", include("pawflow_web.jobs.urls")),
    path("", include("conversations.urls")),
    path("", include("review.urls")),
    path("", include("graph.urls")),
    path("", include("memory.urls")),
    path("", include("pawflow_web.overview.urls")),
    path("admin/", admin.site.urls),
    path("health", views.health, name="health"),
    path("ready", views.ready, name="ready"),
    path("menu", views.menu, name="menu"),
    path("favicon.ico", views.favicon, name="favicon"),
]

if settings.DEBUG:
    from pawflow_web.styleguide import styleguide

    urlpatterns.append(path("styleguide/", styleguide, name="styleguide"))

handler400 = "pawflow_web.web.errors.bad_request"
handler403 = "pawflow_web.web.errors.permission_denied"
handler404 = "pawflow_web.web.errors.page_not_found"
handler500 = "pawflow_web.web.errors.server_error"
