"""Work of this app that runs by itself."""

from contextlib import suppress

from pawflow_web.identity.idempotency import forget_old_replies
from pawflow_web.identity.models import Erasure
from pawflow_web.identity.services.erasing import go_on
from pawflow_web.identity.services.sign_in import forget_old_sign_ins
from pawflow_web.lib.drains import drain
from pawflow_web.lib.errors import Unavailable


@drain("idempotent_replies")
def drop_old_replies(deadline: float) -> bool:  # noqa: ARG001 - one statement has no slices
    """Kept replies are of use for a day."""
    forget_old_replies()
    return False


@drain("sign_ins")
def drop_old_sign_ins(deadline: float) -> bool:  # noqa: ARG001 - two statements over few rows
    """Links that open nothing any more, and failures that slow nobody down."""
    forget_old_sign_ins()
    return False


@drain("erasures")
def erase_the_rest(deadline: float) -> bool:
    """What a request or a killed worker left of agents and owners that are being erased."""
    more = False
    for erasure in Erasure.objects.select_related("user", "agent").order_by("pk"):
        with suppress(Unavailable):  # a busy owner: the next tick tries again
            more |= go_on(erasure, deadline)
    return more
