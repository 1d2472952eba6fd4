"""A person with a browser, without the browser."""

import re

from django.http import HttpResponse
from django.test import Client

from pawflow_web.identity.models import User

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


def text_of(answer: HttpResponse) -> str:
    """What a reader of the page sees, roughly: without tags, spaces folded."""
    page = re.sub(r"<template.*?</template>", " ", answer.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
