"""What the graph is made of: its best connected entities, and the groups that they form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph.facts.communities import communities
from graph.facts.hubs import hubs
from graph.facts.parts import normal
from graph.models import EntityName
from graph.pages.rows import End, entity_url
from pawflow_web.identity.principal import Principal

_HUBS_MOST = 10
_GROUPS_MOST = 6
_MEMBERS_MOST = 8


@dataclass(frozen=True, slots=True)
class Hub:
    """An entity, and at how many ends of facts it stands."""

    end: End
    connections: int


@dataclass(frozen=True, slots=True)
class Group:
    """A community: the one in its middle, others of it, and how many there are beside these."""

    central: End
    others: Sequence[End]
    size: int

    @property
    def more(self) -> int:
        return self.size - 1 - len(self.others)


@dataclass(frozen=True, slots=True)
class Connected:
    """``complete`` is false where the graph was too large to look at all of it."""

    hubs: Sequence[Hub]
    groups: Sequence[Group]
    complete: bool


def connected_of(person: Principal) -> Connected:
    """Both, over the facts that hold now."""
    best = hubs(principal=person, limit=_HUBS_MOST)
    found = communities(principal=person, limit=_GROUPS_MOST)
    members = [name for group in found.found for name in group.members[:_MEMBERS_MOST]]
    ends = _ends(person, [*(hub.entity for hub in best), *members])
    return Connected(
        [Hub(ends[hub.entity], hub.connections) for hub in best if hub.entity in ends],
        [
            Group(
                ends[group.central], [ends[name] for name in group.members[1:_MEMBERS_MOST] if name in ends], group.size
            )
            for group in found.found
            if group.central in ends
        ],
        found.complete,
    )


def _ends(person: Principal, names: Sequence[str]) -> Mapping[str, End]:
    """Each name with the page of its entity."""
    rows = EntityName.objects.filter(user_id=person.user_id, normal__in={normal(name) for name in names})
    refs = dict(rows.values_list("normal", "entity__ref"))
    return {name: End(name, entity_url(refs[normal(name)])) for name in names if normal(name) in refs}
