"""Pages of the review queue and of single beliefs."""

from django.urls import path, re_path

from review.pages.item import questions as question_views
from review.pages.item import turns as turn_views
from review.pages.item import views as item_views
from review.pages.queue import bulk_views, views
from review.pages.records import views as record_views

urlpatterns = [
    path("review", views.review, name="review"),
    path("review/bulk", bulk_views.bulk, name="review-bulk"),
    path("review/file", bulk_views.accept_file, name="review-file"),
    path("review/many/<str:ref>/cancel", bulk_views.cancel_many, name="review-many-cancel"),
    path("review/batches/<str:ref>/undo", bulk_views.batch_undo, name="review-batch-undo"),
    path("review/refused", record_views.refused, name="refused"),
    path("review/refused/<str:ref>/lift", record_views.lift, name="lift"),
    path("review/archive", record_views.archive_requests, name="archive-requests"),
    re_path(
        r"^review/archive/(?P<ref>[^/]{1,40})/(?P<answer>approve|decline)$",
        record_views.answer_archive,
        name="answer-archive",
    ),
    path("review/journal", record_views.journal, name="journal"),
    path("review/journal/verify", record_views.verify_journal, name="journal-verify"),
    re_path(r"^review/(?P<ref>[^/]{1,40})/(?P<verb>accept|reject)$", views.decide_one, name="review-decide"),
    path("review/turns", turn_views.turn_beliefs, name="turn-beliefs"),
    path("items/<str:ref>", item_views.item, name="item"),
    path("items/<str:ref>/receipt", item_views.item_receipt, name="item-receipt"),
    path("items/<str:ref>/consequence", item_views.item_consequence, name="item-consequence"),
    path("items/<str:ref>/proof", item_views.item_proof, name="item-proof"),
    path("items/<str:ref>/reveal", item_views.item_reveal, name="item-reveal"),
    path("items/<str:ref>/correct", question_views.item_correct, name="item-correct"),
    path("items/<str:ref>/reject", question_views.item_reject, name="item-reject"),
    path("items/<str:ref>/end", question_views.item_end, name="item-end"),
    path("items/<str:ref>/edit", question_views.item_edit, name="item-edit"),
    path("items/<str:ref>/purge", question_views.item_purge, name="item-purge"),
    re_path(
        r"^items/(?P<ref>[^/]{1,40})/(?P<verb>accept|restore|forget|pin|unpin|undo)$",
        item_views.item_act,
        name="item-act",
    ),
]
