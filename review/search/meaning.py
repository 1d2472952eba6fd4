"""Asking what a question means, beside its words, for as long as there is somebody to ask and time to wait."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pawflow_web.identity.principal import Principal
from pawflow_web.llm import questions
from pawflow_web.llm.embeddings import EmbeddingFailed
from pawflow_web.llm.providers import configured
from pawflow_web.llm.questions import Asked
from review.models import READABLE
from review.search.filters import ItemFilter
from review.search.vectors import EXACT_UP_TO, Near, Standing, nearest, pending, standing

# Nobody embeds: matches are by words alone.
NO_EMBEDDER = "no_embedder"
# Somebody does, but not within the time that the question had: asked again, it may find more.
LATE = "deadline"
# A likeness below this share of the best one is noise.
NEARNESS_FLOOR = 0.5


@dataclass(frozen=True, slots=True)
class Meant:
    """What is near to a question in meaning. ``used`` is false where that could not be asked, for what ``reasons`` and
    ``notes`` of its coverage say."""

    near: Sequence[Near] = ()
    used: bool = False
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Question:
    """A question of one reader. Made before its words are searched, so that both happen at once."""

    def __init__(self, principal: Principal, narrowed_to: ItemFilter, text: str) -> None:
        self._principal = principal
        self._narrowed_to = narrowed_to
        self._standing: Standing | None = None
        self._asked: Asked | None = None
        # Words decide whether one belief is among the others, and only what may be in use has a vector.
        asks = narrowed_to.only is None and _may_be_in_use(narrowed_to)
        self._notes = (NO_EMBEDDER,) if asks else ()
        if asks and configured():
            self._standing = standing(principal.user_id)
        if self._standing is not None:
            self._asked = questions.ask(self._standing.model, text)

    def near(self, *, limit: int, visible: int | None) -> Meant:
        """At most ``limit`` beliefs that are alike enough to mean something, when the question is embedded in time.
        ``visible``: how many this reader may see, where that is known."""
        if self._asked is None or self._standing is None:
            return Meant(notes=self._notes)
        try:
            vector = self._asked.vector(patience_s=questions.PATIENCE_S)
        except EmbeddingFailed as error:
            return Meant(reasons=(LATE,)) if error.code == "busy" else Meant(notes=(NO_EMBEDDER,))
        if vector is None:
            return Meant(reasons=(LATE,))
        found = _near(self._principal, self._narrowed_to, self._standing, vector, limit, visible)
        least = max([self._standing.model.floor, *(row.likeness * NEARNESS_FLOOR for row in found[:1])])
        return replace(
            _meant(self._principal, self._narrowed_to, self._standing),
            near=[row for row in found if row.likeness > least],
        )

    def nearest(self, *, limit: int, visible: int | None) -> Meant:
        """The ``limit`` most alike, however little that is. Raises :class:`EmbeddingFailed`."""
        if self._asked is None or self._standing is None:
            raise EmbeddingFailed("not_installed")
        vector = self._asked.vector(patience_s=questions.LONG_PATIENCE_S)
        if vector is None:
            raise EmbeddingFailed("timeout")
        found = _near(self._principal, self._narrowed_to, self._standing, vector, limit, visible)
        return replace(_meant(self._principal, self._narrowed_to, self._standing), near=found)


def _may_be_in_use(narrowed_to: ItemFilter) -> bool:
    return not narrowed_to.statuses or not set(narrowed_to.statuses).isdisjoint(READABLE)


def _near(
    principal: Principal,
    narrowed_to: ItemFilter,
    known: Standing,
    vector: "array[float]",
    limit: int,
    visible: int | None,
) -> list[Near]:
    exact = visible is not None and visible <= EXACT_UP_TO
    condition = narrowed_to.condition(principal)
    return nearest(principal.user_id, condition, known.model, vector, limit=limit, exact=exact)


def _meant(principal: Principal, narrowed_to: ItemFilter, known: Standing) -> Meant:
    """An answer that says how many could not be asked yet."""
    if not (known.behind or known.waiting):
        return Meant(used=True)
    number = pending(principal.user_id, narrowed_to.condition(principal), known)
    return Meant(used=True, notes=(f"vectors_pending:{number}",) if number else ())
