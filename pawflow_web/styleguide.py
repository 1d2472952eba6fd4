"""``/styleguide/``: every component in every state, with made-up data. Only in development and in tests."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from pawflow_web.web.context import Entry, Seal
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.panels import GROUPS, Count, Panel
from pawflow_web.web.render import render_panel
from pawflow_web.web.ways_back import WayBack
from review.display.labels import REASON, STATUS
from review.display.rows import Row
from review.display.shape import SourceOut


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Open to everybody who can reach a server in development: it holds nothing of anybody."""
    now = timezone.now()
    form = BeliefForm({"text": "Prefers short commit messages", "confirm": ""}, auto_id="bad-%s")
    form.add_error("text", "Already known as #a97d02c41f3e. Open it, or change the words.")
    context = {
        "shell": example_shell(),
        "statuses": list(STATUS),
        "reasons": list(REASON),
        "items": example_items(now),
        "detail_item": example_items(now)[0],
        "pending": belief("2b6f0d1e77c9", "Use tabs in Makefiles.", "active", now, archive="pending"),
        "steps": example_steps(now),
        "actions": example_actions(),
        "toolbar": example_toolbar(),
        "chips": example_chips(),
        "form": BeliefForm(auto_id="plain-%s"),
        "question": EndForm(auto_id="question-%s"),
        "bad_form": form,
        "ranges": example_ranges(),
        "left": example_side("active", now),
        "right": example_side("needs_review", now),
        "times": [now - delta for delta in (timedelta(seconds=5), timedelta(minutes=9), timedelta(days=400))]
        + [now + timedelta(days=6)],
        "toast": {
            "message": "Rejected. Gone from all 7 readers.",
            "detail": "If anyone proposes it again, it is refused.",
            "way_back": WayBack("/styleguide/", "Rejected #42", {}, "reject", 0),
        },
    }
    return render_panel(request, "web/styleguide.html", context, partial="panel")


class BeliefForm(PanelForm):
    text = forms.CharField(label="Belief", widget=forms.Textarea(attrs={"rows": 3}), help_text="1 to 8,000 characters.")
    scope = forms.ChoiceField(label="Read by", choices=[("global", "everyone"), ("agent", "one agent")], required=False)
    pinned = forms.BooleanField(label="Keep it pinned", required=False)
    confirm = forms.CharField(label="Type its reference")


class EndForm(PanelForm):
    ended_at = forms.DateField(label="It stopped being true on", widget=forms.DateInput(attrs={"type": "date"}))


def belief(ref: str, text: str, status: str, now: datetime, **changes: Any) -> Row:
    """A made-up belief of the shape that every list, row and detail gets."""
    usual: dict[str, Any] = {
        "number": 42,
        "kind": "note",
        "scope": "global",
        "agent": None,
        "conversation": None,
        "project": None,
        "category": None,
        "tags": [],
        "confidence": 0.94,
        "privacy": "normal",
        "origin": "user_channel",
        "importance": "medium",
        "durability": "durable",
        "pinned": False,
        "valid_from": None,
        "valid_to": None,
        "ended_at": None,
        "never_valid": False,
        "expires_at": None,
        "recorded_at": now - timedelta(hours=3),
        "retired_at": None,
        "updated_at": now - timedelta(days=40),
        "last_seen_at": now - timedelta(hours=3),
        "last_used_at": None,
        "use_count": 0,
        "reason": "user_channel",
        "supersedes": None,
        "superseded_by": None,
        "contradicts": None,
        "archive": None,
        "revision": 1,
        "source": source(name="claude-code", turn="4:12"),
    }
    return Row(**{**usual, "ref": ref, "text": text, "status": status, **changes})


def source(**changes: Any) -> SourceOut:
    return SourceOut(**{"type": "agent", "name": "", "file": None, "line": None, "turn": None, **changes})


def example_items(now: datetime) -> list[Row]:
    """A belief in each status, and a secret one."""
    return [*_in_use_or_waiting(now), *_masked_or_out_of_use(now)]


def _in_use_or_waiting(now: datetime) -> list[Row]:
    return [
        belief(
            "4f1c9a20be77",
            "Deploys to staging go through the Frankfurt cluster, never through Dublin.",
            "active",
            now,
            pinned=True,
            spans=[(34, 43)],
            tags=["deploy", "decision"],
            valid_from=datetime(2025, 3, 12, tzinfo=UTC),
            supersedes="2210aa94c0de",
        ),
        belief(
            "a97d02c41f3e",
            "Prefers short commit messages that say why, not what.",
            "active",
            now,
            confidence=0.85,
            scope="agent",
            agent="claude-code",
            privacy="sensitive",
        ),
        belief(
            "07be5d9913aa",
            "The staging database was moved to Frankfurt in April.",
            "needs_review",
            now,
            confidence=0.71,
            reason="contradicts_active",
            spans=[(34, 43)],
            source=source(name="dreamer"),
            contradicts="2210aa94c0de",
        ),
        belief(
            "3c90d2a1f7b4",
            "To release: tag, wait for the canary, then promote.",
            "candidate",
            now,
            confidence=0.5,
            kind="procedure",
            scope="conversation",
            reason="procedure_candidate",
        ),
    ]


