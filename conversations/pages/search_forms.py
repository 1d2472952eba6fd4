"""What can be asked of the page of sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from conversations.pages.labels import KINDS, OUTCOMES, ROLES
from conversations.recall.asked import Filters
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import first_instant, last_instant, time_of_query
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.time_travel import input_type, no_day

# How far one can go on, and how many an answer has: as recall allows.
OFFSET_MOST = 10_000
# What makes it a search: without any of these the sessions themselves are listed.
OF_ENTRIES = ("q", "tool", "outcome", "role", "since", "until")
# Offered by name; what an old address says is taken all the same.
_ROLES_OFFERED = (
    "user",
    "assistant",
    "toolResult",
    "bashExecution",
    "fabricOperation",
    "system",
    "custom",
    "compaction",
    "branchUser",
)


def _day(label: Any) -> forms.CharField:
    field = forms.CharField(label=label, required=False, max_length=64)
    field.widget = forms.DateInput(attrs={"type": "date"})
    return field


class SearchForm(PanelForm):
    """A question, and what narrows it. ``agent``: a sub-agent, or who told the turns."""

    q = forms.CharField(required=False, max_length=4096)
    match = forms.ChoiceField(
        label=_("How"),
        required=False,
        choices=[
            ("", _("Any of the words")),
            ("all", _("All of the words")),
            ("phrase", _("The phrase as it stands")),
            ("regex", _("Regular expression")),
        ],
    )
    project = forms.ChoiceField(label=_("Project"), required=False)
    kind = forms.ChoiceField(label=_("Kind of source"), required=False, choices=[("", _("Any source")), *KINDS.items()])
    agent = forms.CharField(label=_("Agent"), required=False, max_length=200)
    role = forms.ChoiceField(
        label=_("Whose words"),
        required=False,
        choices=[("", _("Anyone's")), *((role, ROLES[role]) for role in _ROLES_OFFERED)],
    )
    tool = forms.CharField(label=_("Tool"), required=False, max_length=512)
    outcome = forms.ChoiceField(
        label=_("How it ended"), required=False, choices=[("", _("However it ended")), *OUTCOMES.items()]
    )
    since = _day(_("Not before"))
    until = _day(_("Not after"))
    branches = forms.ChoiceField(
        label=_("Branches"),
        required=False,
        choices=[("", _("The active one")), ("all", _("All of them"))],
    )
    session = forms.CharField(label=_("Only in"), required=False, max_length=200, widget=forms.HiddenInput)
    offset = forms.IntegerField(required=False, min_value=0, max_value=OFFSET_MOST)

    BAR = ("match", "project", "kind")
    MORE = ("agent", "role", "tool", "outcome", "since", "until", "branches")

    def __init__(self, given: Any, *, person: Principal, projects: Sequence[tuple[str, str]]) -> None:
        super().__init__(given, auto_id="sessions-%s")
        self._zone = person.zone
        chooser = self.fields["project"]
        assert isinstance(chooser, forms.ChoiceField)  # noqa: S101 - declared above
        chooser.choices = [("", _("Any project")), *projects]
        for name in ("since", "until"):
            self.fields[name].widget.input_type = input_type(str(self.data.get(name, "")))

    def clean_since(self) -> datetime | None:
        return self._moment("since", first_instant)

    def clean_until(self) -> datetime | None:
        return self._moment("until", last_instant)

    def _moment(self, name: str, read: Any) -> datetime | None:
        text = self.cleaned_data[name]
        if not text:
            return None
        try:
            found: datetime | None = read(time_of_query(text), self._zone, field=name)
        except Invalid:
            raise forms.ValidationError(no_day(text)) from None
        return found

    def filters(self) -> Filters:
        """What entries must say. After it was found valid."""
        given = self.cleaned_data
        return Filters(
            role=given["role"] or None,
            tool=given["tool"] or None,
            outcome=given["outcome"] or None,
            since=given["since"],
            until=given["until"],
        )
