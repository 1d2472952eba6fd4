"""A corpus in the scratch database, through the gate, and its questions asked of the services that agents use."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from bench.corpus import Question, Row, entries
from memory.notes.find import recall_notes
from memory.notes.meaning import notes_near
from memory.notes.services import remember_note
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import create_token, ensure_owner
from pawflow_web.lib.errors import Conflict, Unavailable
from pawflow_web.lib.periods import parse_period
from review.gate import admit
from review.gate.proposals import Admission, Place, Proposal
from review.limits import TEXT_MOST
from review.models import GovernanceItem, Scope, Status
from review.models.item import always
from review.search.embedding import embed_slice
from review.search.find import Page
from review.search.index import catch_up

# What semantic_recall gives at most; every mode is asked for as many.
DEPTH = 50
LEXICAL, VECTOR, FUSED = MODES = ("lexical", "vector", "fused")
_AGENT = "bench"
_FOREVER = 1e12
# So many rows are in memory at once.
_TOGETHER = 1000


@dataclass(slots=True)
class Loaded:
    """What became of the rows: the beliefs that stand for each id of a row or session, and the ids of each belief."""

    principal: Principal
    questions: list[Question] = field(default_factory=list)
    beliefs: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    names: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    outcomes: Counter[str] = field(default_factory=Counter)

    def note(self, row: Row, admission: Admission) -> None:
        """``waiting`` is what the gate keeps for a person, so that no search finds it."""
        item = admission.item
        waits = admission.outcome == "stored" and admission.status != Status.ACTIVE
        self.outcomes["waiting" if waits else admission.outcome] += 1
        if item is None:
            return
        for name in (row.id, row.session):
            if name:
                self.beliefs[name].add(item.pk)
        if row.id not in self.names[item.pk]:
            self.names[item.pk].append(row.id)


def load(path: Path, owner: str) -> Loaded:
    """Bring every row to the gate as the word of an agent that its owner talks with, in the order of the file. The
    corpus has been checked."""
    user, _ = ensure_owner(owner)
    _, token = create_token(user=user, agent=_AGENT, origin="user_channel", abilities=["read", "write"])
    loaded = Loaded(principal_of_token(f"Bearer {token}"))
    with path.open("rb") as stream:
        for batch in _batches(_rows(stream, loaded)):
            _bring(batch, loaded)
    return loaded


def follow(loaded: Loaded) -> None:
    """The search index, as the worker keeps it."""
    while catch_up(loaded.principal.user_id):
        pass


def embed() -> None:
    """The vectors, as the worker keeps them; none where whoever embeds does not answer."""
    while embed_slice(_FOREVER):
        pass


@contextlib.contextmanager
def without_model() -> Iterator[None]:
    """As it is where nobody embeds."""
    before = settings.ENV
    settings.ENV = replace(before, embeddings="none")
    try:
        yield
    finally:
        settings.ENV = before


def found_by(mode: str, loaded: Loaded, question: Question) -> list[int] | None:
    """Ids of at most :data:`DEPTH` beliefs, best first; None where this mode cannot be asked that. Raises
    :class:`Unavailable` when whoever embeds does not answer."""
    if mode == LEXICAL:
        with without_model():
            return _ids(_recalled(loaded, question))
    near = notes_near(principal=loaded.principal, query=question.text, limit=DEPTH)
    if near.coverage.reasons:
        raise Unavailable(f"Not everything has a vector ({', '.join(near.coverage.notes)}).")
    if mode == VECTOR:
        # semantic_recall knows only what holds now.
        return _ids(near) if question.as_of is None else None
    # By now the question has its vector: nothing depends on how busy this machine is.
    page = _recalled(loaded, question)
    if page.coverage.mode != "hybrid":
        raise Unavailable(f"The embedding model did not answer the question {question.id!r}.")
    return _ids(page)


def _recalled(loaded: Loaded, question: Question) -> Page:
    return recall_notes(principal=loaded.principal, query=question.text, as_of=question.as_of, limit=DEPTH)


def _ids(page: Page) -> list[int]:
    return [hit.item.pk for hit in page.hits]


def _rows(stream: BinaryIO, loaded: Loaded) -> Iterator[Row]:
    """Rows go on; questions wait."""
    for _, entry in entries(stream):
        if isinstance(entry, Question):
            loaded.questions.append(entry)
        elif isinstance(entry, Row):
            yield entry


def _batches(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """Rows that are brought together. One that supersedes another stands alone: what it names must be in use."""
    batch: list[Row] = []
    for row in rows:
        if row.supersedes or len(batch) >= _TOGETHER:
            yield batch
            batch = []
        if row.supersedes:
            yield [row]
        else:
            batch.append(row)
    yield batch


def _bring(batch: Sequence[Row], loaded: Loaded) -> None:
    if len(batch) == 1 and batch[0].supersedes:
        loaded.note(batch[0], _superseding(batch[0], loaded))
        return
    parts = [(row, text) for row in batch for text in _parts(row.text)]
    proposals = (_proposal(row, text, loaded.principal) for row, text in parts)
    for (row, _), admission in zip(parts, admit(proposals, loaded.principal), strict=True):
        loaded.note(row, admission)


def _superseding(row: Row, loaded: Loaded) -> Admission:
    named = loaded.beliefs.get(row.supersedes, set())
    refs = GovernanceItem.objects.filter(pk__in=named).order_by("-pk").values_list("ref", flat=True)
    try:
        return remember_note(
            principal=loaded.principal,
            text=row.text,
            scope=Scope.GLOBAL,
            valid_from=row.at,
            supersedes=refs.first(),
        ).admission
    except Conflict as error:
        return Admission("invalid", error=error, reason=error.code)


def _proposal(row: Row, text: str, principal: Principal) -> Proposal:
    since = parse_period(row.at, principal.zone, field="at") if row.at else None
    return Proposal(
        kind="note",
        text=text,
        place=Place.of(principal, Scope.GLOBAL),
        facet={"category": "", "tags": []},
        valid=DateTimeTZRange(since.first, None) if since else always(),
        precision=(since.precision if since else "", ""),
    )


def _parts(text: str) -> Iterator[str]:
    """A turn may be longer than a belief: cut between words, each part stands for it."""
    while len(text) > TEXT_MOST:
        end = text.rfind(" ", 1, TEXT_MOST) + 1 or TEXT_MOST
        yield text[:end]
        text = text[end:]
    if text.strip():
        yield text
