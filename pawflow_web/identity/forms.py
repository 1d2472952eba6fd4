"""Forms of signing in, of tokens, of agents and of how the dashboard looks."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.models import AgentBeliefs, MemoryRender, Profile
from pawflow_web.identity.models.settings import Density, Theme
from pawflow_web.identity.models.token import Ability
from pawflow_web.identity.services.preferences import time_zones
from pawflow_web.web.forms import PanelForm

ABILITIES = (
    (Ability.READ, _("read what is in use")),
    (Ability.WRITE, _("propose beliefs, and write its own notes")),
    (Ability.RELAY, _("run the relay on a machine with code")),
    (Ability.REVIEW, _("decide like you (only for yourself)")),
)


THEMES = (
    (Theme.SYSTEM, _("as the system has it")),
    (Theme.LIGHT, _("light")),
    (Theme.DARK, _("dark")),
)
DENSITIES = (
    (Density.COMFORTABLE, _("comfortable")),
    (Density.COMPACT, _("compact: more lines on a screen")),
)
PROFILES = (
    (Profile.ASSISTANT, _("everything that it may see")),
    (Profile.DEMO, _("the same, and what it writes waits for you")),
    (Profile.SECURE, _("what it looks for itself: nothing stored is put into its context")),
)
RENDERS = (
    (MemoryRender.DIGEST, _("a digest: 1,200 characters, the most important first")),
    (MemoryRender.SCOPED, _("in sections: about you, this project, recent history")),
)
LEFT_BELIEFS = (
    (AgentBeliefs.REVIEW, _("come before you: all your agents read what you accept")),
    (AgentBeliefs.PURGE, _("are erased too")),
)


class SignInForm(PanelForm):
    username = forms.CharField(
        label=_("Name"),
        max_length=64,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=4096,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class TokenForm(PanelForm):
    """What :func:`~pawflow_web.identity.services.create_token` takes; that service decides what is wrong."""

    agent = forms.CharField(
        label=_("Agent"),
        required=False,
        help_text=_("Letters, digits, dot, underscore, hyphen. Empty: the token speaks for you."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "claude-code", "autocapitalize": "none"}),
    )
    origin = forms.ChoiceField(
        label=_("Its words are"),
        required=False,
        choices=[
            ("", _("unknown (they wait for you)")),
            ("user_channel", _("your own, typed to it")),
            ("automation", _("an automation's (they wait for you)")),
        ],
    )
    abilities = forms.MultipleChoiceField(
        label=_("It may"),
        required=False,
        choices=ABILITIES,
        initial=["read", "write"],
        widget=forms.CheckboxSelectMultiple,
    )
    expires = forms.IntegerField(
        label=_("Expires after, in days"), required=False, help_text=_("Empty: never."), min_value=1
    )

    def refused(self, faults: Mapping[str, Any]) -> None:
        """Show what the service found wrong beside the fields it names."""
        for name, sentence in faults.items():
            self.add_error(name if name in self.fields else None, str(sentence))


class PreferencesForm(PanelForm):
    """How the dashboard looks and listens. ``current``: the zone that is set, offered even if it has an old name."""

    theme = forms.ChoiceField(label=_("Theme"), choices=THEMES, widget=forms.RadioSelect)
    density = forms.ChoiceField(label=_("Density"), choices=DENSITIES, widget=forms.RadioSelect)
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        help_text=_("Days you type are days here, and times are shown as your clock says them."),
    )
    single_keys = forms.BooleanField(
        label=_("Single letters are keys"),
        required=False,
        help_text=_("Off: only keys with Ctrl or Cmd, Tab, Enter and Escape do anything."),
    )

    def __init__(self, *args: Any, current: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = time_zones() if current in time_zones() or not current else (current, *time_zones())
        self.fields["time_zone"].choices = [(name, name.replace("_", " ")) for name in names]  # type: ignore[attr-defined]  # a field of choices


class AgentForm(PanelForm):
    """How much of the memory one agent works with."""

    profile = forms.ChoiceField(label=_("It works with"), choices=PROFILES, widget=forms.RadioSelect)
    memory_render = forms.ChoiceField(label=_("Its context opens with"), choices=RENDERS, widget=forms.RadioSelect)
    reads_sensitive = forms.BooleanField(
        label=_("It may read what is sensitive"),
        required=False,
        help_text=_("Beliefs marked Sensitive reach this agent too. Secret ones never reach any."),
    )


class NamedForm(PanelForm):
    """A question that is answered by typing the ``name`` of what it is about."""

    confirm = forms.CharField(
        label=_("Its name, to be sure"),
        max_length=64,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._name = name

    def clean_confirm(self) -> str:
        if self.cleaned_data["confirm"] != self._name:
            raise forms.ValidationError(_("must be %(name)s"), params={"name": self._name})
        return self._name


class AgentErasureForm(NamedForm):
    """What becomes of what only the agent could read."""

    beliefs = forms.ChoiceField(
        label=_("Beliefs that only it could read"),
        choices=LEFT_BELIEFS,
        initial=AgentBeliefs.REVIEW,
        widget=forms.RadioSelect,
    )
    field_order = ("beliefs", "confirm")


class OwnerErasureForm(NamedForm):
    """Whether everything of an owner is to go."""

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, name=name, **kwargs)
        self.fields["confirm"].label = _("Your name, to be sure")
