"""What the foot of the navigation says about the journal."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pawflow_web.identity.person import is_signed_in, person_of
from pawflow_web.web.context import Seal
from pawflow_web.web.per_request import per_request
from pawflow_web.web.templatetags.pawflow import thousands
from review.journal import snapshots
from review.models import JournalEntry

# Replaying the whole chain is a command; a page looks at its end, where something would have been cut off.
CHECKED_ENTRIES = 50


def seal_of(request: HttpRequest) -> Seal | None:
    """How many entries there are, and whether the last ones still seal each other up to the head of the chain."""
    return per_request(request, "review.pages.records.seal", lambda: _seal(request)) if is_signed_in(request) else None


def _seal(request: HttpRequest) -> Seal:
    entries = last_entries(person_of(request).user_id)
    if not entries:
        return Seal(_("Journal"), _("no entry yet"))
    number = entries[0].clock_seq
    written = ngettext("%(count)s entry", "%(count)s entries", number) % {"count": thousands(number)}
    broken = first_broken(entries)
    if broken is not None:
        found = _("Journal broken at entry %(seq)s") % {"seq": thousands(broken)}
        command = f".venv/bin/python manage.py verify_journal --owner {person_of(request).user_name}"
        detail = _("%(entries)s. This shows all that does not fit:") % {"entries": written}
        return Seal(found, detail, intact=False, url=reverse("journal"), command=command)
    checked = _("the last %(count)d checked just now") % {"count": len(entries)}
    if len(entries) == number:
        checked = _("checked just now")
    return Seal(_("Journal intact, %(entries)s") % {"entries": written}, checked, url=reverse("journal"))


def last_entries(user_id: int) -> list[Any]:
    """Journal entries, the newest first, each with the owner's ``clock_seq`` and ``clock_head`` of the same moment."""
    rows = JournalEntry.objects.filter(user_id=user_id).order_by("-seq")
    return list(rows.annotate(clock_seq=F("user__clock__seq"), clock_head=F("user__clock__head"))[:CHECKED_ENTRIES])


def first_broken(entries: Sequence[Any]) -> int | None:
    """The number of an entry that does not fit, the newest first; None when all do and the last one is the head
    of the chain."""
    expected_seq, expected_hash = entries[0].clock_seq, entries[0].clock_head
    for entry in entries:
        if entry.seq != expected_seq or entry.hash != expected_hash or entry.hash != snapshots.seal_of(entry):
            return int(expected_seq)
        expected_seq, expected_hash = entry.seq - 1, entry.prev
    return None if expected_seq == 0 or len(entries) == CHECKED_ENTRIES else int(expected_seq)
