"""What the worker keeps up to date for this app."""

from conversations.recall.index import catch_up, gone_by_owner, index_of, renew
from conversations.sessions import uploads, watching
from conversations.sessions.log import INDEX_DRAIN
from pawflow_web.identity.following import Followed
from pawflow_web.lib.drains import drain

_entries = Followed(
    "session_seq",
    index_of=index_of,
    catch_up=catch_up,
    renew=renew,
    erased=gone_by_owner,
    # Building a large index anew takes minutes; so long others wait for what is new of theirs.
    renewal_s=5.0,
)


@drain(INDEX_DRAIN, where="node")
def entries_index(deadline: float) -> bool:
    """Bring the index of every owner's entries on this node up to the owner's clock, and build those anew whose files
    hold words of sessions that were deleted since."""
    return _entries.follow(deadline)


drain("session_folders", where="worker")(watching.look)
drain("session_uploads")(uploads.sweep)
