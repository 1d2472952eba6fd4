from dataclasses import replace

import pytest

from pawflow_web.lib import blocks
from tests.review.conftest import alice, bob, parties, strangers

__all__ = ["alice", "bob", "parties", "strangers"]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No block is late because the machine is busy; what happens to late ones is tested beside the assembly."""
    slow = {name: replace(block, deadline_ms=60_000) for name, block in blocks.registry.items()}
    monkeypatch.setattr(blocks.registry, "_entries", slow)
