"""The readers of notes, each asked the way an agent asks it."""

from memory.context import build_context
from memory.context.digest import digest
from memory.context.relevant import relevant
from memory.context.scoped import scoped_view
from memory.notes.find import check_duplicates, list_notes, recall_notes, search_notes
from memory.notes.meaning import within_reach
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import Ask, Content
from review.gate.lookalikes import find_lookalikes
from review.models import GovernanceItem, KindName
from review.plaintext import words_of
from review.readers import reader

NOTES = (KindName.NOTE.value,)


@reader("recall", title="Recall by words", surfaces=("recall",), kinds=NOTES)
def _in_recall(principal: Principal, item: GovernanceItem) -> bool:
    return _pages_hold(principal, item, words_of(item)[:4000])


@reader("semantic_recall", title="Recall by meaning", surfaces=("semantic_recall",), kinds=NOTES)
def _in_semantic_recall(principal: Principal, item: GovernanceItem) -> bool:
    return within_reach(principal, item)


@reader("recall_list", title="Recall without a question", surfaces=("recall",), kinds=NOTES)
def _in_recall_list(principal: Principal, item: GovernanceItem) -> bool:
    return _pages_hold(principal, item, None)


@reader("check_duplicate", title="Is this known?", surfaces=("check_duplicate",), kinds=NOTES)
def _in_check_duplicate(principal: Principal, item: GovernanceItem) -> bool:
    found = check_duplicates(principal=principal, text=words_of(item), category=None)
    return any(row.pk == item.pk for row, _, _ in found)


@reader("similar", title="Lookalikes named by remember", surfaces=("remember",), kinds=NOTES)
def _in_similar(principal: Principal, item: GovernanceItem) -> bool:
    found = find_lookalikes(principal, words_of(item), kind=item.kind)
    return any(row.pk == item.pk for row, _ in found.similar)


@reader("export", title="Export", surfaces=("GET /export",), whole=True)
def _in_export(principal: Principal, item: GovernanceItem) -> bool:
    return GovernanceItem.objects.open_to(principal).filter(pk=item.pk).exists()


@reader("export_markdown", title="Export as Markdown", surfaces=("GET /export",), whole=True)
def _in_export_markdown(principal: Principal, item: GovernanceItem) -> bool:
    return GovernanceItem.objects.open_to(principal).filter(pk=item.pk).exists()


@reader("export_mcp", title="Export for other programs", surfaces=("GET /export",))
def _in_export_mcp(principal: Principal, item: GovernanceItem) -> bool:
    return GovernanceItem.objects.recallable(principal).filter(pk=item.pk).exists()


@reader("search_memory", title="Search of the memory", surfaces=("search_memory",), kinds=NOTES)
def _in_search_memory(principal: Principal, item: GovernanceItem) -> bool:
    page = search_notes(principal=principal, query=words_of(item)[:4000], limit=1, only=item.pk)
    return any(hit.item.pk == item.pk for hit in page.hits)


@reader("list_memory", title="List of the memory", surfaces=("list_memory",), kinds=NOTES)
def _in_list_memory(principal: Principal, item: GovernanceItem) -> bool:
    page = list_notes(principal=principal, limit=1, only=item.pk)
    return any(hit.item.pk == item.pk for hit in page.hits)


@reader("digest", title="The digest of every turn", surfaces=("GET /context",), kinds=NOTES)
def _in_digest(principal: Principal, item: GovernanceItem) -> bool:
    return _holds(digest(Ask(principal)), item)


@reader("relevant", title="Memories relevant to a turn", surfaces=("GET /context",), kinds=NOTES)
def _in_relevant(principal: Principal, item: GovernanceItem) -> bool:
    return _holds(relevant(Ask(principal, query=words_of(item)[:4000])), item)


@reader("context", title="The context of a turn", surfaces=("GET /context",))
def _in_context(principal: Principal, item: GovernanceItem) -> bool:
    found = build_context(principal, query=words_of(item)[:4000], patient=True)
    return any(line.item == item.pk for line in found.lines())


@reader("memory_md", title="MEMORY.md", surfaces=("GET /memory.md",), kinds=NOTES)
def _in_memory_md(principal: Principal, item: GovernanceItem) -> bool:
    return item.pk in scoped_view(Ask(principal, query=words_of(item)[:4000])).items


def _holds(content: Content | None, item: GovernanceItem) -> bool:
    return content is not None and any(line.item == item.pk for line in content.lines())


def _pages_hold(principal: Principal, item: GovernanceItem, query: str | None) -> bool:
    page = recall_notes(principal=principal, query=query, limit=1, sort="recent", only=item.pk)
    return any(hit.item.pk == item.pk for hit in page.hits)
