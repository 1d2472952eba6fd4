"""Forms of the page of projects, and the one that files a conversation under a project."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import CharField, Q
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from conversations.models import Conversation, Project
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError, Invalid
from pawflow_web.lib.text import clean, is_blank
from pawflow_web.web.forms import PanelForm

CHANGEABLE = ("name", "description", "root")


def _longest(name: str) -> int | None:
    """How many characters the column holds."""
    field = Project._meta.get_field(name)
    return field.max_length if isinstance(field, CharField) else None


class ProjectForm(PanelForm):
    """A project."""

    name = forms.CharField(label=_("Name"), max_length=_longest("name"))
    description = forms.CharField(
        label=_("What it is about"),
        required=False,
        max_length=_longest("description"),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    root = forms.CharField(
        label=_("Root"),
        required=False,
        max_length=_longest("root"),
        help_text=_("The directory of its files on the server, as an absolute path or with ~. Empty for none."),
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none", "autocomplete": "off"}),
    )

    def clean_name(self) -> str:
        return self._storable("name")

    def clean_description(self) -> str:
        return self._storable("description")

    def refuse(self, error: DomainError) -> None:
        """Say what the service refused beside the field that it is about."""
        named = [name for name in CHANGEABLE if name in error.fields]
        self.add_error(named[0] if named else None, error.message)

    def _storable(self, name: str) -> str:
        given: str = self.cleaned_data[name]
        try:
            text = clean(given, field=name)
        except Invalid as error:
            raise forms.ValidationError(error.message) from None
        if given and is_blank(text):
            raise forms.ValidationError(_("It must hold something that can be seen."))
        return text


class ProjectChangesForm(ProjectForm):
    """A project that is there already. It carries what the person was shown, so that only what they changed is
    written, and nothing that an agent changed meanwhile."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.show_hidden_initial = True

    def changed(self, name: str) -> str | None:
        """The value of a field, None where the person left it alone."""
        value: str = self.cleaned_data[name]
        return value if name in self.changed_data else None


class FilingForm(PanelForm):
    """Under which project a conversation is filed; empty for none."""

    project = forms.ChoiceField(label=_("Project"), required=False)

    @classmethod
    def of(cls, person: Principal, conversation: Conversation, given: QueryDict | None = None) -> "FilingForm":
        """With the projects in use, and the one it is filed under whatever became of that."""
        now = conversation.project
        offered = Project.objects.visible_to(person).filter(Q(archived=False) | Q(pk=now.pk if now else 0))
        form = cls(given, initial={"project": now.slug if now else ""}, auto_id="filing-%s")
        form.fields["project"].choices = _choices(list(offered.order_by("name", "slug")))  # type: ignore[attr-defined]
        return form


def _choices(projects: Sequence[Project]) -> list[tuple[str, object]]:
    """By their names; those of one name are told apart by their slugs."""
    times = Counter(project.name for project in projects)
    named = ((row.slug, f"{row.name} ({row.slug})" if times[row.name] > 1 else row.name) for row in projects)
    return [("", _("No project")), *named]
