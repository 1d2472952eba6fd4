"""The preview of a frozen conversation: what the agent gets that asks with ``freeze``, to the byte."""

import re

import pytest

from memory.models import FrozenBlock
from pawflow_web.identity.models import User
from tests.factories import make_conversation, make_token
from tests.memory.conftest import unhurried
from tests.surfaces.conftest import Rest
from tests.web.beliefs import remember
from tests.web.people import browser_of
from tests.web.test_context_page import page_of, sent, shown

__all__ = ["unhurried"]
pytestmark = pytest.mark.usefixtures("unhurried")


def test_it_is_what_the_conversation_keeps_and_does_not_begin_it(lotta: User) -> None:
    browser, coder = browser_of(lotta), Rest(make_token(lotta, agent="coder"))
    remember(lotta, "Likes rye bread.")
    talk = make_conversation(lotta)
    asked = f"conversation={talk.ref}&freeze=true&query=bread"
    page_of(browser, f"?agent=coder&{asked}")
    assert not FrozenBlock.objects.exists()

    first = sent(coder, f"?{asked}")
    remember(lotta, "Likes oats.")
    frozen = page_of(browser, f"?agent=coder&{asked}")
    assert shown(frozen) == first == sent(coder, f"?{asked}")
    assert "the conversation keeps its memory as it was first sent" in frozen
    fresh = shown(page_of(browser, f"?agent=coder&conversation={talk.ref}&query=bread"))
    assert "Likes oats." in fresh
    assert "Likes oats." not in first


def test_the_form_shows_it_and_the_links_keep_it(lotta: User) -> None:
    browser = browser_of(lotta)
    make_token(lotta, agent="coder")
    page, without = page_of(browser, "?agent=coder&freeze=true"), page_of(browser)

    boxes = [re.findall('<input type="checkbox"[^>]*name="freeze"[^>]*>', one) for one in (page, without)]
    assert [("checked" in box) for (box,) in boxes] == [True, False]
    assert page.count("freeze=true") >= 4
    assert "freeze=" not in without
