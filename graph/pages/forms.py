"""Forms of the knowledge graph: what to look for, a new fact, another entity, and how far to look around."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from graph.facts.adding import NewFact
from graph.limits import NAME_MOST, PREDICATE_MOST, SOURCE_MOST, VALUE_MOST
from pawflow_web.web.forms import PanelForm
from review.pages.item.forms import OverOneForm

ALL = "all"
REPLACE, KEEP = "replace", "keep"
# How a fact was obtained, as a person says it.
OBTAINED: dict[str, str | Promise] = {
    "EXTRACTED": _("said outright"),
    "INFERRED": _("inferred"),
    "AMBIGUOUS": _("ambiguous"),
}


def _naming(**attrs: Any) -> forms.TextInput:
    """A field that takes a name: what is typed asks for those like it, for the one list of names on the page."""
    asks = {
        "list": "kg-names",
        "autocomplete": "off",
        "hx-get": reverse_lazy("kg-names"),
        "hx-trigger": "input changed delay:200ms",
        "hx-target": "#kg-names",
        "hx-swap": "innerHTML",
        "hx-include": "this",
        "hx-sync": "this:replace",
        "hx-push-url": "false",
    }
    return forms.TextInput(attrs={**asks, **attrs})


# So many of the predicates in use can be chosen from a list; any other by its name in the address.
_PREDICATES_MOST = 100


class FilterForm(PanelForm):
    """``q`` are words of names, predicates and values."""

    q = forms.CharField(required=False, max_length=400)
    status = forms.ChoiceField(
        label=_("Which facts"),
        required=False,
        choices=[("", _("Current")), (ALL, _("All time"))],
    )
    predicate = forms.CharField(label=_("Predicate"), required=False, max_length=PREDICATE_MOST)

    SINGLE = ("q", "status", "predicate")


class AroundForm(PanelForm):
    """How far to look around an entity, and at which facts; ``to`` is where a path shall lead."""

    hops = forms.ChoiceField(required=False, choices=[("", _("1 hop")), ("2", _("2 hops"))])
    time = forms.ChoiceField(required=False, choices=[("", _("Current")), (ALL, _("All time"))])
    predicate = forms.CharField(label=_("Predicate"), required=False, max_length=PREDICATE_MOST)
    to = forms.CharField(
        label=_("Path to"),
        required=False,
        max_length=NAME_MOST,
        widget=_naming(**{"aria-label": _("Path to"), "placeholder": _("Path to…")}),
    )


class NewFactForm(OverOneForm):
    """A fact in the words of the person. ``rival`` says what becomes of the value that stands there."""

    subject = forms.CharField(
        label=_("Subject"),
        max_length=NAME_MOST,
        widget=_naming(placeholder="Lotta Berg"),
        error_messages={"required": _("Say whom or what it is about.")},
    )
    predicate = forms.CharField(
        label=_("Predicate"),
        max_length=PREDICATE_MOST,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "lives_in"}),
        error_messages={"required": _("Say how they are related, for example lives_in.")},
    )
    object = forms.CharField(
        label=_("Object"),
        max_length=VALUE_MOST,
        widget=_naming(placeholder="Lisbon"),
        error_messages={"required": _("Say what stands at the other end.")},
    )
    valid_from = forms.CharField(
        label=_("True from"),
        required=False,
        max_length=40,
        help_text=_("A date, a month (2026-04) or a year. Empty: nobody said."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "2026-04-01"}),
    )
    confidence = forms.ChoiceField(label=_("How it is known"), required=False, choices=list(OBTAINED.items()))
    source = forms.CharField(
        label=_("Where it comes from"),
        required=False,
        max_length=SOURCE_MOST,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    rival = forms.ChoiceField(required=False, choices=[("", ""), (REPLACE, ""), (KEEP, "")])

    def fact(self) -> NewFact:
        """What was said, as the gate of facts takes it."""
        given = self.cleaned_data
        return NewFact(
            subject=given["subject"],
            predicate=given["predicate"],
            object=given["object"],
            valid_from=given["valid_from"].strip() or None,
            confidence=given["confidence"] or "EXTRACTED",
            source=given["source"],
            supersede={REPLACE: True, KEEP: False}.get(given["rival"]),
        )


class MergeForm(OverOneForm):
    """``drop`` is any name of the entity that becomes one with this one."""

    drop = forms.CharField(
        label=_("The other name"),
        max_length=NAME_MOST,
        widget=_naming(),
        error_messages={"required": _("Name the entity that is the same.")},
    )


def predicate_choices(used: Sequence[str], chosen: str) -> list[tuple[str, Any]]:
    """The predicates to choose from, the one that is chosen always among them."""
    names = list(used[:_PREDICATES_MOST])
    if chosen and chosen not in names:
        names.append(chosen)
    return [("", _("Any predicate")), *((name, name) for name in names)]


def new_fact_form(subject: str = "") -> NewFactForm:
    """The empty form; ``subject`` is whom the next fact is about."""
    return NewFactForm(initial={"subject": subject}, auto_id="kg-add-%s")
