"""Pages of jobs."""

from django.urls import path

from pawflow_web.jobs import views

urlpatterns = [
    path("jobs", views.jobs, name="jobs"),
    path("jobs/<str:ref>/cancel", views.cancel, name="job-cancel"),
]
