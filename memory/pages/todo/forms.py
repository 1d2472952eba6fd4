"""Forms of the to-do panel."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memory.models import TaskStatus
from memory.models.todo import DESCRIPTION_MOST, OWNER_MOST, SUBJECT_MOST
from memory.todo.services import TaskWords
from pawflow_web.web.forms import PanelForm

STATUS_WORDS = {
    TaskStatus.PENDING.value: _("to do"),
    TaskStatus.IN_PROGRESS.value: _("in progress"),
    TaskStatus.COMPLETED.value: _("done"),
}
LABELS = {
    "subject": _("What is to be done"),
    "description": _("Details"),
    "active_form": _("While it is being done"),
    "status": _("Where it stands"),
    "owner": _("Who does it"),
    "blocked_by": _("Waits for"),
    "metadata": _("Metadata"),
}


def _subject() -> forms.CharField:
    return forms.CharField(label=LABELS["subject"], max_length=SUBJECT_MOST)


def _description() -> forms.CharField:
    area = forms.Textarea(attrs={"rows": 4})
    return forms.CharField(label=LABELS["description"], required=False, max_length=DESCRIPTION_MOST, widget=area)


def _owner() -> forms.CharField:
    return forms.CharField(label=LABELS["owner"], required=False, max_length=OWNER_MOST)


class AddTaskForm(PanelForm):
    subject = _subject()
    description = _description()
    owner = _owner()

    def words(self) -> TaskWords:
        return TaskWords(**{name: self.cleaned_data[name] for name in ("subject", "description", "owner")})


class TaskForm(PanelForm):
    """A task as a person changes it; ``revision`` is the one that they read."""

    subject = _subject()
    status = forms.ChoiceField(label=LABELS["status"], choices=list(STATUS_WORDS.items()))
    description = _description()
    active_form = forms.CharField(
        label=LABELS["active_form"], required=False, max_length=SUBJECT_MOST, help_text=_("“Running the tests”")
    )
    owner = _owner()
    blocked_by = forms.MultipleChoiceField(label=LABELS["blocked_by"], required=False)
    revision = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    COMPARED = ("subject", "status", "description", "active_form", "owner", "blocked_by")

    def __init__(self, *args: Any, others: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        """``others``: reference and subject of the tasks that it may wait for."""
        super().__init__(*args, **kwargs)
        self.fields["blocked_by"].choices = list(others)  # type: ignore[attr-defined]
        if not others:
            del self.fields["blocked_by"]

    def words(self) -> TaskWords:
        given = self.cleaned_data
        return TaskWords(
            subject=given["subject"],
            description=given["description"],
            active_form=given["active_form"],
            owner=given["owner"],
            status=given["status"],
            blocked_by=given.get("blocked_by"),
        )