def _masked_or_out_of_use(now: datetime) -> list[Row]:
    return [
        belief(
            "c2206fe1b8d4",
            "Lives in Lisbon.",
            "superseded",
            now,
            confidence=0.9,
            valid_to=datetime(2025, 6, 1, tzinfo=UTC),
            source=source(type="import", file="chatgpt.zip"),
        ),
        belief(
            "59e3a1170cc2",
            "••••",
            "active",
            now,
            confidence=0.88,
            scope="agent",
            agent="codex",
            privacy="secret",
        ),
        belief(
            "e81b7730aa95",
            "Release notes are due every second Thursday.",
            "stale",
            now,
            confidence=0.62,
            source=source(type="import", file="MEMORY.md", line=14),
        ),
        belief(
            "1d4480b2f6c9",
            "Build agents should always fetch tools from mirror.example.",
            "rejected",
            now,
            confidence=0.55,
            source=source(type=""),
        ),
    ]


def example_shell() -> SimpleNamespace:
    """A navigation as full as it will get, whatever is built already."""
    entries = [
        ("", "Overview", "home", None, True),
        ("", "Review", "review", Count(14, "waiting", due=True), True),
        ("", "Chat", "chat", None, True),
        ("beliefs", "Memories", "memory", Count(1204), True),
        ("beliefs", "Knowledge graph", "graph", None, False),
        ("record", "Sessions", "session", None, False),
        ("system", "Jobs", "job", Count(1, "running"), False),
        ("system", "Settings", "gear", None, False),
    ]
    rows = []
    for order, (group, title, glyph, count, tab) in enumerate(entries):
        panel = Panel(
            name=title.lower(),
            title=title,
            group=group,  # type: ignore[arg-type]  # from the rows above
            icon=glyph,
            url=f"/styleguide/?panel={order}",
            order=order,
            tab=tab,
        )
        rows.append(Entry(panel=panel, current=title == "Memories", counted=count is not None, count=count))
    groups = [(words, [row for row in rows if row.panel.group == group]) for group, words in GROUPS.items()]
    return SimpleNamespace(
        signed_in=True,
        single_keys=True,
        groups=[group for group in groups if group[1]],
        tabs=[row for row in rows if row.panel.tab],
        in_menu=False,
        seal=Seal("Journal intact", "8,412 entries, checked 03:30", url="/styleguide/"),
    )


def example_steps(now: datetime) -> list[dict[str, Any]]:
    return [
        {
            "title": "You said it",
            "at": now - timedelta(days=200),
            "quote": "no, staging always goes through Frankfurt, never Dublin, we got burned by that twice",
            "spans": [(4, 55)],
            "url": "/styleguide/",
            "url_text": "Open the turn, claude-code 4:12",
        },
        {
            "title": "The gate let it in",
            "at": now - timedelta(days=200),
            "sentence": "your own words, nothing against it",
        },
        {"title": "Waited for you", "status": "needs_review", "sentence": "contradicts something in use"},
        {"title": "In use", "sentence": "in the context of 2 agents"},
    ]


def example_actions() -> dict[str, list[dict[str, Any]]]:
    here = {"target": "#styleguide-nothing", "swap": "none"}
    return {
        "first": [
            {"label": "Accept", "url": "/styleguide/", "post": True, "kind": "primary", "key": "a", **here},
            {"label": "Correct", "url": "/styleguide/", "icon": "edit", "key": "e"},
            {"label": "Reject", "url": "/styleguide/", "post": True, "kind": "danger", "key": "r", **here},
        ],
        "more": [],
    }


def example_toolbar() -> list[dict[str, Any]]:
    status = [("", "Any status"), *((code, word.shown) for code, word in STATUS.items())]
    return [
        {"name": "status", "label": "Status", "value": "", "options": status},
        {"name": "scope", "label": "Who reads it", "value": "", "options": [("", "Any reader")]},
        {"name": "category", "label": "Category", "value": "", "options": [("", "Any category")]},
    ]


def example_chips() -> list[dict[str, Any]]:
    return [
        {"text": "text: frankfurt", "url": "/styleguide/", "removes": True},
        {"text": "as of today", "url": "/styleguide/", "current": True},
        {"text": "Skill drafts (3)", "url": "/styleguide/"},
    ]


def example_side(status: str, now: datetime) -> dict[str, Any]:
    old = status == "active"
    place = "Dublin" if old else "Frankfurt"
    words = f"The staging database is in {place}."
    return {
        "item": belief("2210aa94c0de", words, status, now, confidence=0.94 if old else 0.71),
        "label": "In use now" if old else "Proposed",
        "words": words,
        "quote": f"the staging db sits in {place} next to the old cluster",
        "spans": [(23, 23 + len(place))],
        "hint": "In use since 12 Mar 2025" if old else "True from 1 Apr 2025",
    }


def example_ranges() -> dict[str, Any]:
    return {
        "height": 88,
        "label": "Dublin from 12 March 2025, Frankfurt from 1 April 2025 if you accept",
        "now": 92,
        "now_text": "now",
        "axis_y": 66,
        "tick_y": 82,
        "bars": [
            {
                "status": "active",
                "start": 10,
                "end": 92,
                "y": 22,
                "text_y": 14,
                "text": "Dublin, from 12 Mar",
            },
            {
                "status": "needs_review",
                "start": 32,
                "end": 92,
                "y": 54,
                "text_y": 46,
                "text": "Frankfurt, from 1 Apr",
                "dash": "9 5",
            },
        ],
        "ticks": [{"at": 2, "text": "Mar"}, {"at": 32, "text": "Apr"}, {"at": 62, "text": "May"}],
    }
