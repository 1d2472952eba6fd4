"""Which tool for what: the routes among which an agent chooses, told once at the beginning of its prompt.

Each app registers the routes of its tools beside them. A route that an agent has no tool of is not told, and a family
in which nothing is left to choose is left out.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pawflow_web.lib.blocks import Content, Group, Line
from pawflow_web.lib.registry import Registry
from pawflow_web.lib.tool_catalog import available

TITLE = "Tool selection"
INTRO = "Choose the narrowest that fits; get_tool_schema says what a tool takes."
# In this order; a family is a choice that an agent meets as one.
FAMILIES = {"work": "Work", "cognition": "Memory and knowledge"}
# So many tools of a route are named; of more the first stands for them.
_NAMED_MOST = 3


@dataclass(frozen=True, slots=True)
class Route:
    """One way to go: its ``tools``, what they are for, and what they are not for."""

    family: str
    label: str
    tools: tuple[str, ...]
    use_when: str
    not_for: str
    order: int


class Routes(Registry[Route]):
    def refuse(self, name: str, entry: Route) -> None:
        if entry.family not in FAMILIES:
            raise RuntimeError(f"the route {name} is of no known family")


routes: Routes = Routes("route")


def route(label: str, *, family: str, tools: tuple[str, ...], use_when: str, not_for: str, order: int) -> None:
    """Register a route. ``order``: where it stands in its family."""
    routes.add(label, Route(family, label, tools, use_when, not_for, order))


def selection(abilities: Collection[str]) -> Content | None:
    """The routes that a holder of these abilities has, by family; None where there is nothing to choose among."""
    groups = tuple(_groups({tool.name for tool in available(abilities)}))
    return Content((Group("", (Line(INTRO),)), *groups), stored=False) if groups else None


def _groups(names: Collection[str]) -> Iterator[Group]:
    for family, title in FAMILIES.items():
        of_it = sorted((route for route in routes.all() if route.family == family), key=lambda route: route.order)
        lines = [line for route in of_it if (line := _line(route, names)) is not None]
        if len(lines) > 1:
            yield Group(f"**{title}**", tuple(lines))


def _line(route: Route, names: Collection[str]) -> Line | None:
    tools = [name for name in route.tools if name in names]
    if not tools:
        return None
    if len(tools) > _NAMED_MOST:
        selector = f"{route.label} (`{tools[0]}` and related tools)"
    else:
        selector = " / ".join(f"`{name}`" for name in tools)
    return Line(f"- {selector}: {route.use_when} Not for {route.not_for}")
