"""Steps of encrypted conversations at rest: sealed with the keys that seal secret words."""

from conversations.models import Step, Turn
from pawflow_web.lib.crypto import Unopened, resealed, seal, unseal
from pawflow_web.lib.errors import Unavailable

_PURPOSE = "turn of a conversation"
# Steps may be long.
_BATCH = 100


def sealed(raw: str) -> str:
    """What the row of a step holds in place of what was sent."""
    return seal(_PURPOSE, raw)


def opened(raw: str, turn: Turn) -> str:
    """What was sent, of a step of that turn. Raises :class:`~pawflow_web.lib.errors.Unavailable`: its key is gone."""
    if not turn.conversation.encrypted:
        return raw
    try:
        return unseal(_PURPOSE, raw)
    except Unopened:
        raise Unavailable(
            f"{turn} was sealed with a key that is not here. Put it back into PAWFLOW_CONTENT_KEYS."
        ) from None


def reseal_steps() -> tuple[int, list[str]]:
    """Seal every such step under the newest key. Returns how many were under another, and the turns of those that no
    key here opens."""
    done, unreadable, last = 0, [], 0
    steps = Step.objects.filter(turn__conversation__encrypted=True).order_by("pk").select_related("turn__run")
    while rows := list(steps.filter(pk__gt=last)[:_BATCH]):
        for step in rows:
            try:
                newer = resealed(_PURPOSE, step.raw)
            except Unopened:
                unreadable.append(str(step.turn))
                continue
            if newer is not None:
                done += Step.objects.filter(pk=step.pk, raw=step.raw).update(raw=newer)
        last = rows[-1].pk
    return done, list(dict.fromkeys(unreadable))
