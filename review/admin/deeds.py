"""Doing the same to each chosen row through a service, and saying what became of it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.lib.errors import DomainError
from review.limits import BULK_MOST

# More sentences than this above a list, and nobody reads the first.
_SENTENCES = 5


def for_each(request: HttpRequest, rows: QuerySet[Any], column: str, deed: Callable[[str], object]) -> None:
    """``deed`` on the value of ``column`` of each row, every one by itself; what is refused stays and is named."""
    chosen = chosen_of(request, rows, column)
    refused: list[tuple[str, DomainError]] = []
    for value in chosen:
        try:
            deed(value)
        except DomainError as error:
            refused.append((value, error))
    tell(request, len(chosen) - len(refused), refused)


def chosen_of(request: HttpRequest, rows: QuerySet[Any], column: str) -> Sequence[str]:
    """The values of the chosen rows; none, and a sentence that says so, when it is too many at once."""
    chosen = list(rows.order_by("pk").values_list(column, flat=True)[: BULK_MOST + 1])
    if len(chosen) <= BULK_MOST:
        return chosen
    messages.error(request, _("Nothing was done: at most %(most)d at once.") % {"most": BULK_MOST})
    return []


def tell(request: HttpRequest, done: int, refused: Iterable[tuple[str, DomainError]]) -> None:
    """How many were done, and why the others were not."""
    if done:
        messages.success(request, ngettext("%(done)d done.", "%(done)d done.", done) % {"done": done})
    left = list(refused)
    for value, error in left[:_SENTENCES]:
        messages.warning(request, _("Not #%(ref)s: %(why)s") % {"ref": value, "why": error.message})
    if len(left) > _SENTENCES:
        messages.warning(request, _("And %(more)d more were not done.") % {"more": len(left) - _SENTENCES})
