"""What hangs on a conversation, so that deleting one leaves nothing of it anywhere.

An app that stores something of conversations registers here how it goes, in its ``erase.py``.
"""

from collections.abc import Callable

from conversations.models import Conversation
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.registry import Registry

# A part, in transactions of its own; True: there is more. Called again after an interruption, it goes on.
Eraser = Callable[[Principal, Conversation], bool]

erasers: Registry[Eraser] = Registry("eraser of conversations")


def erases_conversation(name: str) -> Callable[[Eraser], Eraser]:
    """Register a function as an eraser."""

    def register(erase: Eraser) -> Eraser:
        erasers.add(name, erase)
        return erase

    return register
