"""What the pages of a context are asked for, under the names of ``GET /context`` and ``GET /memory.md``."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memory.context.build import BUDGET, LEAST_BUDGET, MOST_BUDGET, QUERY_MOST
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import last_instant, time_of_query
from pawflow_web.web.forms import PanelForm
from pawflow_web.web.time_travel import input_type, no_day

_NAME_MOST = 200

Select = dict[str, Any]


class ReadingForm(PanelForm):
    """Who reads, from which project, after which words."""

    agent = forms.CharField(label=_("Agent"), required=False, max_length=_NAME_MOST)
    project = forms.CharField(label=_("Project"), required=False, max_length=_NAME_MOST)
    query = forms.CharField(label=_("Latest words of the person"), required=False, max_length=QUERY_MOST)

    def selects(self, *, agents: Sequence[tuple[str, str | Promise]], projects: Iterable[str]) -> list[Select]:
        """Both choosers as the template shows them."""
        by_slug = [("", _("No project named")), *((slug, slug) for slug in projects)]
        return [
            {"name": name, "label": self.fields[name].label, "value": self.data.get(name, ""), "options": options}
            for name, options in (("agent", agents), ("project", by_slug))
        ]


class PreviewForm(ReadingForm):
    """``compare`` is a day or moment that is over: what changed since its end."""

    conversation = forms.CharField(
        label=_("Conversation"), required=False, max_length=_NAME_MOST, help_text=_("Its reference or the client's id.")
    )
    budget = forms.IntegerField(
        label=_("Budget in characters"), required=False, min_value=LEAST_BUDGET, max_value=MOST_BUDGET
    )
    freeze = forms.BooleanField(
        label=_("As its conversation keeps it"),
        required=False,
        help_text=_("The memory as it was first sent there, if the agent asks with freeze."),
    )
    compare = forms.CharField(
        label=_("Compare with the end of"),
        required=False,
        max_length=40,
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def __init__(self, *args: Any, zone: ZoneInfo, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._zone = zone
        self.fields["compare"].widget.input_type = input_type(str(self.data.get("compare", "")))

    @property
    def further(self) -> list[Any]:
        return [self["conversation"], self["budget"], self["freeze"], self["compare"]]

    def clean_budget(self) -> int:
        return self.cleaned_data["budget"] or BUDGET

    def clean_compare(self) -> datetime | None:
        text = self.cleaned_data["compare"]
        try:
            moment = last_instant(time_of_query(text) if text else None, self._zone, field="compare")
        except Invalid:
            raise ValidationError(no_day(text)) from None
        if moment is not None and moment >= datetime.now(self._zone):
            raise ValidationError(_("Choose a day that is over."))
        return moment
