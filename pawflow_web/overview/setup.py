"""What is left to set up. Each step ticks itself; the card goes when all are done, or when the person says so."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.overview.facts import Facts
from pawflow_web.web.templatetags.pawflow import thousands


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One thing to do; ``hint`` says what was done, ``at`` when."""

    title: str | Promise
    done: bool
    url: str
    hint: str = ""
    at: datetime | None = None


def steps_of(facts: Facts) -> list[SetupStep]:
    """The steps in the order in which one takes them."""
    called = _("%(agent)s called") % {"agent": facts.agent} if facts.agent else ""
    brought = ngettext("%(number)s belief", "%(number)s beliefs", facts.beliefs)
    return [
        SetupStep(_("Connect an agent"), bool(facts.agent), reverse("tokens"), called, facts.agent_seen_at),
        SetupStep(
            _("Bring what you have"),
            facts.beliefs > 0,
            reverse("imports"),
            brought % {"number": thousands(facts.beliefs)} if facts.beliefs else "",
        ),
        SetupStep(_("Decide over a belief"), facts.reviewed, reverse("review")),
    ]
