"""Moving the end of a session's active branch, as going back in a conversation does, without anything being said."""

from conversations.models import TOLD, Chunk, Session
from conversations.sessions.heads import Heads
from conversations.sessions.lineage import fingerprint, lineage_of
from conversations.sessions.log import next_numbers
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, NotFound


def move_leaf(*, principal: Principal, session: Session, leaf: str) -> Session:
    """Let the active branch end at ``leaf``, until something is appended. Pointers into the branch as it was are
    stale.

    Raises:
        Invalid: the session has no such record in its tree.
        NotFound: it was deleted meanwhile.
    """
    if session.kind == TOLD:
        raise Invalid("What was told has one branch.", fields={"leaf": "is for sessions of files"})
    with user_clock(principal.user_id) as clock:
        found = Session.objects.visible_to(principal).select_related("conversation").filter(pk=session.pk).first()
        if found is None:
            raise NotFound(f"There is no session {session.ref}.")
        chunks = list(Chunk.objects.filter(session=found).order_by("number").only("heads", "active_entries", "seq"))
        heads = [Heads.unpack(chunk.heads) for chunk in chunks]
        nodes = [node for one in heads for node in one.nodes()]
        if not any(node is not None and node.id == leaf for _, node in nodes):
            raise Invalid("The session has no such record.", fields={"leaf": "must be the id of a record in its tree"})
        branch = lineage_of(nodes, leaf)
        changed = [chunk for chunk, one in zip(chunks, heads, strict=True) if one.mark(branch.active)]
        by_chunk = dict(zip((chunk.pk for chunk in chunks), heads, strict=True))
        for chunk, seq in zip(changed, next_numbers(clock, len(changed)), strict=True):
            chunk.heads, chunk.active_entries = by_chunk[chunk.pk].pack(), by_chunk[chunk.pk].active_entries
            chunk.seq = seq
        Chunk.objects.bulk_update(changed, ["heads", "active_entries", "seq"], batch_size=20)
        found.leaf, found.lineage = leaf, fingerprint("active", leaf, branch.ids)
        found.state = {**found.state, "leaf": leaf}
        found.active_entries = sum(one.active_entries for one in heads)
        found.save(update_fields=["leaf", "lineage", "state", "active_entries"])
    return found
