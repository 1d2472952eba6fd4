"""Who embeds here: what the settings name and this environment can serve."""

from django.conf import settings

from pawflow_web.llm import endpoint, minilm
from pawflow_web.llm.embeddings import Provider


def providers() -> list[Provider]:
    """The first choice first. None of them has loaded or reached anything yet."""
    env = settings.ENV
    found: list[Provider] = []
    if env.embeddings == "auto" and env.embeddings_url:
        found.append(endpoint.provider(env.embeddings_url, env.embeddings_model, env.embeddings_key))
    if env.embeddings != "none" and (local := minilm.provider()) is not None:
        found.append(local)
    return found


def configured() -> bool:
    """Whether there is anybody to ask."""
    return bool(providers())
