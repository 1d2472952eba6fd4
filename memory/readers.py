"""The readers of notes, each asked the way an agent asks it."""

from memory.notes.find import check_duplicates, recall_notes
from pawflow_web.identity.principal import Principal
from review.lookalikes import find_lookalikes
from review.models import GovernanceItem
from review.readers import reader


@reader("recall", title="Recall by words", surfaces=("recall",))
def _in_recall(principal: Principal, item: GovernanceItem) -> bool:
    return _pages_hold(principal, item, item.text[:4000])


@reader("recall_list", title="Recall without a question", surfaces=("recall",))
def _in_recall_list(principal: Principal, item: GovernanceItem) -> bool:
    return _pages_hold(principal, item, None)


@reader("check_duplicate", title="Is this known?", surfaces=("check_duplicate",))
def _in_check_duplicate(principal: Principal, item: GovernanceItem) -> bool:
    found = check_duplicates(principal=principal, text=item.text, category=None)
    return any(row.pk == item.pk for row, _, _ in found)


@reader("similar", title="Lookalikes named by remember", surfaces=("remember",))
def _in_similar(principal: Principal, item: GovernanceItem) -> bool:
    found = find_lookalikes(principal, item.text, kind=item.kind)
    return any(row.pk == item.pk for row, _ in found.similar)


@reader("export", title="Export", surfaces=("GET /export",))
def _in_export(principal: Principal, item: GovernanceItem) -> bool:
    return GovernanceItem.objects.open_to(principal).filter(pk=item.pk).exists()


def _pages_hold(principal: Principal, item: GovernanceItem, query: str | None) -> bool:
    cursor = None
    while True:
        page = recall_notes(principal=principal, query=query, limit=100, cursor=cursor, sort="recent")
        if any(hit.item.pk == item.pk for hit in page.hits):
            return True
        if page.next is None:
            return False
        cursor = page.next
