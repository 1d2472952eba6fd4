from tests.review.conftest import alice, bob, parties, strangers

__all__ = ["alice", "bob", "parties", "strangers"]
