"""The words of a belief, for the few that need them: while it is secret its row holds them sealed.

Whoever shows words asks :mod:`review.display.shape`, which masks secrets; nothing here is for showing.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from pawflow_web.lib.crypto import Unopened, seal, unseal
from pawflow_web.lib.errors import Unavailable
from review.models import GovernanceItem, Privacy

PURPOSE = "words"


class WordsUnreadable(Unavailable):
    """The key that sealed the words is not among those that this installation has."""


def words_of(item: GovernanceItem) -> str:
    """What was said, in the clear. Raises :class:`WordsUnreadable`."""
    return opened(item.text, item.privacy)


def opened(text: str, privacy: str) -> str:
    """The same from the two columns. Raises :class:`WordsUnreadable`."""
    if privacy != Privacy.SECRET:
        return text
    try:
        return unseal(PURPOSE, text)
    except Unopened:
        raise WordsUnreadable(
            "These words were sealed with a key that is not here. Put it back into PAWFLOW_CONTENT_KEYS."
        ) from None


def those_opened(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The words of many, from the two columns, without those that no key here opens."""
    for text, privacy in rows:
        with suppress(WordsUnreadable):
            yield opened(text, privacy)


def sealed(words: str) -> str:
    """What the row of a secret holds in place of its words."""
    return seal(PURPOSE, words)
