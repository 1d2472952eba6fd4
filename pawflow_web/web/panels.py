"""The registry of panels: what the navigation, the short bar, ``/menu`` and the drawer list, and what ``/find`` offers.

An app says in its ``panels.py`` which of its views are panels; only what is built is listed. The registry is
filled while Django starts and frozen after it. A panel is called like the route of its view, so that its URL stands in
one place.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from pawflow_web.lib.registry import Registry

Group = Literal["", "beliefs", "record", "desk", "projects", "system"]
Text = str | Promise
View = TypeVar("View", bound=Callable[..., HttpResponseBase])

GROUPS: dict[Group, Text] = {
    "": "",
    "beliefs": _("Beliefs"),
    "record": _("Record"),
    "desk": _("Desk"),
    "projects": _("Projects"),
    "system": _("System"),
}


@dataclass(frozen=True, slots=True)
class Count:
    """The number beside an entry. ``due`` marks what waits for the person; ``words`` says what is counted."""

    number: int
    words: Text = ""
    due: bool = False


CountOf = Callable[[HttpRequest], Count | None]


@dataclass(frozen=True, slots=True)
class Panel:
    """One entry: ``tab`` puts it into the short bar, ``key`` is the letter that follows ``g``; what is not ``listed``
    has no place in the navigation and is found by its name. ``url`` may be lazy: routes are not known yet while panels
    register."""

    name: str
    title: Text
    group: Group
    icon: str
    url: Text
    order: int
    count: CountOf | None = None
    tab: bool = False
    key: str = ""
    listed: bool = True
    view: Callable[..., Any] | None = field(default=None, compare=False)


class PanelRegistry(Registry[Panel]):
    """Panels by name, in the order of the navigation."""

    def refuse(self, name: str, entry: Panel) -> None:
        """A group that the navigation does not know, or the key of another panel."""
        if entry.group not in GROUPS:
            raise RuntimeError(f"the panel {name} names no group of the navigation: {entry.group!r}")
        for other in super().all():
            if entry.key and other.key == entry.key:
                raise RuntimeError(f"the panel {name} takes the key of {other.name}")

    def all(self) -> list[Panel]:
        """Every panel, by group and then by ``order``."""
        places = list(GROUPS)
        return sorted(super().all(), key=lambda panel: (places.index(panel.group), panel.order))

    def listed(self) -> list[Panel]:
        """Those of the navigation."""
        return [panel for panel in self.all() if panel.listed]

    def at(self, path: str) -> Panel | None:
        """The entry of the navigation that a path belongs to: the one with the longest URL that begins it."""
        urls = {str(panel.url): panel for panel in self.listed()}
        hits = [url for url in urls if path == url or (url != "/" and path.startswith(url.rstrip("/") + "/"))]
        return urls[max(hits, key=len)] if hits else None


registry = PanelRegistry("panel")


def panel(
    name: str,
    *,
    title: Text,
    group: Group,
    icon: str,
    order: int,
    count: CountOf | None = None,
    tab: bool = False,
    key: str = "",
    listed: bool = True,
) -> Callable[[View], View]:
    """Register the decorated view as the panel at the route called ``name``.

    ``count(request)`` gives the :class:`Count` beside the entry, or None; asked once a full page.
    """

    def register(view: View) -> View:
        registry.add(
            name,
            Panel(
                name=name,
                title=title,
                group=group,
                icon=icon,
                url=reverse_lazy(name),
                order=order,
                count=count,
                tab=tab,
                key=key,
                listed=listed,
                view=view,
            ),
        )
        return view

    return register
