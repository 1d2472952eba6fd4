"""What a person sends with a decision."""

from django import forms
from django.utils.translation import gettext_lazy as _

from pawflow_web.web.forms import PanelForm

NOTE_MOST = 500


class DecisionForm(PanelForm):
    """``reason`` is the person's own words, kept beside the decision."""

    reason = forms.CharField(
        label=_("Why (optional)"),
        required=False,
        max_length=NOTE_MOST,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    revision = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)
    demote = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)


class BulkForm(PanelForm):
    """``ref`` is repeated: a reference, or reference and revision as ``3fa4c1d2e5b6:2``."""

    verb = forms.ChoiceField(choices=[("accept", ""), ("reject", ""), ("forget", "")])
    reason = forms.CharField(required=False, max_length=NOTE_MOST)
