"""What is logged when the database refuses a row: which rule, never the row."""

import logging
import sys

import pytest
from django.db import IntegrityError, transaction

from pawflow_web.identity.models import Agent, User
from pawflow_web.logs import traceback_text
from tests.factories import make_owner

NAME = "two words,\nzyzzogeton"


@pytest.fixture
def alice(db: None) -> User:
    return make_owner("alice")


def test_a_row_that_the_database_quotes_is_not_in_the_log(alice: User) -> None:
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Agent.objects.create(user=alice, name=NAME)
    # the control: it is in what the database says
    assert "zyzzogeton" in str(refused.value)
    error = refused.value
    text = traceback_text((type(error), error, error.__traceback__))
    assert "zyzzogeton" not in text
    assert "identity_agent_name_shape" in text
    assert "tests/lib/test_logs.py" in text


def test_the_handler_of_all_logs_writes_it_so(alice: User) -> None:
    (handler,) = [one for one in logging.getLogger().handlers if type(one) is logging.StreamHandler]
    try:
        with transaction.atomic():
            Agent.objects.create(user=alice, name=NAME)
    except IntegrityError:
        record = logging.LogRecord("any", logging.ERROR, __file__, 1, "failed", None, sys.exc_info())
    line = handler.format(record)
    assert "zyzzogeton" not in line
    assert "identity_agent_name_shape" in line


def test_another_error_is_told_as_it_is() -> None:
    try:
        raise ValueError("a plain one") from KeyError("x")
    except ValueError:
        text = traceback_text(sys.exc_info())  # type: ignore[arg-type]
    assert text.endswith("ValueError: a plain one")
    assert "KeyError: 'x'" in text
