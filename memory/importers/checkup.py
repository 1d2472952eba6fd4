"""The check-up: what the gate would say to a memory file, and what in it may contradict itself. Nothing is stored.

Everything is kept in memory until the answer is made, and nothing of it after: no row, no file, no log line.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO

from django.conf import settings

from memory.importers.formats.records import Broken, Read, Record, Said, Skipped
from memory.importers.material import Material, material_of_stream
from memory.importers.report import reason_of
from memory.importers.run import place_to_be, proposal_of
from memory.importers.watching import Stopped, watched
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.scanner import MOST_FINDINGS, redact, scan
from pawflow_web.lib.scanner.catalogue import RULES
from review.contradictions.clashes import find_clashes
from review.display.shape import MASK
from review.gate import Examined, examine
from review.gate.proposals import Place, Proposal, Source
from review.models import GovernanceItem, KindName, Origin, Privacy, Status

# A check-up answers while somebody waits: so many bytes, beliefs and seconds, and the answer says when it stopped.
BYTES_MOST = 2 * 2**20
BELIEFS_MOST = 5_000
SECONDS_MOST = 15.0
# The newest beliefs in use that the file is held against.
IN_USE_MOST = 2_000
# A text is scanned in parts that overlap, so that a key over several lines is whole in one of them.
_SCANNED_LINES, _SCANNED_TWICE = 200, 50


@dataclass(frozen=True, slots=True)
class Checked:
    """A belief of the file. ``text`` shows no secret; ``marks`` are the spans in it that try to instruct an agent,
    ``rules`` what was found, as the scanner's catalogue calls it."""

    line: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeated:
    """Words that stood in the file before, in line ``first``."""

    belief: Checked
    first: int


