"""The registry of panels: what the navigation, the short bar, ``/menu`` and the drawer list.

An app says in its ``panels.py`` which of its views are panels; only what is built is listed. The registry is
filled while Django starts and frozen after it; a second panel of the same name or URL refuses to start.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
    """One entry: ``tab`` puts it into the short bar, ``key`` is the letter that follows ``g``."""

    name: str
    title: Text
    group: Group
    icon: str
    url: str
    order: int
    count: CountOf | None = None
    tab: bool = False
    key: str = ""
    view: Callable[..., Any] | None = field(default=None, compare=False)


class PanelRegistry:
    """Panels by name, in the order of the navigation."""

    def __init__(self) -> None:
        self._panels: dict[str, Panel] = {}
        self._frozen = False

    def add(self, panel: Panel) -> None:
        """Raises :class:`ImproperlyConfigured` for a name, URL or key that is taken, and after the start."""
        if self._frozen:
            raise ImproperlyConfigured(f"Panel {panel.name} comes too late: panels are registered at start.")
        if panel.group not in GROUPS:
            raise ImproperlyConfigured(f"Panel {panel.name} names no group of the navigation: {panel.group!r}.")
        for other in self._panels.values():
            if other.name == panel.name or other.url == panel.url or (panel.key and other.key == panel.key):
                raise ImproperlyConfigured(f"Panel {panel.name} takes the name, URL or key of {other.name}.")
        self._panels[panel.name] = panel

    def freeze(self) -> None:
        self._frozen = True

    def get(self, name: str) -> Panel | None:
        return self._panels.get(name)

    def all(self) -> list[Panel]:
        """Every panel, by group and then by ``order``."""
        places = list(GROUPS)
        return sorted(self._panels.values(), key=lambda panel: (places.index(panel.group), panel.order))

    def at(self, path: str) -> Panel | None:
        """The panel that a path belongs to: the one with the longest URL that begins it."""
        hits = [
            panel
            for panel in self._panels.values()
            if path == panel.url or (panel.url != "/" and path.startswith(panel.url.rstrip("/") + "/"))
        ]
        return max(hits, key=lambda panel: len(panel.url), default=None)


registry = PanelRegistry()


def panel(
    name: str,
    *,
    title: Text,
    group: Group,
    icon: str,
    url: str,
    order: int,
    count: CountOf | None = None,
    tab: bool = False,
    key: str = "",
) -> Callable[[View], View]:
    """Register the decorated view as a panel.

    ``count(request)`` gives the :class:`Count` beside the entry, or None; asked once a full page.
    """

    def register(view: View) -> View:
        registry.add(
            Panel(
                name=name,
                title=title,
                group=group,
                icon=icon,
                url=url,
                order=order,
                count=count,
                tab=tab,
                key=key,
                view=view,
            )
        )
        return view

    return register
