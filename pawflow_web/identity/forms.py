"""Forms of signing in and of tokens."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.models.token import Ability
from pawflow_web.web.forms import PanelForm

ABILITIES = (
    (Ability.READ, _("read what is in use")),
    (Ability.WRITE, _("propose beliefs, and write its own notes")),
    (Ability.RELAY, _("run the relay on a machine with code")),
    (Ability.REVIEW, _("decide like you (only for yourself)")),
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
