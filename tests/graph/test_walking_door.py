"""The second door in the words of a statement of our own is the second door."""

from datetime import UTC, datetime

import pytest

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.models import GovernanceItem
from review.querysets import recallable_sql
from tests.graph.facts import fact
from tests.graph.test_boundary import HIDDEN, OVER
from tests.review.beliefs import Parties


def read(principal: Principal, **clocks: datetime) -> set[int]:
    text, values = recallable_sql(principal, **clocks)
    return {pk for (pk,) in execute(f"SELECT id FROM review_governanceitem WHERE {text}", values)}


@pytest.mark.parametrize("state", [*HIDDEN, *OVER])
def test_both_read_the_same_of_whatever_is_hidden(parties: Parties, strangers: Parties, state: str) -> None:
    known = fact(parties.coder, "Lotta", "visits", "Frankfurt")
    hidden = {**HIDDEN, **OVER}[state](parties, strangers)
    speakers = [parties.person, parties.coder, parties.writer, parties.cron, strangers.person, strangers.coder]
    moments: list[dict[str, datetime]] = [
        {},
        {"at": datetime(2019, 6, 1, tzinfo=UTC)},
        {"at": datetime(2999, 6, 1, tzinfo=UTC)},
        {"known_at": datetime(2020, 1, 1, tzinfo=UTC)},
        {"known_at": known.recorded_at, "at": datetime(2019, 6, 1, tzinfo=UTC)},
    ]
    for principal in speakers:
        for clocks in moments:
            door = set(GovernanceItem.objects.recallable(principal, **clocks).values_list("pk", flat=True))
            assert read(principal, **clocks) == door, (state, principal.name, clocks)
    assert known.pk in read(parties.coder)
    assert hidden.pk not in read(parties.coder)
