"""Secret words: sealed in their row, opened for a person, sealed anew when there is a newer key."""

from dataclasses import dataclass

from conversations.record.sealing import reseal_steps
from pawflow_web.identity.idempotency import Looked, reseal_replies
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.crypto import Unopened, resealed
from pawflow_web.lib.errors import InvalidTransition
from review.journal.acts import Act, act
from review.lifecycle.copies import forget_copies, unquote_elsewhere
from review.lifecycle.locked import locked_item
from review.models import ArchiveRequest, Evidence, Feedback, GovernanceItem, Privacy
from review.plaintext import PURPOSE, sealed, words_of

_BATCH = 500


def seal_item(current: Act, item: GovernanceItem, looked: Looked | None = None) -> None:
    """Make a belief secret: its words are sealed and everything that held them in the clear is erased.

    Writes the privacy itself. ``item`` was read ``locked()``. What the journal kept of it so far is erased, and so is
    what was said beside votes and wishes, since tags and comments may say what the words say; decisions from before can
    therefore not be undone any more.

    Args:
        looked: of :func:`~review.lifecycle.copies.look_for_copies`, asked before the clock was taken; else asked now.
    """
    if item.privacy == Privacy.SECRET:
        return
    forget_copies(current, [item], looked)
    unquote_elsewhere(current, item)
    Evidence.objects.filter(item=item).update(quote="", span_start=None, span_end=None)
    Feedback.objects.filter(item=item).update(note="")
    ArchiveRequest.objects.filter(item=item).update(reason="")
    current.forget_payloads(item)
    current.write(item, "seal", text=sealed(item.text), privacy=Privacy.SECRET)


def open_item(current: Act, item: GovernanceItem, *, privacy: str = Privacy.NORMAL) -> None:
    """A belief is no secret any more: the row holds its words again. Writes the privacy itself.

    Raises :class:`~review.plaintext.WordsUnreadable`.
    """
    if item.privacy == Privacy.SECRET:
        current.write(item, "open", text=words_of(item), privacy=privacy)


def reveal(*, principal: Principal, reference: str) -> str:
    """The words of a secret, shown to a person; the journal says that they looked.

    Raises:
        NotAllowed: only a person may.
        NotFound: there is no such belief that the caller may see.
        InvalidTransition: it is no secret, so its words are shown anyway.
        WordsUnreadable: its key is gone.
    """
    principal.require_person()
    with act(principal) as current:
        item = locked_item(principal, reference, None)
        if item.privacy != Privacy.SECRET:
            raise InvalidTransition(
                f"#{item.ref} is not secret; its words are shown as they are.", fields={"privacy": item.privacy}
            )
        words = words_of(item)
        current.mention(item, "reveal")
        return words


@dataclass(frozen=True, slots=True)
class Resealed:
    """``beliefs``, ``replies`` and ``steps`` of turns were under an older key; ``unreadable`` are the refs of beliefs
    and turns that no key here opens."""

    beliefs: int
    replies: int
    steps: int
    unreadable: tuple[str, ...]


def reseal_all() -> Resealed:
    """Seal everything under the newest key. What is under it already stays, so that a run that was cut off goes on.

    Afterwards the older keys are needed by nothing in the database, except for what it names as unreadable.
    """
    done, unreadable, last = 0, [], 0
    secrets = GovernanceItem.objects.filter(privacy=Privacy.SECRET).order_by("pk").values_list("pk", "ref", "text")
    while rows := list(secrets.filter(pk__gt=last)[:_BATCH]):
        for pk, ref, text in rows:
            try:
                newer = resealed(PURPOSE, text)
            except Unopened:
                unreadable.append(ref)
                continue
            # Only as it was read: somebody may open it at this moment.
            if newer is not None:
                done += GovernanceItem.objects.filter(pk=pk, privacy=Privacy.SECRET, text=text).update(text=newer)
        last = rows[-1][0]
    steps, turns = reseal_steps()
    return Resealed(done, reseal_replies(), steps, (*unreadable, *turns))
