"""Several nodes on one database. ``STORM=100 make test ARGS=tests/nodes`` runs the long forms: so many kills, and
everything else as often as it takes to be sure; without it each test is small enough for every day."""

import os
from collections.abc import Iterator

import pytest

from tests.nodes.installation import Installation, installation

KILLS = int(os.environ.get("STORM", "0"))


def often(small: int, long: int) -> int:
    """How often something is done, in the short and in the long form."""
    return long if KILLS else small


@pytest.fixture(scope="module")
def nodes() -> Iterator[Installation]:
    """Two nodes that run, for all tests of a module."""
    with installation() as made:
        made.start()
        yield made
