"""How it stands with embedding, for those who show it."""

from dataclasses import dataclass
from typing import Literal

from django.conf import settings

from pawflow_web.lib.db import execute
from pawflow_web.llm.providers import providers

_STATE = """
SELECT (SELECT name FROM llm_embeddingmodel WHERE current),
  (SELECT failure FROM llm_embeddingsource WHERE name = %s AND failures > 0)
"""


@dataclass(frozen=True, slots=True)
class State:
    """``off``: the settings say so. ``missing``: there is nobody. ``starting``: nobody asked yet. ``failing``: the
    first choice does not answer, for the reason in ``failure``; ``model`` is then the one in use meanwhile, if any."""

    how: Literal["off", "missing", "starting", "on", "failing"]
    model: str = ""
    failure: str = ""


def state() -> State:
    if settings.ENV.embeddings == "none":
        return State("off")
    chosen = providers()
    if not chosen:
        return State("missing")
    model, failure = execute(_STATE, [chosen[0].source])[0]
    if failure:
        return State("failing", model or "", failure)
    return State("on", model) if model else State("starting")
