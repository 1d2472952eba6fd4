"""REST routes of conversations, projects, session files and recall."""

from ninja import Router

from conversations.api import conversations, sessions

__all__ = ["router"]

router = Router()
for part in (conversations, sessions):
    router.add_router("", part.router)
