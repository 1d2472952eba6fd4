"""The Overview, and finding from anywhere."""

from django.urls import path

from pawflow_web.overview import finding, views

urlpatterns = [
    path("", views.overview, name="overview"),
    path("find", finding.find, name="find"),
    path("overview/news", views.older, name="overview-news"),
    path("overview/at-work", views.at_work, name="overview-at-work"),
    path("overview/setup", views.dismiss_setup, name="overview-setup"),
]
