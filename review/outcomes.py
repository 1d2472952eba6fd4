"""What became of a decision, in a sentence."""

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from review.lifecycle import BulkResult, Decision
from review.rows import reader_words


def done_words(verb: str, done: Decision) -> tuple[str, str]:
    """The fact and its consequence: ``Accepted.``, ``every agent of yours may read it.``"""
    item = done.item
    if verb == "accept":
        agent = item.scope_agent.name if item.scope_agent else None
        detail = _("It is in use: %(who)s may read it.") % {"who": reader_words(item.scope, agent)}
        if item.privacy != "normal":
            detail = _("It is in use for you; it is %(privacy)s, so agents do not read it.") % {"privacy": item.privacy}
        if done.demoted is not None:
            detail += " " + _("#%(ref)s gave way and stays in the history.") % {"ref": done.demoted.ref}
        return _("Accepted."), detail
    if verb == "restore":
        return _("Brought back."), _("It waits for you again, and its words are no longer refused.")
    return _("Rejected."), _("No agent reads it, and it is refused if anyone offers it again.")


def bulk_words(verb: str, results: Sequence[BulkResult]) -> str:
    """``398 accepted. 14 not: 9 contradict, 5 changed meanwhile.``"""
    done = sum(result.error is None for result in results)
    deed = {"accept": _("accepted"), "reject": _("rejected"), "forget": _("taken out of use")}[verb]
    sentence = _("%(count)d %(deed)s.") % {"count": done, "deed": deed}
    causes = Counter(_cause(result) for result in results if result.error is not None)
    if not causes:
        return sentence
    told = ", ".join(f"{number} {cause}" for cause, number in causes.most_common())
    missed = sum(causes.values())
    return (
        sentence
        + " "
        + ngettext("%(count)d not: %(told)s.", "%(count)d not: %(told)s.", missed)
        % {
            "count": missed,
            "told": told,
        }
    )


def _cause(result: BulkResult) -> str:
    error = result.error
    assert error is not None  # noqa: S101 - only failures are asked for their cause
    if error.code == "needs_approval":
        return _("flagged")
    if error.code == "stale_revision":
        return _("changed meanwhile")
    if error.code == "invalid_transition":
        return _("decided already")
    if "contradicts" in error.fields:
        return _("in contradiction")
    if "duplicate_of" in error.fields:
        return _("said elsewhere")
    return _("gone")
