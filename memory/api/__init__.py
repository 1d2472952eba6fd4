"""REST routes of memories beyond the tools: contexts, imports, and taking everything along."""

from ninja import Router

from memory.api import context, exports, imports

__all__ = ["router"]

router = Router(tags=["memory"])
for part in (exports, context, imports):
    router.add_router("", part.router)
