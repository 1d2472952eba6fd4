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


def why_none(code: str = "") -> str:
    """Why nothing can be embedded now and what to do about it, in two sentences. ``code``: what went wrong, where the
    one who is asked first is not known to fail."""
    now = state()
    if now.how == "off":
        return "Search by meaning is off here. Start without PAWFLOW_EMBEDDINGS=none to turn it on."
    if now.how == "missing":
        return (
            "Search by meaning needs an embedding model, and there is none. Start with `make up EMBEDDINGS=1`, or name "
            "a server in PAWFLOW_EMBEDDINGS_URL."
        )
    return f"The embedding model does not answer ({now.failure or code or now.how}). Try again later."
