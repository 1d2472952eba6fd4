"""A person with a browser, without the browser."""

import re

from django.http import HttpResponse
from django.test import Client

from pawflow_web.identity.models import User
from review.models import GovernanceItem

HTMX = {"HX-Request": "true"}


def browser_of(user: User | None = None) -> Client:
    """A client at our own host; signed in when a person is given."""
    client = Client(raise_request_exception=False, headers={"host": "127.0.0.1"})
    if user is not None:
        client.force_login(user)
    return client


def htmx(target: str) -> dict[str, str]:
    """The headers with which htmx asks for the part that replaces ``target``."""
    return {**HTMX, "HX-Target": target}


def at(path: str, target: str = "dialog") -> dict[str, str]:
    """The headers of a form in the dialog over the page at ``path``."""
    return {**htmx(target), "HX-Current-URL": f"http://127.0.0.1{path}"}


def rows(page: str) -> list[str]:
    """The references of the beliefs that a list shows."""
    return re.findall(r'<li class="item[^>]*data-ref="(\w+)" data-status', page)


def field(page: str, name: str) -> str:
    """What the first hidden field of that name holds."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, name
    return found[1]


def status(item: GovernanceItem) -> str:
    """As it is now."""
    item.refresh_from_db()
    return str(item.status)


def text_of(answer: HttpResponse) -> str:
    """What a reader of the page sees, roughly: without tags, spaces folded."""
    page = re.sub(r"<template.*?</template>", " ", answer.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
