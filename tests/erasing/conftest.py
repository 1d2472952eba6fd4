from tests.memory.conftest import unhurried
from tests.review.conftest import alice, bob, parties, strangers
from tests.surfaces.conftest import server

__all__ = ["alice", "bob", "parties", "server", "strangers", "unhurried"]
