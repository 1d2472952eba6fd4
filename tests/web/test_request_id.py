import pytest
from django.test import Client


def test_a_request_keeps_the_id_of_its_caller(web: Client) -> None:
    assert web.get("/health", headers={"X-Request-Id": "run-7:3"})["X-Request-Id"] == "run-7:3"


@pytest.mark.parametrize("given", ["", "two words", "x" * 65, 'a"b', "line\tbreak"])
def test_an_id_that_could_break_a_log_line_is_replaced(web: Client, given: str) -> None:
    chosen = web.get("/health", headers={"X-Request-Id": given})["X-Request-Id"]
    assert chosen != given
    assert len(chosen) == 16


def test_two_requests_have_two_ids(web: Client) -> None:
    assert web.get("/health")["X-Request-Id"] != web.get("/health")["X-Request-Id"]
