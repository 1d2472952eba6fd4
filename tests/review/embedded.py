"""Beliefs and their vectors, as the tests of search by meaning use them."""

from typing import Any

from django.db import connection

from memory.notes.meaning import notes_near
from memory.notes.services import remember_note
from pawflow_web.identity.principal import Principal
from review.models import GovernanceItem, ItemVector
from review.search import embedding
from review.search.find import Page

SOON = 10**9.0


def tell(principal: Principal, text: str, **options: Any) -> GovernanceItem:
    item = remember_note(principal=principal, text=text, scope=options.pop("scope", "global"), **options).admission.item
    assert item is not None
    return item


def follow() -> None:
    """What the worker does when it is woken, to its end. It is in no transaction, where an index could not be made
    while checks are pending."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    while embedding.embed_slice(SOON):
        pass


def near(principal: Principal, query: str, **options: Any) -> list[str]:
    return [hit.item.text for hit in notes_near(principal=principal, query=query, **options).hits]


def texts(page: Page) -> list[str]:
    return [hit.item.text for hit in page.hits]


def embedded() -> set[str]:
    return set(ItemVector.objects.values_list("item__text", flat=True))
