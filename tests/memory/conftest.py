from dataclasses import replace

import pytest

from pawflow_web.identity.models import User
from pawflow_web.lib import blocks
from tests.factories import make_person_token, make_token
from tests.review.conftest import alice, bob, parties, strangers
from tests.surfaces.conftest import Rest

__all__ = ["alice", "bob", "parties", "strangers"]


@pytest.fixture
def agent(alice: User) -> Rest:
    """The coder of alice."""
    return Rest(make_token(alice, agent="coder"))


@pytest.fixture
def person(alice: User) -> Rest:
    """Alice herself."""
    return Rest(make_person_token(alice))


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No block is late because the machine is busy; what happens to late ones is tested beside the assembly."""
    slow = {name: replace(block, deadline_ms=60_000) for name, block in blocks.registry.items()}
    monkeypatch.setattr(blocks.registry, "_entries", slow)
