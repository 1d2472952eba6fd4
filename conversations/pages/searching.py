"""What ``/sessions`` shows: what was found in all that was ever said, or the sessions themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.models import Conversation, Project, Session
from conversations.pages.labels import OUTCOMES, kind_of, role_of
from conversations.pages.marks import around, marks_of
from conversations.pages.places import address_of_entry
from conversations.pages.search_forms import OF_ENTRIES, OFFSET_MOST, SearchForm
from conversations.pages.sessions_list import Listed, listed, narrowed
from conversations.pages.telling import left_out, missing, sentence, why_not_whole
from conversations.recall.answering import recall_in
from conversations.recall.asked import Asked
from conversations.recall.scopes import NAMED
from pawflow_web.identity.call import Call
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.web.templatetags.pawflow import thousands

# Hits of a page, and of an expression, whose place the engine does not tell: so much of each is looked at.
HITS, SNIPPET = 20, 320
EXPRESSION_HITS, EXPRESSION_SNIPPET = 10, 2000
_PROJECTS = 500
_NAMES = ("q", *SearchForm.BAR, *SearchForm.MORE, "session")


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set; ``url`` is the page without it."""

    text: str | Promise
    url: str
    removes: bool = True


@dataclass(frozen=True, slots=True)
class HitRow:
    """An entry that was found, or a session of which only that is known (``whole``). ``url`` opens it."""

    session: Session
    title: str
    url: str
    whole: bool = False
    who: str = ""
    role: str = ""
    tool: str = ""
    outcome: str = ""
    at: datetime | None = None
    failed: bool = False
    snippet: str = ""
    spans: Sequence[tuple[int, int]] = ()

    @property
    def kind(self) -> str:
        return kind_of(self.session.kind)


@dataclass(frozen=True, slots=True)
class Browse:
    """One page. ``here`` is its address without a place in it, ``more`` that of the next one. ``searched``: rows are
    :class:`HitRow`, else :class:`~conversations.pages.sessions_list.Listed`."""

    form: SearchForm
    rows: Sequence[HitRow] | Sequence[Listed]
    searched: bool
    sentence: str
    missing: str
    hint: str
    chips: Sequence[Chip]
    here: str
    more: str
    q: str
    # it could not be searched at all
    refused: bool = False

    @property
    def with_other_branches(self) -> str:
        """The same search through all branches; empty where it goes through them already."""
        if not self.searched or self.form["branches"].value() == "all":
            return ""
        return f"{self.here}&branches=all"

    @property
    def selects(self) -> list[dict[str, Any]]:
        return [_select(self.form, name) for name in SearchForm.BAR]

    @property
    def further(self) -> list[Any]:
        return [self.form[name] for name in SearchForm.MORE]

    @property
    def kept(self) -> list[Any]:
        """What is no field to fill in, and stays."""
        return [self.form["session"]]


def browse(request: HttpRequest, given: QueryDict) -> Browse:
    """The page that ``given`` asks for. A value that cannot be is shown as an error, and nothing is searched then."""
    person = person_of(request)
    form = SearchForm(given, person=person, projects=_projects(person))
    asked = [(name, value) for name in _NAMES if (value := given.get(name, "").strip())]
    searched = any(name in OF_ENTRIES for name, _value in asked)
    chips = [Chip(_chip_text(form, *pair), _address([one for one in asked if one != pair])) for pair in asked]
    q = given.get("q", "").strip()
    if not form.is_valid():
        return Browse(form, [], searched, "", "", "", chips, _address(asked), "", q)
    if searched:
        return _found(person, form, asked, chips, q)
    return _listed(person, form, asked, chips, given.get("cursor") or None)


def _found(person: Principal, form: SearchForm, asked: list[tuple[str, str]], chips: list[Chip], q: str) -> Browse:
    where = narrowed(person, form.cleaned_data)
    question = _question(form, q)
    answer = recall_in(Call(person, None, "panel"), question, where)
    coverage = answer["coverage"]
    rows = _hits(person, answer["hits"], form, _address(asked))
    offset = (answer["next"] or {"args": {}})["args"].get("offset", OFFSET_MOST + 1)
    return Browse(
        form=form,
        rows=rows,
        searched=True,
        sentence=sentence(answer["total"], coverage),
        missing=missing(coverage),
        hint=" ".join(filter(None, [why_not_whole(coverage), left_out(_kept_out(person, form.cleaned_data))])),
        refused="error" in coverage,
        chips=chips,
        here=_address(asked),
        more=_address([*asked, ("offset", str(offset))]) if offset <= OFFSET_MOST else "",
        q=q,
    )


