"""Pages of the review queue and of single beliefs."""

from django.urls import path, re_path

from review import item_views, views

urlpatterns = [
    path("review", views.review, name="review"),
    path("review/bulk", views.bulk, name="review-bulk"),
    path("review/file", views.accept_file, name="review-file"),
    re_path(r"^review/(?P<ref>[^/]{1,40})/(?P<verb>accept|reject)$", views.decide_one, name="review-decide"),
    path("items/<str:ref>", item_views.item, name="item"),
    path("items/<str:ref>/readers", item_views.item_readers, name="item-readers"),
    re_path(
        r"^items/(?P<ref>[^/]{1,40})/(?P<verb>accept|reject|forget|restore)$", item_views.item_act, name="item-act"
    ),
]
