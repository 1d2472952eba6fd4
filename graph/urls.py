"""Pages of the knowledge graph."""

from django.urls import path

from graph.pages import merging, predicates, views

urlpatterns = [
    path("kg", views.kg, name="kg"),
    path("kg/connected", views.connected, name="kg-connected"),
    path("kg/standing", views.standing, name="kg-standing"),
    path("kg/names", views.names, name="kg-names"),
    path("kg/predicates", predicates.predicates, name="kg-predicates"),
    path("kg/merges/<str:ref>/undo", merging.unmerge, name="kg-unmerge"),
    path("kg/<str:ref>", views.entity, name="kg-entity"),
    path("kg/<str:ref>/merge", merging.merge_into, name="kg-merge"),
]
