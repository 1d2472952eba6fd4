"""What the pages say of an agent's settings."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.identity.models import Agent, MemoryRender, Profile

register = template.Library()


@register.filter
def profile_words(agent: Agent) -> str:
    """How much of the memory it works with."""
    return {
        Profile.ASSISTANT: _("works with everything it may see"),
        Profile.DEMO: _("demo: what it writes waits for you"),
        Profile.SECURE: _("secure: nothing stored is put into its context"),
    }[Profile(agent.profile)]


@register.filter
def render_words(agent: Agent) -> str:
    """What its context opens with."""
    return _("context as a digest") if agent.memory_render == MemoryRender.DIGEST else _("context in sections")


@register.filter
def token_words(agent: Agent) -> str:
    """Its tokens that still open something, and whose words they bring. ``agent`` comes from ``with_tokens()``."""
    number: int = agent.open_tokens  # type: ignore[attr-defined]  # annotated
    if not number:
        return _("no token left")
    origins = [_origin_words(origin) for origin in sorted(agent.origins, key=str)]  # type: ignore[attr-defined]
    tokens = ngettext("%(number)d token", "%(number)d tokens", number) % {"number": number}
    return f"{tokens}: {', '.join(origins)}"


def _origin_words(origin: str | None) -> str:
    known = {"user_channel": _("your own words"), "automation": _("an automation")}
    return known.get(origin or "", _("origin unknown"))
