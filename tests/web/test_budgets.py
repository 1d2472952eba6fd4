"""What a page may cost, whatever stands on it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pawflow_web.web.panels import registry
from tests.factories import make_owner
from tests.web.beliefs import bring_file, contradict, fill, propose, remember
from tests.web.people import browser_of, htmx

QUERIES_MOST = 15
# Assembling a context asks for each block by itself, so that one can fail alone.
MORE_QUERIES = {"/memories/context": 24}
BYTES_MOST = 60 * 1024
# Whatever the navigation and Find lead to, and the list as it is asked for most.
PAGES = (*(str(panel.url) for panel in registry.all()), "/memories?q=service", "/memories?status=any")


@pytest.mark.parametrize("waiting", [1, 50])
def test_a_page_asks_the_database_little_and_weighs_little(db: None, waiting: int) -> None:
    lotta = make_owner("lotta")
    item = bring_file(lotta, [f"Service {n} answers on port {8000 + n}." for n in range(waiting)])[-1]
    for n in range(waiting):
        remember(lotta, f"Service {n} belongs to team {n}. " + "It is long. " * 200, tags=[f"team-{n}", "service"])
    _, new = contradict(lotta, "Service 0 is in Dublin.", "Service 0 is in Frankfurt.")
    browser = browser_of(lotta)
    for page in (
        *PAGES,
        f"/review?item={new.ref}",
        f"/review?item={item.ref}",
        f"/items/{new.ref}",
        f"/items/{item.ref}",
    ):
        with CaptureQueriesContext(connection) as asked:
            answer = browser.get(page)
        assert answer.status_code == 200
        # Outside of a transaction, as in a serving process, nothing is a savepoint.
        queries = [query["sql"][:90] for query in asked if "SAVEPOINT" not in query["sql"]]
        assert len(queries) <= MORE_QUERIES.get(page, QUERIES_MOST), (page, queries)
        assert len(answer.content) <= BYTES_MOST, page


def test_more_rows_cost_no_more_queries(db: None) -> None:
    few, many = make_owner("few"), make_owner("many")
    fill(few, 6)
    fill(many, 40)
    for page in PAGES:
        counts = []
        for person in (few, many):
            with CaptureQueriesContext(connection) as asked:
                browser_of(person).get(page)
            counts.append(len(asked))
        assert counts[1] <= counts[0] + 1, page


def test_the_next_item_after_a_decision_costs_what_it_must(db: None) -> None:
    lotta = make_owner("lotta")
    first = propose(lotta, "The canary is green.")
    bring_file(lotta, [f"Service {n} is up." for n in range(30)])
    browser = browser_of(lotta)
    with CaptureQueriesContext(connection) as asked:
        answer = browser.post(f"/review/{first.ref}/accept", {"revision": 1}, headers=htmx("review-item"))
    reads = [query["sql"] for query in asked if query["sql"].startswith("SELECT") and "FOR UPDATE" not in query["sql"]]
    assert answer.status_code == 200
    assert len(reads) <= 20
    assert len(answer.content) <= BYTES_MOST
