"""Bringing a file to the gate: streaming, in the owner's slices, and able to go on where it was cut off.

Everything lands in review by construction: the origin is ``importer``, and the gate gives that origin no more.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from graph.facts.adding import NewFact
from graph.facts.adding import proposal_of as fact_proposal_of
from memory.importers.formats.records import Note, Read, Record, Relation, Said
from memory.importers.job_rows import Unfinished, unfinished_job
from memory.importers.material import Material, Part, opened
from memory.importers.report import Report, reason_of, reason_of_relation
from memory.importers.watching import Stopped, watched
from memory.notes.facets import clean_tags
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.names import check_name
from pawflow_web.identity.principal import Principal, worker_principal
from pawflow_web.identity.services import ensure_agent
from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.periods import parse_period
from review.gate import admit, assess
from review.gate.proposals import Admission, Place, Proposal, Source
from review.models import Origin, Scope
from review.models.item import always

Progress = Callable[[Report], None]
# Asked between slices, and at each record, belief and piece of the file while reading; no ends the run for now.
KeepGoing = Callable[[Report], bool]

# Hundredths: what the file itself is not sure of is trusted less than the rest of it.
UNCERTAIN_CONFIDENCE = 40


def import_file(
    *,
    format_name: str,
    path: Path,
    owner: str,
    agent: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Propose what a file, or a folder of notes, holds to its owner's memory.

    Args:
        format_name: one of :data:`~memory.importers.formats.registry.NAMES`.
        agent: the beliefs are narrowed to this agent, which is made when it is new; without, they are global.
        dry_run: decide everything and write nothing.
        progress: told after each belief.

    Raises:
        NotFound: there is no such owner or file.
        Invalid: the format is not built, the file cannot be read or is of another format, the agent's name has a
            bad shape.
    """
    user = User.objects.filter(username=owner).first()
    if user is None:
        raise NotFound(f"There is no owner called {ascii(owner)[:80]}.")
    try:
        with opened(format_name, path) as material:
            return bring(material, user=user, agent=agent, dry_run=dry_run, progress=progress)
    except OSError as error:
        raise Invalid(
            f"{ascii(str(path))[:200]} cannot be read: {error.strerror or 'reading failed'}.",
            fields={"path": "must be a file that can be read"},
        ) from error


def bring(
    material: Material,
    *,
    user: User,
    agent: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
    keep_going: KeepGoing | None = None,
) -> Report:
    """The same for material that is open.

    Args:
        keep_going: when it says no, the run stops in the state ``running``; the next one over the same bytes goes
            on with it, unless it was a dry run.

    Raises :class:`Invalid` for a bad name of an agent.
    """
    if agent is not None:
        check_name(agent, field="agent")
    form = material.form
    report = Report(
        form.name, material.name, material.sha256, user.username, agent, dry_run, dict(form.counted), form.waited
    )
    run = _Run(material, user, agent, report)
    for _ in run.assess(keep_going) if dry_run else run.admit(keep_going):
        if progress is not None:
            progress(report)
    return report


@dataclass(frozen=True, slots=True)
class _Proposed:
    """A proposal on its way through the gate: where it stands, and what was wrong with it before it came there."""

    line: int
    file: str
    fault: tuple[str, str] | None


