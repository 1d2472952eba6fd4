"""Addresses of what stands in a session."""

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from django.urls import reverse

from conversations.models import TOLD, Session

# The first step of a turn has its name, the others a number behind it.
_TURN = re.compile(r"(?P<turn>(?P<run>[^/]+):(?P<number>\d+))(?:/\d+)?")


def address_of_entry(session: Session, index: int, entry_id: str | None, *, branches: str = "", back: str = "") -> str:
    """Where the reader shows an entry, with its number among those of the ``branches`` (empty: the active one); of what
    was told, its turn. ``back``: the page that one came from."""
    ref = session.conversation.ref
    if session.kind == TOLD:
        return address_of_turn(ref, entry_id or "", back=back)
    return session_address(ref, {"entry": index, "branches": branches, "back": back}, anchor=f"e-{index}")


def address_of_turn(conversation: str, named: str, *, back: str = "") -> str:
    """Where the reader shows a turn, by ``run:number`` or the name of a step of it."""
    found = _TURN.fullmatch(named)
    if found is None:
        return session_address(conversation, {"back": back})
    asked = {"from": found["turn"], "back": back}
    return session_address(conversation, asked, anchor=f"t-{found['run']}-{found['number']}")


def session_address(conversation: str, asked: Mapping[str, str | int], *, anchor: str = "") -> str:
    """The reader of a conversation; what is empty is not asked."""
    given = urlencode({name: value for name, value in asked.items() if value != ""})
    address = reverse("session", args=[conversation])
    return f"{address}{'?' if given else ''}{given}{'#' if anchor else ''}{anchor}"
