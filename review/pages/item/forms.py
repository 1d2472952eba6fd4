"""Forms that a person fills in over one belief: other words, an end, what belongs to it, its reference."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Self, cast
from zoneinfo import ZoneInfo

from django import forms
from django.http import QueryDict
from django.utils.text import format_lazy
from django.utils.timezone import localtime
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from pawflow_web.lib.periods import parse_period
from pawflow_web.web.forms import PanelForm
from review.display import labels
from review.kinds import kind_of
from review.lifecycle import Changes
from review.limits import COMMENT_MOST, TEXT_MOST
from review.models import GovernanceItem, Privacy, Scope


class OverOneForm(PanelForm):
    """Base of the forms over one belief."""

    field_order: Sequence[str] | None = None

    def refused(self, message: str, faults: Mapping[str, object]) -> None:
        """Show what a service found wrong beside the fields it names, else above them."""
        named = {name.partition(".")[0] for name in faults} & self.fields.keys()
        for name in named:
            self.add_error(name, message)
        if not named:
            self.add_error(None, message)


class QuestionForm(OverOneForm):
    """``revision`` is what the person looked at, ``reason`` their own words, kept beside the decision."""

    revision = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=COMMENT_MOST,
        help_text=_("Optional, kept in the history."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "revision" in self.errors:
            del self.errors["revision"]
            self.add_error(None, _now("This form cannot be read. Reload the page and decide again."))
        return given

    @property
    def decision(self) -> dict[str, Any]:
        """The arguments that every decision takes."""
        return {"revision": self.cleaned_data["revision"], "comment": self.cleaned_data["reason"]}


class RejectForm(QuestionForm):
    """Nothing but the reason."""


class CorrectForm(QuestionForm):
    text = forms.CharField(
        label=_("What is true"),
        widget=forms.Textarea(attrs={"rows": 4}),
        max_length=TEXT_MOST,
        help_text=format_lazy(_("1 to {most} characters."), most=f"{TEXT_MOST:,}"),
        error_messages={"required": _("A belief needs words; this one has none.")},
    )
    override = forms.BooleanField(
        label=_("Say it although I rejected these words once"), required=False, widget=forms.HiddenInput
    )

    field_order = ("text", "reason")

    @classmethod
    def of(cls, item: GovernanceItem, given: QueryDict | None = None, **kwargs: Any) -> Self:
        """The form over that belief; it says how its words are written."""
        form = cls(given, auto_id="correct-%s", **kwargs)
        form.fields["text"].help_text = str(kind_of(item).wording) or form.fields["text"].help_text
        return form

    def offer_override(self) -> None:
        """These words were rejected once: the person may say them all the same."""
        self.fields["override"].widget = forms.CheckboxInput()


class EndForm(QuestionForm):
    ended_at = forms.CharField(
        label=_("It stopped being true"),
        required=False,
        max_length=40,
        help_text=_("A date, a month (2026-04) or a year. Empty: now."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "2026-04-01"}),
    )

    field_order = ("ended_at", "reason")

    def end(self, zone: ZoneInfo) -> dict[str, Any]:
        """``ended_at`` and ``precision``, as the service takes them. Raises :class:`Invalid` for what is no time."""
        given = self.cleaned_data["ended_at"].strip()
        if not given:
            return {}
        period = parse_period(given, zone, field="ended_at")
        return {"ended_at": period.first, "precision": period.precision}


class PurgeForm(OverOneForm):
    confirm = forms.CharField(
        label=_("Its reference"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": _("Type the reference, so that it is this one and no other.")},
    )


class EditForm(QuestionForm):
    """What belongs to a belief. The choices of its facet are those of the kind's own columns."""

    tags = forms.CharField(
        label=_("Tags"),
        required=False,
        help_text=_("With commas between."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    category = forms.ChoiceField(label=_("Category"), required=False)
    importance = forms.ChoiceField(label=_("Importance"), required=False)
    durability = forms.ChoiceField(label=_("How long it matters"), required=False)
    privacy = forms.ChoiceField(
        label=_("Privacy"),
        choices=[(Privacy.NORMAL, _("Ordinary")), *((code, word.shown) for code, word in labels.PRIVACY.items())],
    )
    scope = forms.ChoiceField(label=_("Read by"))
    agent = forms.ChoiceField(label=_("Which agent"), required=False)
    expires_at = forms.CharField(
        label=_("Forget it on"),
        required=False,
        max_length=40,
        help_text=_("Empty: never."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    pinned = forms.BooleanField(label=_("Pinned: agents cannot replace or forget it"), required=False)

    field_order = ("tags", "category", "importance", "durability", "privacy", "scope", "agent", "expires_at", "pinned")
    FACET = ("category", "importance", "durability")

    def __init__(self, *args: Any, item: GovernanceItem, agents: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._item = item
        facet = getattr(item, kind_of(item).relation)
        for name in self.FACET:
            self._choose(name, [] if facet is None else facet._meta.get_field(name).choices or [])
        self.fields["category"].choices = [("", _("none")), *self.fields["category"].choices]  # type: ignore[attr-defined]
        self._choose("agent", [("", _("none")), *((name, name) for name in agents)])
        places = [Scope.GLOBAL, Scope.AGENT]
        # A conversation is named by being in it; here it can only be kept or left.
        places += [Scope(item.scope)] if item.scope_conversation_id is not None else []
        self._choose("scope", [(scope, labels.READER[scope].shown) for scope in places])
        if item.privacy == Privacy.SECRET:
            # Tags may hold the secret; they are not shown, so they cannot be changed either.
            del self.fields["tags"]

    @classmethod
    def of(cls, item: GovernanceItem, agents: Sequence[str], **kwargs: Any) -> Self:
        """The form as the belief is now."""
        return cls(item=item, agents=agents, initial=_as_it_is(item), **kwargs)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        one_agent = given.get("scope") in {Scope.AGENT, Scope.PRIVATE}
        if one_agent and not given.get("agent"):
            self.add_error("agent", _now("Choose the agent that reads it."))
        return given

    def changes(self, zone: ZoneInfo) -> Changes:
        """What differs from the belief as it is, under the names of ``PATCH /items/{ref}``. Raises :class:`Invalid`."""
        given, before = self.cleaned_data, _as_it_is(self._item)
        changed: dict[str, Any] = {
            name: given[name]
            for name in (*self.FACET, "privacy", "pinned")
            if name in given and given[name] != before[name]
        }
        if "category" in changed:
            changed["category"] = changed["category"] or None
        if "tags" in given and given["tags"] != before["tags"]:
            changed["tags"] = [tag.strip() for tag in given["tags"].split(",") if tag.strip()]
        if given["expires_at"] != before["expires_at"]:
            changed["expires_at"] = _instant(given["expires_at"], zone)
        return cast("Changes", changed | self._place(before))

    def _place(self, before: Mapping[str, Any]) -> dict[str, Any]:
        scope, agent = self.cleaned_data["scope"], self.cleaned_data["agent"]
        named = agent if scope in {Scope.AGENT, Scope.PRIVATE} else ""
        if (scope, named) == (before["scope"], before["agent"]):
            return {}
        return {"scope": scope} | ({"agent": named} if named else {})

    def _choose(self, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = list(choices)


def _as_it_is(item: GovernanceItem) -> dict[str, Any]:
    shown = kind_of(item).shown(item)
    return {
        "tags": ", ".join(shown.tags),
        "category": shown.category or "",
        "importance": shown.importance,
        "durability": shown.durability,
        "privacy": str(item.privacy),
        "scope": str(item.scope),
        "agent": item.scope_agent.name if item.scope_agent else "",
        "expires_at": localtime(item.expires_at).date().isoformat() if item.expires_at else "",
        "pinned": item.pinned,
        "revision": item.revision,
    }


def _instant(given: str, zone: ZoneInfo) -> datetime | None:
    return parse_period(given, zone, field="expires_at").first if given else None
