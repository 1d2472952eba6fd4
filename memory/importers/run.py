"""Bringing a file to the gate: streaming, in the owner's slices, and able to go on where it was cut off.

Everything lands in review by construction: the origin is ``importer``, and the gate gives that origin no more.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from memory.importers.formats import Format, format_called
from memory.importers.jobs import Unfinished, unfinished_job
from memory.importers.looks import require_layout
from memory.importers.records import Note, Record
from memory.importers.report import Report
from memory.notes.services import clean_tags
from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.names import check_name
from pawflow_web.identity.principal import worker_principal
from pawflow_web.identity.services import ensure_agent
from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.text import clean
from review.gate import admit, assess
from review.models import Origin, Scope
from review.proposals import Admission, Place, Proposal, Source

Progress = Callable[[Report], None]


def import_file(
    *,
    format_name: str,
    path: Path,
    owner: str,
    agent: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Propose what the file holds to its owner's memory.

    Args:
        agent: the notes are narrowed to this agent, which is made when it is new; without, they are global.
        dry_run: decide everything and write nothing.
        progress: told after each slice.

    Raises:
        NotFound: there is no such owner or file.
        Invalid: the format is not built, the file cannot be read or is of another format, the agent's name has a
            bad shape.
    """
    form = format_called(format_name)
    user = User.objects.filter(username=owner).first()
    if user is None:
        raise NotFound(f"There is no owner called {ascii(owner)[:80]}.")
    if agent is not None:
        check_name(agent, field="agent")
    try:
        with _opened(path) as stream:
            require_layout(form, stream)
            stream.seek(0)
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            run = _Run(form, stream, _source_name(path), user, agent)
            report = Report(
                form.name, run.source, digest, user.username, agent, dry_run, dict(form.counted), form.waits
            )
            work = run.assess(report) if dry_run else run.admit(report)
            for _ in work:
                if progress is not None:
                    progress(report)
            return report
    except OSError as error:
        raise Invalid(
            f"{ascii(str(path))[:200]} cannot be read: {error.strerror or 'reading failed'}.",
            fields={"path": "must be a file that can be read"},
        ) from error


@dataclass(frozen=True, slots=True)
class _Proposed:
    """A proposal on its way through the gate: its line, and what was wrong with it before it came there."""

    line: int
    fault: tuple[str, str] | None


class _Run:
    """One pass over an open file."""

    def __init__(self, form: Format, stream: BinaryIO, source: str, user: User, agent: str | None) -> None:
        self._form = form
        self._stream = stream
        self.source = source
        self._user = user
        self._principal = worker_principal(user.pk, user.username)
        self._agent = agent
        # what the gate has been given and has not answered, in order
        self._asked: deque[_Proposed] = deque()

    def assess(self, report: Report) -> Iterator[None]:
        """Fill in what :meth:`admit` would come to now, without a write. Yields after each note."""
        place = _place_to_be(self._user, self._agent)
        for admission in assess(self._proposals(report, place), self._principal, origin=Origin.IMPORTER):
            self._count(report, [admission])
            yield
        report.state = "done"
        yield

    def admit(self, report: Report) -> Iterator[None]:
        """Store, slice by slice. How far it came is written in the transaction of each slice, so that a run that
        is cut off at any moment goes on with the next note and with the right numbers. Yields after each note."""
        agent = ensure_agent(user=self._user, name=self._agent) if self._agent is not None else None
        place = Place.of_agent(agent) if agent is not None else Place(Scope.GLOBAL)
        with unfinished_job(self._form, report, self._user, agent) as job:
            report.decided = job.decided()
            answers = admit(
                self._proposals(report, place, job),
                self._principal,
                origin=Origin.IMPORTER,
                before_commit=lambda admissions: self._keep(report, job, admissions),
            )
            for _ in answers:
                yield
            report.state = "done"
            job.finish(report)
        yield

    def _keep(self, report: Report, job: Unfinished, admissions: Sequence[Admission]) -> None:
        self._count(report, admissions)
        job.keep(report.decided)

    def _count(self, report: Report, admissions: Sequence[Admission]) -> None:
        for admission in admissions:
            asked = self._asked.popleft()
            report.decided.add(asked.line, admission, asked.fault)

    def _proposals(self, report: Report, place: Place, job: Unfinished | None = None) -> Iterator[Proposal]:
        """Every note of the file as a proposal, but for those that a run before this one has brought already."""
        behind = report.decided.count
        self._stream.seek(0)
        for found in self._form.read(self._stream):
            report.seen.add(found)
            if not isinstance(found, Record):
                continue
            for note in found.notes:
                if behind > 0:
                    behind -= 1
                    continue
                if job is not None and job.is_resumed and report.resumed_at_line is None:
                    report.resumed_at_line = found.line
                self._asked.append(_Proposed(found.line, note.fault))
                yield self._proposal(found.line, note, place)
        if job is not None and job.is_resumed and report.resumed_at_line is None:
            report.resumed_at_line = report.decided.line

    def _proposal(self, line: int, note: Note, place: Place) -> Proposal:
        tags = clean_tags(note.tags)
        return Proposal(
            kind="note",
            text=note.text,
            place=place,
            facet={"category": "", "tags": tags},
            also_shown=tuple(tags),
            source=Source(label=f"import:{self.source}", file=self.source, line=line, quote=note.quote),
        )


def _opened(path: Path) -> BufferedReader:
    """The file to read from. One handle for the whole run: a file that is replaced meanwhile does not matter."""
    shown = ascii(str(path))[:200]
    if not path.exists():
        raise NotFound(f"There is no file {shown}.", fields={"path": "must be a file that can be read"})
    if not path.is_file():
        raise Invalid(f"{shown} is not a file.", fields={"path": "must be a file that can be read"})
    return path.open("rb")


def _source_name(path: Path) -> str:
    """The file's own name, in characters that can be stored and shown."""
    return clean(os.fsencode(path.name).decode("utf-8", "replace"))[:255]


def _place_to_be(user: User, agent: str | None) -> Place:
    """Where a run would put the notes; a new agent has no row yet."""
    if agent is None:
        return Place(Scope.GLOBAL)
    known = Agent.objects.filter(user=user, name=agent).first()
    return Place.of_agent(known) if known is not None else Place(Scope.AGENT, agent_name=agent)
