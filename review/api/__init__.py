"""REST routes of beliefs and of the review queue."""

from ninja import Router

from review.api import archive_requests, decisions, erasing, items, queue, tombstones
from review.api.items import CategoryWord

__all__ = ["CategoryWord", "router"]

router = Router(tags=["beliefs"])
for part in (items, queue, tombstones, archive_requests, decisions, erasing):
    router.add_router("", part.router)
