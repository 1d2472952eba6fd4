"""Moving the end of a session's active branch, as going back in a conversation does, without anything being said."""

from collections.abc import Sequence

from conversations.models import TOLD, Chunk, Session
from conversations.sessions.heads import Heads
from conversations.sessions.lineage import fingerprint, lineage_of
from conversations.sessions.log import next_numbers
from pawflow_web.identity.clock import user_clock
from pawflow_web.lib.errors import Conflict, Invalid


def move_leaf(*, session: Session, leaf: str) -> Session:
    """Let the active branch end at ``leaf``, until something is appended. Pointers into the branch as it was are
    stale.

    Raises:
        Invalid: the session has no such record in its tree.
        Conflict: it changed or was deleted meanwhile.
    """
    if session.kind == TOLD:
        raise Invalid("What was told has one branch.", fields={"leaf": "is for sessions of files"})
    chunks = list(Chunk.objects.filter(session=session).order_by("number").only("heads", "active_entries", "seq"))
    heads = [Heads.unpack(chunk.heads) for chunk in chunks]
    nodes = [node for one in heads for node in one.nodes()]
    if not any(node is not None and node.id == leaf for _, node in nodes):
        raise Invalid("The session has no such record.", fields={"leaf": "must be the id of a record in its tree"})
    branch = lineage_of(nodes, leaf)
    changed = []
    for chunk, one in zip(chunks, heads, strict=True):
        if one.mark(branch.active):
            chunk.heads, chunk.active_entries = one.pack(), one.active_entries
            changed.append(chunk)
    session.leaf, session.lineage = leaf, fingerprint("active", leaf, branch.ids)
    session.state = {**session.state, "leaf": leaf}
    session.active_entries = sum(one.active_entries for one in heads)
    _write(session, changed)
    return session


def _write(session: Session, changed: Sequence[Chunk]) -> None:
    with user_clock(session.user_id) as clock:
        now_there = Session.objects.filter(pk=session.pk).values_list("changed_seq", flat=True).first()
        if now_there != session.changed_seq:
            raise Conflict("The session changed at the same moment. Look at it again.")
        session.changed_seq, *numbers = next_numbers(clock, len(changed) + 1)
        for chunk, seq in zip(changed, numbers, strict=True):
            chunk.seq = seq
        Chunk.objects.bulk_update(changed, ["heads", "active_entries", "seq"], batch_size=20)
        session.save(update_fields=["leaf", "lineage", "state", "active_entries", "changed_seq"])