class _Run:
    """One pass over material that is open."""

    def __init__(self, material: Material, user: User, agent: str | None, report: Report) -> None:
        self._material = material
        self._user = user
        # Days that a file gives are days of its owner.
        self._principal = replace(worker_principal(user.pk, user.username), zone=principal_of_user(user).zone)
        self._agent = agent
        self._report = report
        # what the gate has been given and has not answered, in order
        self._asked: deque[_Proposed] = deque()
        self._keep_going: KeepGoing | None = None
        self._stopped = False

    def assess(self, keep_going: KeepGoing | None) -> Iterator[None]:
        """Fill in what :meth:`admit` would come to now, without a write. Yields after each belief."""
        self._keep_going = keep_going
        place = place_to_be(self._user, self._agent)
        for admission in assess(self._proposals(place), self._principal, origin=Origin.IMPORTER):
            self._count([admission])
            yield
            if self._has_to_stop():
                break
        if self._stopped:
            return
        self._report.state = "done"
        yield

    def admit(self, keep_going: KeepGoing | None) -> Iterator[None]:
        """Store, slice by slice. How far it came is written in the transaction of each slice, so that a run that
        is cut off at any moment goes on with the next belief and with the right numbers. Yields after each one."""
        self._keep_going = keep_going
        agent = ensure_agent(user=self._user, name=self._agent) if self._agent is not None else None
        place = Place.of_agent(agent) if agent is not None else Place(Scope.GLOBAL)
        with unfinished_job(self._material.form, self._report, self._user, agent) as job:
            self._report.decided = job.decided()
            self._report.resumed_at_line = job.resumed_at_line
            answers = admit(
                self._proposals(place, job),
                self._principal,
                origin=Origin.IMPORTER,
                before_commit=lambda admissions: self._keep(job, admissions),
            )
            for _ in answers:
                yield
                if self._has_to_stop():
                    break
            if self._stopped:
                job.pause(self._report.decided)
                return
            self._report.state = "done"
            job.finish(self._report)
        yield

    def _has_to_stop(self) -> bool:
        self._stopped = self._stopped or (self._keep_going is not None and not self._keep_going(self._report))
        return self._stopped

    def _keep(self, job: Unfinished, admissions: Sequence[Admission]) -> None:
        self._count(admissions)
        job.keep(self._report.decided)

    def _count(self, admissions: Sequence[Admission]) -> None:
        for admission in admissions:
            asked = self._asked.popleft()
            self._report.decided.add(asked.line, admission, asked.fault, asked.file)

    def _proposals(self, place: Place, job: Unfinished | None = None) -> Iterator[Proposal]:
        """Every note and relation as a proposal, but for those that a run before this one has brought already."""
        report = self._report
        behind = report.decided.count
        for part, found in self._records():
            report.seen.add(found, part.within)
            for note in found.notes if isinstance(found, Record) else ():
                if behind > 0:
                    behind -= 1
                    if self._has_to_stop():
                        return
                    continue
                report.catching_up = False
                self._went_on(job, found.line)
                proposal, fault = proposal_of(note, place, self._principal, self._source(part, found.line, note))
                self._asked.append(_Proposed(found.line, part.within, fault))
                yield proposal
            if self._has_to_stop():
                break
        if self._stopped:
            return
        report.catching_up = False
        self._went_on(job, report.decided.line)

    def _records(self) -> Iterator[tuple[Part, Read]]:
        """Everything the material holds, in order; it ends early when the run has to stop."""
        for part in self._material.parts:
            with part.open() as opened_part, suppress(Stopped):
                opened_part.seek(0)
                stream = watched(opened_part, self._reads_on)
                for found in self._material.form.read(stream):
                    self._report.position = stream.tell()
                    yield part, found
            if self._stopped:
                return

    def _reads_on(self, position: int) -> bool:
        """Where a long part of the file says nothing, this is all that is heard of it."""
        self._report.position = position
        return not self._has_to_stop()

    def _went_on(self, job: Unfinished | None, line: int) -> None:
        """Say once where a run that was cut off goes on."""
        if job is not None and job.was_cut_off:
            job.was_cut_off = False
            job.resumed_at_line = self._report.resumed_at_line = line

    @staticmethod
    def _source(part: Part, line: int, note: Said) -> Source:
        return Source(label=f"import:{part.name}", file=part.name, line=line, quote=note.quote)


def proposal_of(
    said: Said, place: Place, principal: Principal, source: Source
) -> tuple[Proposal, tuple[str, str] | None]:
    """What a file says on its way to the gate, and what is wrong with it, if that is known here already. Never raises:
    what has a fault has no words, so the gate refuses it and it counts as one that is invalid."""
    try:
        if isinstance(said, Relation):
            return _fact(said, place, principal, source), None
        return _proposal(said, place, principal.zone, source), said.fault
    except Invalid as error:
        reason = reason_of_relation(error) if isinstance(said, Relation) else reason_of(error)
        return _proposal(Note(""), place, principal.zone, replace(source, quote="")), reason


def _fact(said: Relation, place: Place, principal: Principal, source: Source) -> Proposal:
    fact = NewFact(said.subject, said.predicate, said.object, allow_self=True)
    return fact_proposal_of(principal, fact, place, source)


def _proposal(note: Note, place: Place, zone: ZoneInfo, source: Source) -> Proposal:
    tags = clean_tags(note.tags)
    since = parse_period(note.since, zone, field="date") if note.since else None
    return Proposal(
        kind="note",
        text=note.text,
        place=place,
        facet={"category": note.category, "tags": tags},
        also_shown=tuple(tags),
        valid=DateTimeTZRange(since.first, None) if since else always(),
        precision=(since.precision if since else "", ""),
        source=source,
        confidence=UNCERTAIN_CONFIDENCE if note.uncertain else None,
    )


def place_to_be(user: User, agent: str | None) -> Place:
    """Where a run would put the beliefs; a new agent has no row yet."""
    if agent is None:
        return Place(Scope.GLOBAL)
    known = Agent.objects.filter(user=user, name=agent).first()
    return Place.of_agent(known) if known is not None else Place(Scope.AGENT, agent_name=agent)
