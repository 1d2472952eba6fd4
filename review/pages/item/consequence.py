"""What a decision would change, said before it is made: "If you accept: …"."""

from collections.abc import Mapping

from django.db import DatabaseError
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import statement_deadlines
from pawflow_web.lib.errors import DomainError
from pawflow_web.web.visible import shown
from review.lifecycle.preview import preview
from review.lifecycle.preview_sentences import Sentence
from review.models import GovernanceItem

# How the sentences of each decision begin.
LEADS: Mapping[str, str | Promise] = {
    "accept": _("If you accept:"),
    "reject": _("If you reject:"),
    "correct": _("If you correct it:"),
    "end": _("If you end it now:"),
    "forget": _("If you forget it:"),
    "restore": _("If you bring it back:"),
    "undo": _("If you undo:"),
}
# Nobody waits for a sentence longer than for the page around it.
PATIENCE_MS = 60


def consequence(principal: Principal, item: GovernanceItem, verb: str, *, demote: str = "") -> SafeString:
    """The sentences of :func:`~review.lifecycle.preview.preview`, every belief that they name as a link.

    Empty where the decision could not be made now, or where a step of trying it takes too long: it is left out then,
    never guessed.
    """
    try:
        with statement_deadlines() as allow:
            allow(PATIENCE_MS)
            seen = preview(principal=principal, reference=f"#{item.ref}", verb=verb, demote=demote or None)
    except (DomainError, DatabaseError):
        return mark_safe("")
    told = mark_safe("")
    for sentence in seen.sentences:
        told += (mark_safe(" ") if told else mark_safe("")) + _linked(sentence)
    return told


def _linked(sentence: Sentence) -> SafeString:
    before, label, after = sentence.text.partition(sentence.label) if sentence.label else (sentence.text, "", "")
    if not label:
        return shown(before)
    url = reverse("item", args=[sentence.ref])
    return format_html('{}<a href="{}">{}</a>{}', shown(before), url, shown(label), shown(after))
