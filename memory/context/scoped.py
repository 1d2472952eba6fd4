"""The view of a memory by project: about you, this project, mentioned projects, recent history, other projects.

The same lines are the context of an agent with the render ``scoped``, ``GET /memory.md`` and the page that shows it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory.context.candidates import Candidate, candidates
from memory.context.digest import FOOT
from memory.context.projects import Named, Projects, projects_of
from memory.notes.types import FactType
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import NOTICE, Ask, Content, Group, LeftOut, Line
from pawflow_web.lib.tokens import estimate_tokens
from review.search.filters import ItemFilter
from review.search.find import count_items

GLOBAL_TOKENS, PROJECT_TOKENS = 2000, 2500
ARCHIVE_PENDING = " (archive pending review)"
# Of a budget that sections share, the second may count on a fifth, and names of other projects take no more.
_SHARE = 5
_NAMED_MOST = 20
HEADING = "### "


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its lines. ``tokens`` is what both cost."""

    title: str
    lines: tuple[Line, ...]

    @property
    def tokens(self) -> int:
        return _cost(f"{HEADING}{self.title}") + sum(_cost(line.text) for line in self.lines) if self.lines else 0


@dataclass(frozen=True, slots=True)
class View:
    """``left_out`` names what was looked at and is not shown; ``more`` counts everything that is not."""

    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...]
    more: int

    @property
    def items(self) -> list[int]:
        """The row ids of the beliefs that it shows."""
        return _items(self.sections)

    @property
    def foot(self) -> str:
        return f"{self.more:,} more {'is' if self.more == 1 else 'are'} not shown here. {FOOT}" if self.more else FOOT

    def content(self) -> Content:
        """As a block, whose budget was kept here."""
        groups = tuple(Group(f"{HEADING}{section.title}", section.lines) for section in self.sections)
        return Content(groups, foot=self.foot, foot_always=True, left_out=self.left_out, counted=False)

    def markdown(self) -> str:
        """As a document of its own."""
        parts = ["# Memory", NOTICE]
        parts += [
            "\n".join([f"## {section.title}", "", *(line.text for line in section.lines)]) for section in self.sections
        ]
        return "\n\n".join([*parts, self.foot]) + "\n"


def scoped_view(ask: Ask, *, global_tokens: int = GLOBAL_TOKENS, project_tokens: int = PROJECT_TOKENS) -> View:
    """Sections ranked by the person's latest words and then by newness, each memory whole or not at all.

    Args:
        global_tokens: for what belongs to no project, what happened lately and the names of other projects.
        project_tokens: for this project and those that are mentioned.
    """
    principal: Principal = ask.principal
    projects = projects_of(principal, ask.project, ask.query)
    found = candidates(ask, projects.near, now=ask.at or datetime.now(UTC))
    shown = [one for one in found if not one.aged]
    others = _others(projects, global_tokens // _SHARE)
    history = [_dated(one, principal) for one in shown if one.type is FactType.EVENT]
    lasting = [one for one in shown if one.type is not FactType.EVENT]
    about, recent = _shared(
        ("About you", [_line(one) for one in lasting if one.project is None]),
        ("Recent history", history),
        global_tokens - others.tokens,
    )
    this, mentioned = _shared(
        (_this_project(projects.this), _of_this(lasting, projects.this)),
        ("Mentioned projects", _of_mentioned(lasting, projects.mentioned)),
        project_tokens,
    )
    sections = tuple(section for section in (about, this, mentioned, recent, others) if section.lines)
    return _view(ask, sections, found)


def _view(ask: Ask, sections: tuple[Section, ...], found: Sequence[Candidate]) -> View:
    ids = set(_items(sections))
    left_out = tuple(LeftOut(one.row.ref, "aged" if one.aged else "budget") for one in found if one.row.id not in ids)
    known = count_items(ask.principal, ItemFilter(fit_for_prompt=True, at=ask.at, known_at=ask.at))
    return View(sections, left_out, max(0, known - len(ids)))


def _items(sections: Iterable[Section]) -> list[int]:
    return [line.item for section in sections for line in section.lines if line.item]


def _this_project(project: Named | None) -> str:
    return f"This project: {project.name}" if project is not None and project.listed else "This project"


def _of_this(found: Iterable[Candidate], project: Named | None) -> list[Line]:
    return [_line(one) for one in found if project is not None and one.project == project.id]


def _of_mentioned(found: Sequence[Candidate], projects: Iterable[Named]) -> list[Line]:
    return [
        _line(one, before=f"{project.name}: ") for project in projects for one in found if one.project == project.id
    ]


def _others(projects: Projects, tokens: int) -> Section:
    """As many names as fit, in one line."""
    names = [project.name for project in projects.others]
    for shown in range(min(len(names), _NAMED_MOST), 0, -1):
        more = len(names) - shown
        words = ", ".join(names[:shown]) + (f" and {more} more" if more else "")
        section = Section("Other projects", (Line(words),))
        if section.tokens <= tokens:
            return section
    return Section("Other projects", ())


def _shared(first: tuple[str, list[Line]], second: tuple[str, list[Line]], tokens: int) -> tuple[Section, Section]:
    """Two sections in one budget: the second has its share for certain and whatever the first leaves."""
    certain = _filled(*second, tokens // _SHARE)
    leading = _filled(*first, tokens - certain.tokens)
    return leading, _filled(*second, tokens - leading.tokens)


def _filled(title: str, lines: Iterable[Line], tokens: int) -> Section:
    """Each line that still fits, in order."""
    room, kept = tokens - _cost(f"{HEADING}{title}"), []
    for line in lines:
        cost = _cost(line.text)
        if cost <= room:
            kept.append(line)
            room -= cost
    return Section(title, tuple(kept))


def _cost(line: str) -> int:
    return estimate_tokens(f"{line}\n")


def _dated(one: Candidate, principal: Principal) -> Line:
    return _line(one, before=f"{one.happened.astimezone(principal.zone):%Y-%m-%d}: ")


def _line(one: Candidate, before: str = "") -> Line:
    row = one.row
    source: dict[str, Any] = {"item": row.id, "ref": row.ref, "number": row.number, "revision": row.revision}
    after = f"{ARCHIVE_PENDING if one.archive_pending else ''} #{row.number}"
    return Line(row.words, before=f"- {before}", after=after, tier=one.tier, matched=one.words, **source)
