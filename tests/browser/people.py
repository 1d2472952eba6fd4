"""A person at the running product, signed in by a link as on the first day."""

from urllib.parse import urlsplit

from playwright.sync_api import Page

from pawflow_web.identity.models import User
from pawflow_web.identity.services import create_sign_in_link


def sign_in(page: Page, base: str, user: User) -> None:
    """Follow a fresh sign-in link; ends where ``/`` leads."""
    page.goto(base + urlsplit(create_sign_in_link(user)).path)


def in_focus(page: Page) -> str:
    """The words of what has the focus."""
    words: str = page.evaluate("document.activeElement.textContent.replace(/\\s+/g, ' ').trim()")
    return words
