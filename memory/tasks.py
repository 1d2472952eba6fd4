"""What the worker does for this app."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.importers import background
from memory.importers.outcomes import outcome
from memory.scratch import services as scratch
from pawflow_web.jobs.work import kind_of_work
from pawflow_web.lib.drains import drain


def _summary(result: Mapping[str, Any]) -> str:
    return f"{result['source']}: {outcome(result)}"


kind_of_work(background.KIND, title=_("Import"), summary=_summary)


@drain(background.DRAIN, where="worker")
def imports(deadline: float) -> bool:
    """Bring what waits in the uploads of this machine."""
    return background.work(deadline)


@drain("expired_notes")
def expired_notes(deadline: float) -> bool:  # noqa: ARG001 - a slice is one statement
    """Delete the scratch notes whose time is over. For readers they are gone already."""
    return scratch.sweep_expired()