def _listed(
    person: Principal, form: SearchForm, asked: list[tuple[str, str]], chips: list[Chip], cursor: str | None
) -> Browse:
    page = listed(person, form.cleaned_data, cursor)
    return Browse(
        form=form,
        rows=page.rows,
        searched=False,
        sentence=ngettext("%(number)s session", "%(number)s sessions", page.total) % {"number": thousands(page.total)},
        missing="",
        hint="",
        chips=chips,
        here=_address(asked),
        more=_address([*asked, ("cursor", page.next)]) if page.next else "",
        q="",
    )


def _question(form: SearchForm, query: str) -> Asked:
    given = form.cleaned_data
    how = given["match"]
    expression = how == "regex"
    return Asked(
        query=query,
        mode=how if how in {"phrase", "regex"} else "literal",
        match="all" if how == "all" else "any",
        branches=given["branches"] or "active",
        filters=form.filters(),
        offset=given["offset"] or 0,
        page_size=EXPRESSION_HITS if expression else HITS,
        snippet_chars=EXPRESSION_SNIPPET if expression else SNIPPET,
    )


def _hits(person: Principal, hits: Sequence[Mapping[str, Any]], form: SearchForm, back: str) -> list[HitRow]:
    selectors = [_selector(hit) for hit in hits]
    mine = Session.objects.visible_to(person).filter(Q(path__in=selectors) | Q(ref__in=selectors))
    sessions = {one.path or one.ref: one for one in mine.select_related("conversation__project").defer("state")}
    pairs = [(sessions.get(selector), hit) for selector, hit in zip(selectors, hits, strict=True)]
    return [
        _entry(session, hit, form, back) if hit["kind"] == "entry" else _session(session, back)
        for session, hit in pairs
        if session is not None
    ]


def _selector(hit: Mapping[str, Any]) -> str:
    arguments = hit["follow"]["args"]
    found: str = arguments["session"] if hit["kind"] == "entry" else arguments["scope"].removeprefix(NAMED)
    return found


def _entry(session: Session, hit: Mapping[str, Any], form: SearchForm, back: str) -> HitRow:
    given = form.cleaned_data
    spans = marks_of(hit["snippet"], given["q"], given["match"])
    snippet, spans = around(hit["snippet"], spans, chars=SNIPPET + 2)
    return HitRow(
        session=session,
        title=session.conversation.title or session.conversation.ref,
        url=address_of_entry(session, hit["index"], hit["entryId"], branches=given["branches"], back=back),
        who=role_of(hit["role"]),
        role=hit["role"] or "",
        tool=hit["tool"] or "",
        outcome=str(OUTCOMES.get(hit["outcome"] or "", "")),
        at=datetime.fromisoformat(hit["timestamp"]) if hit["timestamp"] else None,
        failed=hit["isError"],
        snippet=snippet,
        spans=spans,
    )


def _session(session: Session, back: str) -> HitRow:
    """An older session that must be searched by itself."""
    conversation = session.conversation
    only_here = f"{back}{'&' if '?' in back else '?'}{urlencode({'session': conversation.ref})}"
    return HitRow(session, conversation.title or conversation.ref, only_here, whole=True, at=session.mtime)


def _kept_out(person: Principal, given: Mapping[str, Any]) -> Mapping[str, int]:
    """How many conversations are never searched, of those that the question is about as far as anybody knows."""
    rows: QuerySet[Conversation] = Conversation.objects.visible_to(person).filter(turns__gt=0)
    if given["project"]:
        rows = rows.filter(project__slug=given["project"])
    if given["session"]:
        rows = rows.filter(ref=given["session"])
    return rows.aggregate(
        sealed=Count("pk", filter=Q(encrypted=True)),
        passing=Count("pk", filter=Q(encrypted=False, temporary=True)),
    )


def _projects(person: Principal) -> list[tuple[str, str]]:
    rows = Project.objects.visible_to(person).order_by("archived", "slug")
    return list(rows.values_list("slug", "name")[:_PROJECTS])


def _address(asked: Sequence[tuple[str, str]]) -> str:
    return reverse("sessions") + (f"?{urlencode(asked)}" if asked else "")


def _select(form: SearchForm, name: str) -> dict[str, Any]:
    field = form[name]
    return {"name": name, "label": field.label, "value": field.value() or "", "options": form.fields[name].choices}  # type: ignore[attr-defined]  # all of them are choices


def _chip_text(form: SearchForm, name: str, value: str) -> str:
    if name == "q":
        return _("text: %(words)s") % {"words": value}
    choices = dict(getattr(form.fields[name], "choices", ()))
    return f"{form.fields[name].label}: {choices.get(value, value)}"
