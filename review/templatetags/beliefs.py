"""Tags about beliefs: the small pieces of markup that must look alike wherever a belief is shown."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pawflow_web.web.templatetags.pawflow import icon
from review.display import labels
from review.display.steps import turn_address

register = template.Library()

SOURCE_ICONS = {"import": "import", "worker": "job"}
# Bars are lit from these confidences on; the first one is always lit.
CONFIDENCE_STEPS = (0.0, 0.55, 0.8, 0.9)
_BARS = tuple(f"M{step * 7.5:g} {6 - step * 2}h5.5v{4 + step * 2}h-5.5z" for step in range(4))


@register.simple_tag
def badge(status: str) -> SafeString:
    """The status of a belief: glyph, word, and a colour that only repeats them."""
    word = labels.word_of(labels.STATUS, status)
    return format_html(
        '<span class="badge is-{}" title="{}">{}{}</span>', status, word.sentence, icon(word.icon), word.shown
    )


@register.simple_tag
def reason_badge(reason: str) -> SafeString:
    """Why it has that status, in a word."""
    word = labels.word_of(labels.REASON, reason)
    return format_html('<span class="badge bare">{}{}</span>', icon(word.icon), word.shown)


@register.simple_tag
def reader(scope: str, agent: str | None = None, *, said: bool = False) -> SafeString:
    """Who may read it: everyone, the named agent, a conversation, or that agent in it.

    ``said``: nothing beside it says that this is the reader.
    """
    word = labels.word_of(labels.READER, scope)
    shown = agent if agent and scope == "agent" else word.shown
    if said and scope in {"global", "agent"}:
        shown = _("read by %(name)s") % {"name": shown}
    return _bare(word.icon, shown, word.sentence)


@register.simple_tag
def privacy(value: str) -> SafeString:
    """Sensitive or secret; an ordinary belief gets nothing."""
    word = labels.PRIVACY.get(value)
    if word is None:
        return SafeString("")
    return format_html(
        '<span class="badge is-{}" title="{}">{}{}</span>', value, word.sentence, icon(word.icon), word.shown
    )


@register.simple_tag
def confidence(value: float, *, corrected: bool = False) -> SafeString:
    """Four bars and the number, 0..1: how sure we are that it was meant."""
    lit = sum(value >= step for step in CONFIDENCE_STEPS) or 1
    bars = format_html('<path class="on" d="{}"/><path d="{}"/>', "".join(_BARS[:lit]), "".join(_BARS[lit:]))
    pencil = (
        format_html('{}<span class="vh">{}</span>', icon("edit"), _("corrected by you"))
        if corrected
        else SafeString("")
    )
    return format_html(
        '<span class="conf" title="{}"><svg viewBox="0 0 28 10" aria-hidden="true">{}</svg>'
        '<span class="vh">{} </span>{}{}</span>',
        _("confidence"),
        bars,
        _("confidence"),
        f"{value:.2f}",
        pencil,
    )


@register.simple_tag
def ref(value: str, *, link: bool = True) -> SafeString:
    """``#<reference>``, leading to the belief's page."""
    if link:
        return format_html('<a class="ref above" href="{}">#{}</a>', reverse("item", args=[value]), value)
    return format_html('<span class="ref">#{}</span>', value)


@register.simple_tag
def provenance(source: object | None, url: str = "") -> SafeString:
    """Where it comes from, in one chip: the turn, which it leads to, the file and line, or who said it.

    ``source`` has ``type`` (agent, person, import, worker), ``name``, ``file``, ``line`` and ``turn``.
    """
    glyph, shown = _place(source)
    url = url or turn_address(getattr(source, "turn", None) or "")
    if glyph == "warn":
        return format_html('<span class="prov no-source">{}{}</span>', icon(glyph), shown)
    if url:
        return format_html('<a class="prov above" href="{}">{}{}</a>', url, icon(glyph), shown)
    return format_html('<span class="prov">{}{}</span>', icon(glyph), shown)


def _bare(glyph: str, shown: object, sentence: object) -> SafeString:
    return format_html('<span class="badge bare" title="{}">{}{}</span>', sentence, icon(glyph), shown)


def _place(source: object | None) -> tuple[str, str]:
    """The glyph and the words of a source; its most exact part wins."""
    turn, file, line, name, kind = (getattr(source, part, None) for part in ("turn", "file", "line", "name", "type"))
    if turn:
        return "session", _("turn %(turn)s") % {"turn": turn}
    if file and line:
        return "import", _("%(file)s, line %(line)s") % {"file": file, "line": line}
    if file:
        return "import", str(file)
    if kind == "person":
        return "person", _("you")
    said_by = name or kind
    if not said_by:
        return "warn", _("no source")
    return SOURCE_ICONS.get(str(kind), "agent"), _("from %(name)s") % {"name": said_by}
