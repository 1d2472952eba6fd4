"""The words a chat shows for the tools of the knowledge graph."""

from collections.abc import Sequence

from graph.facts.adding import Added
from graph.facts.communities import FACTS_MOST, Communities
from graph.facts.ending import Invalidated
from graph.facts.hubs import Hub
from graph.facts.numbers import Numbers
from graph.facts.parts import label_of
from graph.facts.paths import Way
from graph.facts.shape import TripleOut
from graph.facts.walking import Trail
from review.display.labels import why
from review.models import GovernanceItem


def line(fact: TripleOut) -> str:
    """``- Lotta -> lives_in -> Lisbon ✓ [from 2025-06]``"""
    held = "✓" if fact.current else f"✗ ({_over(fact)})"
    since = f" [from {fact.valid_from}]" if fact.valid_from else ""
    return f"- {fact.subject} -> {fact.predicate} -> {fact.object} {held}{since}"


def _over(fact: TripleOut) -> str:
    return f"ended {fact.valid_to}" if fact.valid_to else "not yet"


def added(done: Added, fact: TripleOut, others: Sequence[TripleOut]) -> str:
    said = f"{fact.subject} -> {fact.predicate} -> {fact.object}"
    admission = done.admission
    if admission.outcome == "duplicate":
        head = f"duplicate: {said} (id: {fact.ref})"
    elif admission.status == "active":
        head = f"added: {said} (id: {fact.ref})"
    else:
        head = f"kept for a person to look at: {said} (id: {fact.ref}): {why(admission.reason)}."
    lines = [head]
    if admission.superseded:
        lines.append(f"It takes the place of #{admission.superseded[0].ref}.")
    elif others:
        lines.append(f"Contradicts active values: {', '.join(other.object for other in others)}")
    return "\n".join(lines)


def about(name: str, found: Sequence[TripleOut], suggestions: Sequence[str], *, more: bool) -> str:
    if not found:
        hint = f" Perhaps you mean {', '.join(suggestions)}." if suggestions else ""
        return f"No facts about {name}.{hint}"
    head = f"Facts about {name} ({len(found)}{', and more' if more else ''}):"
    return "\n".join([head, *map(line, found)])


def invalidated(done: Invalidated, near: Sequence[TripleOut]) -> str:
    if done.ended:
        return f"Invalidated {len(done.ended)} triple(s): {_refs(done.ended)}"
    if done.asked:
        return f"{_refs(done.asked)} stays until a person decides; the request is pending."
    others = [f"{fact.subject} -> {fact.predicate} -> {fact.object}" for fact in near]
    return "No fact in use says that." + (f" Near to it: {'; '.join(others)}" if others else "")


def timeline(found: Sequence[TripleOut], *, more: bool) -> str:
    if not found:
        return "No facts yet."
    rows = [
        f"- [{fact.valid_from or '?'}] {fact.subject} -> {fact.predicate} -> {fact.object} "
        f"({'✓' if fact.current else f'✗ {_over(fact)}'})"
        for fact in found
    ]
    return "\n".join([f"Timeline ({len(found)} entries{', and more' if more else ''}):", *rows])


def numbers(found: Numbers) -> str:
    words = ", ".join(use.predicate for use in found.predicates) or "none"
    return (
        f"- entities: {found.entities}\n"
        f"- triples: {found.triples} ({found.current} current, {found.expired} expired)\n"
        f"- relationship types: {words}"
    )


def _refs(items: Sequence[GovernanceItem]) -> str:
    return ", ".join(f"#{item.ref}" for item in items)


def walked(trail: Trail) -> str:
    if not trail.seeds:
        return "The knowledge graph knows nothing that the question names."
    names = ", ".join(name for name, _ in trail.seeds)
    if not trail.edges:
        return f"No connections found from {names}."
    more = "" if trail.complete else ", and more"
    rows = (f"  [{label_of(fact.score)}] {fact.subject} → {fact.predicate} → {fact.object}" for fact, _ in trail.edges)
    return "\n".join([f"Found {len(trail.edges)} connections from {names}{more}:", *rows])


def way(start: str, end: str, found: Way, path: Sequence[TripleOut]) -> str:
    if not found.found:
        gave_up = "" if found.complete else " The search gave up: too many entities lie near to them."
        return f"No way found from {start} to {end}.{gave_up}"
    if not path:
        return f"{start} and {end} are the same entity."
    return "\n".join(
        [
            f"From {start} to {end} in {len(path)} steps:",
            *(f"  {fact.subject} → {fact.predicate} → {fact.object}" for fact in path),
        ]
    )


def hubs(found: Sequence[Hub]) -> str:
    if not found:
        return "No entities yet."
    rows = (f"  {hub.entity} ({hub.connections} connections)" for hub in found)
    return "\n".join(["Most connected entities:", *rows])


def communities(found: Communities) -> str:
    if not found.found:
        return "No communities yet."
    rows = (f"  {group.label} ({group.size} entities): {', '.join(group.members)}" for group in found.found)
    note = () if found.complete else (f"Only {FACTS_MOST:,} facts between the most connected entities were looked at.",)
    return "\n".join(["Communities:", *rows, *note])