@dataclass(frozen=True, slots=True)
class Known:
    """Words that stand as the belief ``ref`` already, or whose refusal is the tombstone ``ref``."""

    belief: Checked
    ref: str
    status: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two beliefs that may contradict each other; ``other`` is in use where it has a ``ref``, else of the file."""

    belief: Checked
    other: Checked
    difference: str
    ref: str = ""


@dataclass(slots=True)
class CheckUp:
    """What was found. ``total`` beliefs were looked at; ``left_out`` says that there were more.

    ``new`` would wait in review after an import.
    """

    name: str
    format: str
    total: int = 0
    new: int = 0
    left_out: bool = False
    secrets: list[Checked] = field(default_factory=list)
    instructions: list[Checked] = field(default_factory=list)
    personal: list[Checked] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    against_use: list[Contradiction] = field(default_factory=list)
    # lines of the file that take part in a contradiction within it
    contradicting: int = 0
    repeated: list[Repeated] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    refused: list[Known] = field(default_factory=list)
    # what cannot be stored: the line, and why
    faults: list[tuple[int, str]] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    # whether every belief that was looked at was held against every other one like it
    pairs_complete: bool = True
    in_use: int = 0
    in_use_compared: int = 0


def check_up(
    user: User, stream: BinaryIO, *, name: str, format_name: str = "auto", agent: str | None = None
) -> CheckUp:
    """Look through a file as an import would.

    Raises :class:`~pawflow_web.lib.errors.Invalid` for a file that no format reads.
    """
    until = time.monotonic() + SECONDS_MOST
    material = material_of_stream(format_name, stream, name)
    found = CheckUp(material.name, material.form.name)
    principal = principal_of_user(user)
    reading = _Reading(material, found, place_to_be(user, agent), principal, until)
    beliefs: list[Checked] = []
    seen: dict[str, int] = {}
    for examined in examine(islice(reading, BELIEFS_MOST), principal, origin=Origin.IMPORTER):
        belief = _checked(examined)
        if _sort(found, examined, belief, seen):
            beliefs.append(belief)
        if time.monotonic() > until:
            found.left_out = True
            break
    found.left_out = found.left_out or next(iter(reading), None) is not None
    _compare(found, beliefs, principal)
    return found


class _Reading:
    """What the file says as proposals, as far as there is time; what says nothing is counted on the way."""

    def __init__(self, material: Material, found: CheckUp, place: Place, principal: Principal, until: float) -> None:
        self._found = found
        self._until = until
        self._proposals = self._read(material, place, principal)

    def __iter__(self) -> Iterator[Proposal]:
        return self._proposals

    def _read(self, material: Material, place: Place, principal: Principal) -> Iterator[Proposal]:
        (part,) = material.parts
        with part.open() as stream:
            stream.seek(0)
            for record in self._in_time(material.form.read(watched(stream, self._has_time))):
                if isinstance(record, Broken):
                    self._found.faults.append((record.line, record.message))
                elif isinstance(record, Skipped):
                    self._found.skipped[record.kind] = self._found.skipped.get(record.kind, 0) + 1
                else:
                    yield from self._of(record, place, principal)

    def _in_time(self, records: Iterator[Read]) -> Iterator[Read]:
        try:
            for record in records:
                yield record
                if not self._has_time():
                    raise Stopped
        except Stopped:
            self._found.left_out = True

    def _has_time(self, _position: int = 0) -> bool:
        return time.monotonic() < self._until

    def _of(self, record: Record, place: Place, principal: Principal) -> Iterator[Proposal]:
        for note in record.notes:
            proposal, fault = proposal_of(note, place, principal, _source(record.line, note))
            if fault is not None:
                self._found.faults.append((record.line, fault[1]))
            else:
                yield proposal


def _source(line: int, note: Said) -> Source:
    return Source(label="import:", line=line, quote=note.quote)


# --- one belief -------------------------------------------------------------------------------------------------


def _checked(examined: Examined) -> Checked:
    prepared = examined.prepared
    line = examined.proposal.source.line or 0
    if prepared is not None and prepared.privacy == Privacy.NORMAL and settings.ENV.secrets_policy == "mark":
        marks = tuple((flag.start, flag.end) for flag in prepared.flags)
        return Checked(line, prepared.text, marks, tuple(dict.fromkeys(flag.rule for flag in prepared.flags)))
    text = examined.proposal.text
    findings = scan(text)
    rules = tuple(dict.fromkeys(finding.rule for finding in findings))
    if any(finding.kind == "secret" for finding in findings):
        text = redact(text, findings)
        findings = scan(text)
        if any(finding.kind == "secret" for finding in findings):
            return Checked(line, MASK, (), rules)
    marks = tuple((finding.start, finding.end) for finding in findings if finding.kind == "injection")
    return Checked(line, text, marks, rules)


def _sort(found: CheckUp, examined: Examined, belief: Checked, seen: dict[str, int]) -> bool:
    """Put one belief under what was found. Returns whether it is to be held against others: a note whose words are the
    first of their kind."""
    found.total += 1
    kinds = {RULES[rule].kind for rule in belief.rules}
    prepared, admission = examined.prepared, examined.admission
    is_first = prepared is None or prepared.digest not in seen
    if prepared is not None and not is_first:
        found.repeated.append(Repeated(belief, seen[prepared.digest]))
        return False
    if prepared is not None:
        seen[prepared.digest] = belief.line
    for kind, group in (("secret", found.secrets), ("injection", found.instructions), ("personal", found.personal)):
        if kind in kinds:
            group.append(belief)
    if admission.outcome == "stored":
        found.new += 1
    elif admission.outcome == "refused":
        found.refused.append(Known(belief, admission.tombstone))
    elif admission.item is not None:
        found.known.append(Known(belief, admission.item.ref, admission.item.status))
    elif "secret" not in kinds:
        found.faults.append((belief.line, reason_of(admission.error)[1]))
    # Two facts of one shape seldom contradict each other: most predicates hold many values.
    return prepared is not None and examined.proposal.kind == KindName.NOTE


# --- all of them ------------------------------------------------------------------------------------------------


def _compare(found: CheckUp, beliefs: Sequence[Checked], principal: Principal) -> None:
    """Hold the beliefs against each other, and against what is in use."""
    rows = GovernanceItem.objects.visible_to(principal).filter(status=Status.ACTIVE, kind="note")
    rows = rows.exclude(privacy=Privacy.SECRET)
    newest = list(rows.order_by("-recorded_at", "-pk").values_list("ref", "text")[: IN_USE_MOST + 1])
    found.in_use_compared = min(len(newest), IN_USE_MOST)
    found.in_use = rows.count() if len(newest) > IN_USE_MOST else len(newest)
    used = newest[:IN_USE_MOST]
    clashes = find_clashes([belief.text for belief in beliefs] + [text for _ref, text in used])
    found.pairs_complete = clashes.complete
    lines: set[int] = set()
    for clash in clashes.found:
        if clash.second < len(beliefs):
            lines |= {clash.first, clash.second}
            one, other = beliefs[clash.first], beliefs[clash.second]
            found.contradictions.append(Contradiction(one, other, clash.difference))
        elif clash.first < len(beliefs):
            ref, text = used[clash.second - len(beliefs)]
            found.against_use.append(Contradiction(beliefs[clash.first], Checked(0, text), clash.difference, ref))
    found.contradicting = len(lines)


def may_hold_secret(text: str) -> bool:
    """Also between the notes and over several lines. Where the scanner found as much as it tells, it may."""
    lines = text.splitlines()
    for start in range(0, len(lines), _SCANNED_LINES - _SCANNED_TWICE):
        findings = scan("\n".join(lines[start : start + _SCANNED_LINES]))
        if len(findings) >= MOST_FINDINGS or any(finding.kind == "secret" for finding in findings):
            return True
    return False
