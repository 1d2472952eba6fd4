"""Proving one belief from the journal: its entries against their seals, their payloads and the row as it is."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

from django.utils.translation import gettext as _

from pawflow_web.lib.errors import NotFound
from pawflow_web.web.templatetags.pawflow import thousands
from review.journal.chain import one_moment, row_differences, with_relations
from review.journal.snapshots import payload_digest, seal_of
from review.models import ERASING, EventKind, GovernanceItem, JournalEntry


@dataclass(frozen=True, slots=True)
class Proof:
    """``broken`` names the first thing that does not fit, in a sentence; empty when everything does."""

    entries: int
    milliseconds: int
    broken: str = ""


def prove(item: GovernanceItem) -> Proof:
    """Replay the entries of one belief as it is now. The chain between them is the whole journal's to prove.

    Raises :class:`NotFound` for one that was erased meanwhile.
    """
    begun = perf_counter()
    with one_moment():
        now = with_relations().filter(pk=item.pk).first()
        if now is None:
            raise NotFound(f"#{item.ref} was erased at the same moment.")
        entries = list(JournalEntry.objects.filter(item_id=item.pk).select_related("payload").order_by("seq"))
        broken = next(_faults(now, entries), "")
    return Proof(len(entries), round((perf_counter() - begun) * 1000), broken)


def _faults(item: GovernanceItem, entries: list[JournalEntry]) -> Iterator[str]:
    if not entries:
        yield _("No entry of the journal tells of it.")
        return
    seals = _seals_before(item.user_id, entries)
    erased = max((entry.seq for entry in entries if entry.event in ERASING), default=0)
    for entry in entries:
        named = {"seq": thousands(entry.seq)}
        if seals.get(entry.seq - 1, entry.prev) != entry.prev or seal_of(entry) != entry.hash:
            yield _("Entry %(seq)s does not bear its seal.") % named
        payload = getattr(entry, "payload", None)
        if payload is None:
            if entry.seq >= erased and entry.event != EventKind.PURGE:
                yield _("What entry %(seq)s told is missing.") % named
        elif payload_digest(payload.salt, payload.body, payload.note) != entry.payload_digest:
            yield _("What entry %(seq)s tells was changed.") % named
    last = getattr(entries[-1], "payload", None)
    if last is not None and row_differences(item, json.loads(last.body)):
        yield _("The belief differs from what entry %(seq)s says.") % {"seq": thousands(entries[-1].seq)}


def _seals_before(user_id: int, entries: list[JournalEntry]) -> dict[int, str]:
    """The seals of the entries just before these, of whichever belief they tell."""
    before = [entry.seq - 1 for entry in entries]
    rows = JournalEntry.objects.filter(user_id=user_id, seq__in=before)
    return dict(rows.values_list("seq", "hash"))
