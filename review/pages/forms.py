"""What a person sends with a decision."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from pawflow_web.lib.errors import Invalid
from pawflow_web.web.forms import PanelForm
from review.limits import BULK_MOST, COMMENT_MOST


class DecisionForm(PanelForm):
    """``reason`` is the person's own words, kept beside the decision."""

    reason = forms.CharField(
        label=_("Why (optional)"),
        required=False,
        max_length=COMMENT_MOST,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    revision = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)
    demote = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def decision(self) -> dict[str, Any]:
        """The arguments that every decision takes. Raises :class:`Invalid` for what cannot be one."""
        if "reason" in self.errors:
            raise Invalid(_now("A reason has at most %(most)d characters.") % {"most": COMMENT_MOST})
        if self.errors:
            raise Invalid(_now("This form cannot be read. Reload the page and decide again."))
        return {"revision": self.cleaned_data["revision"], "comment": self.cleaned_data["reason"]}


class BulkForm(PanelForm):
    """``ref`` is repeated: a reference, or reference and revision as ``3fa4c1d2e5b6:2``. ``whole`` means everything
    that the list is narrowed to, ticked or not, and not changed behind ``upto``; ``sure`` that the person was asked,
    which ``question`` tells from every other time."""

    verb = forms.ChoiceField(choices=[("accept", ""), ("reject", ""), ("forget", "")])
    reason = forms.CharField(required=False, max_length=COMMENT_MOST)
    whole = forms.BooleanField(required=False)
    sure = forms.BooleanField(required=False)
    upto = forms.IntegerField(required=False, min_value=0)
    question = forms.CharField(required=False, max_length=12)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        # No row sends a value with a control character, and the database takes none.
        self.ticked = [value for value in data.getlist("ref")[:BULK_MOST] if value.isprintable()]

    def chosen(self) -> tuple[list[str], dict[str, int]]:
        """The references of the ticked rows, and the revisions that were on the screen."""
        refs: list[str] = []
        revisions: dict[str, int] = {}
        for value in self.ticked:
            ref, _colon, revision = value[:40].partition(":")
            refs.append(ref)
            if revision.isascii() and revision.isdigit():
                revisions[ref] = int(revision)
        return refs, revisions
