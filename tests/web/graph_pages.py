"""What the tests read out of the pages of the knowledge graph."""

import re

from graph.models import Entity


def page_of(name: str) -> str:
    """The address of an entity by its name."""
    return f"/kg/{Entity.objects.get(name=name).ref}"


def facts_of(page: str) -> list[str]:
    """The facts of a list, each as its three parts."""
    rows = re.findall(r'<tr class="is-.*?</tr>', page, re.DOTALL)
    cells = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)[:3] for row in rows]
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).strip() for cell in row) for row in cells]


def nodes(page: str) -> list[str]:
    """The names of the nodes that are drawn, the middle first."""
    return re.findall(r"<title>([^<]+)</title>", page[page.index('<svg class="graph"') :])
