"""Tags of our templates: small pieces of markup that carry meaning and must look alike everywhere."""

from collections.abc import Iterable
from datetime import datetime

from django import template
from django.template.context import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pawflow_web.web.times import full_time, short_time
from pawflow_web.web.visible import shown

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """A glyph of the sprite. It says nothing to a screen reader: a word always stands beside it."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', static("icons.svg"), name)


@register.simple_tag
def when(value: datetime | None) -> SafeString:
    """A moment as a person says it, with the exact one behind it. Nothing for None."""
    if value is None:
        return SafeString("")
    local = timezone.localtime(value)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        full_time(local),
        short_time(local, now=timezone.localtime()),
    )


@register.filter
def mark(text: str, spans: Iterable[tuple[int, int]] | None = None) -> SafeString:
    """Mark the ``(start, end)`` spans of a text, in characters, and show what a reader would not see."""
    return shown(text, spans or ())


@register.filter
def thousands(number: int) -> str:
    """``1204`` -> ``1,204`` in the reader's language."""
    return number_format(number, use_l10n=True, force_grouping=True)


@register.simple_block_tag(takes_context=True)
def panel_heading(context: Context, content: str) -> SafeString:
    """A panel's title: the ``h1`` of its page, an ``h2`` in the drawer beside a conversation."""
    level = "h2" if context.get("in_drawer") else "h1"
    return format_html("<{0}>{1}</{0}>", SafeString(level), SafeString(content.strip()))
