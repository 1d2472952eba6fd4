from tests.memory.conftest import agent, person
from tests.review.conftest import alice, bob, parties, strangers

__all__ = ["agent", "alice", "bob", "parties", "person", "strangers"]
