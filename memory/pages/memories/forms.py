"""Forms of the memories panel: what to look for, and a new belief."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from memory.models.note import TAG_LONGEST, Category
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.time_travel import PARAMETERS, input_type
from review.display import labels
from review.limits import TEXT_MOST, TTL_DAYS_MOST
from review.readership.use import UNUSED_DAYS

CATEGORIES = [(value, label) for value, label in Category.choices]
# Values of the filters that the API does not have: what agents may read at this moment, and what is old and unused.
READABLE_NOW, NOT_LATELY = "readable", "lately"
_KINDS = [(code, word) for code, word in labels.KIND.items()]


def _shown(table: Mapping[str, labels.Word], codes: Sequence[str] | None = None) -> list[tuple[str, Any]]:
    return [(code, table[code].shown) for code in codes or table]


class FilterForm(PanelForm):
    """The parameters of ``GET /items``, under the same names."""

    q = forms.CharField(required=False, max_length=4000)
    status = forms.ChoiceField(
        label=_("Status"),
        required=False,
        choices=[
            ("", _("In use")),
            (READABLE_NOW, _("Read by agents now")),
            ("any", _("Any status")),
            *_shown(labels.STATUS),
        ],
    )
    scope = forms.ChoiceField(
        label=_("Who reads it"), required=False, choices=[("", _("Any reader")), *_shown(labels.READER)]
    )
    category = forms.ChoiceField(label=_("Category"), required=False, choices=[("", _("Any category")), *CATEGORIES])
    agent = forms.ChoiceField(label=_("Agent"), required=False)
    tag = forms.CharField(label=_("Tag"), required=False, max_length=TAG_LONGEST)
    kind = forms.ChoiceField(label=_("Kind"), required=False, choices=[("", _("Any kind")), *_KINDS])
    origin = forms.ChoiceField(
        label=_("Whose words"), required=False, choices=[("", _("Anyone's")), *_shown(labels.ORIGIN)]
    )
    privacy = forms.ChoiceField(
        label=_("Privacy"),
        required=False,
        choices=[("", _("Any privacy")), ("normal", _("Ordinary")), *_shown(labels.PRIVACY)],
    )
    pinned = forms.ChoiceField(
        label=_("Pinned"),
        required=False,
        choices=[("", _("Pinned or not")), ("true", _("Pinned")), ("false", _("Not pinned"))],
    )
    as_of = forms.CharField(
        label=_("True on"),
        required=False,
        max_length=40,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    known_at = forms.CharField(
        label=_("As known on"),
        required=False,
        max_length=40,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    used = forms.ChoiceField(
        label=_("Use"),
        required=False,
        choices=[
            ("", _("Used or not")),
            ("never", _("Never used by an agent")),
            (NOT_LATELY, format_lazy(_("Not used for {days} days"), days=UNUSED_DAYS)),
        ],
    )

    BAR = ("status", "scope", "category")
    MORE = ("agent", "tag", "kind", "origin", "privacy", "pinned", "used", "as_of", "known_at")

    def __init__(self, *args: Any, agents: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chooser = self.fields["agent"]
        assert isinstance(chooser, forms.ChoiceField)  # noqa: S101 - declared above
        chooser.choices = [("", _("Any agent")), *((name, name) for name in agents)]
        for name in PARAMETERS:
            self.fields[name].widget.input_type = input_type(str(self.data.get(name, "")))

    def clean_tag(self) -> str:
        # The field holds the last of them; the others came in the same address.
        for tag in self.data.getlist("tag"):  # type: ignore[attr-defined]  # of a query
            self.fields["tag"].run_validators(tag)
        return str(self.cleaned_data["tag"])


class AddForm(PanelForm):
    """A belief that the person writes themselves. The gate decides about it like about any other."""

    text = forms.CharField(
        label=_("What is true"),
        widget=forms.Textarea(attrs={"rows": 3, "data-draft": "memories-text"}),
        help_text=format_lazy(_("One belief in a sentence or two, 1 to {most} characters."), most=f"{TEXT_MOST:,}"),
        error_messages={"required": _("A belief needs words; this one has none.")},
    )
    tags = forms.CharField(
        label=_("Tags"),
        required=False,
        help_text=_("Words to find it by, with commas between."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=_("Read by"),
        required=False,
        choices=[("global", labels.READER["global"].shown), ("agent", labels.READER["agent"].shown)],
    )
    agent = forms.ChoiceField(label=_("Which agent"), required=False)
    category = forms.ChoiceField(label=_("Category"), required=False, choices=[("", _("none")), *CATEGORIES])
    ttl_days = forms.IntegerField(
        label=_("Forget after, in days"),
        required=False,
        min_value=1,
        max_value=TTL_DAYS_MOST,
        help_text=_("Empty: never."),
    )

    def __init__(self, *args: Any, agents: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chooser = self.fields["agent"]
        assert isinstance(chooser, forms.ChoiceField)  # noqa: S101 - declared above
        chooser.choices = [("", _("none")), *((name, name) for name in agents)]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        one_agent = given.get("scope") == "agent"
        if one_agent and not given.get("agent"):
            self.add_error("agent", _("Choose the agent that reads it."))
        if not one_agent and given.get("agent"):
            self.add_error("scope", _("Everyone reads it, so no agent can be named. Choose one agent, or none."))
        return given

    def tag_list(self) -> list[str]:
        return [tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()]

    def refused(self, message: str, faults: Mapping[str, object]) -> None:
        """Show what a service found wrong beside the fields it names, else above them."""
        named = {name.partition(".")[0] for name in faults} & self.fields.keys()
        if not named:
            self.add_error(None, message)
        for name in named:
            self.add_error(name, message)
