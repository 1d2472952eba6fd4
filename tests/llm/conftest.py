from tests.llm.fixtures import local_model, no_local_model, server
from tests.review.conftest import alice, bob, parties, strangers

__all__ = ["alice", "bob", "local_model", "no_local_model", "parties", "server", "strangers"]
