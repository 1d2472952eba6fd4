"""Forms of the scratchpad."""

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from memory.models.scratch import CONTENT_MOST, TOPIC_MOST, TTL_HOURS, TTL_HOURS_MOST
from memory.scratch.services import NoteWords
from pawflow_web.web.forms import PanelForm

LABELS = {"topic": _("Topic"), "content": _("What it says"), "tags": _("Tags")}
TAGS_LONGEST = 2000


class NoteForm(PanelForm):
    """A note, new or changed; ``revision`` is the one that the person read."""

    topic = forms.CharField(label=LABELS["topic"], max_length=TOPIC_MOST)
    content = forms.CharField(
        label=LABELS["content"], max_length=CONTENT_MOST, widget=forms.Textarea(attrs={"rows": 5})
    )
    tags = forms.CharField(
        label=LABELS["tags"], required=False, max_length=TAGS_LONGEST, help_text=_("With commas between them.")
    )
    ttl_hours = forms.IntegerField(
        label=_("Gone after, in hours"), required=False, min_value=1, max_value=TTL_HOURS_MOST
    )
    revision = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    COMPARED = ("topic", "content", "tags")

    def words(self) -> NoteWords:
        given = self.cleaned_data
        tags = [tag for tag in given["tags"].split(",") if tag.strip()]
        return NoteWords(given["topic"], given["content"], tags, given["ttl_hours"])

    def is_new(self) -> "NoteForm":
        """Says of the expiry what holds for a note that is not there yet."""
        self.fields["ttl_hours"].help_text = format_lazy(_("From now; {hours} when left empty."), hours=TTL_HOURS)
        return self

    def is_known(self) -> "NoteForm":
        self.fields["ttl_hours"].help_text = _("From now; as it was when left empty.")
        return self
