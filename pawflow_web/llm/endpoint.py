"""Embedding by a server that speaks OpenAI's protocol: one of theirs, or one on this machine.

What it sends is not trusted: bounded in size and time, checked number by number, and quoted nowhere. Its key is sent
to it and to nobody else: redirects are not followed.
"""

import json
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from pawflow_web.llm.embeddings import EmbeddingFailed, Vector, unit
from pawflow_web.llm.models import BATCH_MOST, DIMENSIONS_MOST, Source

if TYPE_CHECKING:
    from openai import OpenAI

# A whole batch of the longest vectors, each number written out in full.
REPLY_BYTES_MOST = (BATCH_MOST + 1) * DIMENSIONS_MOST * 32


class EndpointProvider:
    source = Source.ENDPOINT

    def __init__(self, url: str, model: str, key: str | None) -> None:
        self.model_name = model[:200]
        self._asked_model = model
        self._url = url
        self._key = key

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[Vector | None]:
        return _vectors(self._reply(texts, seconds), len(texts))

    def close(self) -> None:
        """Let go of the connections that it keeps."""
        if "_client" in self.__dict__:
            self._client.close()

    def _reply(self, texts: Sequence[str], seconds: float) -> bytes:
        # The library takes a second to load; a process that never embeds is spared it.
        from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 - see above

        from pawflow_web.llm.transport import TooLarge, within  # noqa: PLC0415 - as above

        try:
            reply = self._client.embeddings.with_raw_response.create(
                model=self._asked_model, input=list(texts), encoding_format="float", timeout=within(seconds)
            )
        except APIStatusError as error:
            raise EmbeddingFailed(f"refused_{error.status_code}") from None
        except APITimeoutError:
            raise EmbeddingFailed("timeout") from None
        except APIConnectionError as error:
            large = isinstance(error.__cause__, TooLarge)
            raise EmbeddingFailed("too_large" if large else "unreachable") from None
        return reply.content

    @cached_property
    def _client(self) -> "OpenAI":
        from openai import OpenAI  # noqa: PLC0415 - see above

        from pawflow_web.llm.transport import client  # noqa: PLC0415 - as above

        # The library insists on a key; a server that wants none ignores it.
        return OpenAI(
            base_url=self._url,
            api_key=self._key or "none",
            max_retries=0,
            http_client=client(bytes_most=REPLY_BYTES_MOST),
        )


@lru_cache(maxsize=4)
def provider(url: str, model: str, key: str | None) -> EndpointProvider:
    """One for each server, as it keeps connections open."""
    return EndpointProvider(url, model, key)


def _vectors(body: bytes, count: int) -> list[Vector | None]:
    """The vectors of a reply in the order of the texts."""
    try:
        rows = json.loads(body)["data"]
        if len(rows) != count:
            raise EmbeddingFailed("bad_reply")
        ordered: list[Any] = [None] * count
        for place, row in enumerate(rows):
            ordered[_index(row, place)] = row["embedding"]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise EmbeddingFailed("bad_reply") from None
    return [unit(numbers) for numbers in ordered]


def _index(row: dict[str, Any], place: int) -> int:
    """Which text a row belongs to: what it says, or its place where it says nothing."""
    index = row.get("index", place)
    if type(index) is not int or index < 0:
        raise ValueError
    return index
