"""What every page needs around its content: navigation, counts, the seal, and how the person likes it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise

from pawflow_web.lib.registry import Registry
from pawflow_web.web.panels import GROUPS, Count, Panel, registry
from pawflow_web.web.time_travel import then_of
from pawflow_web.web.ways_back import WayBack, last

THEMES = {"light", "dark"}
BELONGS_TO = "_pawflow_panel"


@dataclass(frozen=True, slots=True)
class Seal:
    """The last check of the journal, as the foot of the navigation says it. ``command`` is what a person can run
    about it, written out to be copied."""

    title: str | Promise
    detail: str | Promise
    intact: bool = True
    url: str = ""
    command: str = ""


SealOf = Callable[[HttpRequest], Seal | None]


# Who knows about a record that is sealed, by its name; the foot of the navigation asks for the journal's.
seals: Registry[SealOf] = Registry("seal")
JOURNAL = "journal"


@dataclass(frozen=True, slots=True)
class Entry:
    """A panel as a link: where the person is now, and what is counted. ``counted``: there may be a number."""

    panel: Panel
    current: bool
    counted: bool
    count: Count | None


class Shell:
    """Worked out on first use, so that a fragment without navigation costs nothing."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self._counts: dict[str, Count | None] = {}

    @cached_property
    def signed_in(self) -> bool:
        user = getattr(self._request, "user", None)
        return user is not None and bool(user.is_authenticated)

    @cached_property
    def current(self) -> Panel | None:
        """The panel that the view says it belongs to, else the one that the path belongs to."""
        named = registry.find(getattr(self._request, BELONGS_TO, ""))
        return named or registry.at(self._request.path)

    @cached_property
    def groups(self) -> list[tuple[str | Promise, list[Entry]]]:
        """``(title, entries)`` of each group that holds anything."""
        groups = [
            (title, [self._entry(panel) for panel in registry.listed() if panel.group == group])
            for group, title in GROUPS.items()
        ]
        return [(title, entries) for title, entries in groups if entries]

    @property
    def counted(self) -> list[Entry]:
        """What has a number beside it."""
        return [self._entry(panel) for panel in registry.listed() if panel.count is not None]

    @cached_property
    def tabs(self) -> list[Entry]:
        """The short bar of narrow screens, without its last entry, which is always the menu."""
        return [self._entry(panel) for panel in registry.listed() if panel.tab]

    @cached_property
    def in_menu(self) -> bool:
        """Whether the short bar's last entry is where the person is."""
        return self.current is None or not self.current.tab

    @cached_property
    def seal(self) -> Seal | None:
        seal_of = seals.find(JOURNAL)
        return seal_of(self._request) if seal_of else None

    @property
    def way_back(self) -> WayBack | None:
        """How what the person did last is taken back; asked anew each time, as a decision changes it."""
        return last(self._request) if self.signed_in and hasattr(self._request, "session") else None

    @cached_property
    def theme(self) -> str:
        """``light`` or ``dark`` when the person chose one, else empty: the system decides."""
        theme = str(getattr(self._settings, "theme", ""))
        return theme if theme in THEMES else ""

    @cached_property
    def compact(self) -> bool:
        return getattr(self._settings, "density", "") == "compact"

    @cached_property
    def single_keys(self) -> bool:
        return bool(getattr(self._settings, "single_keys", True))

    def count(self, name: str) -> Count | None:
        """The count of one panel, asked once a request."""
        if name not in self._counts:
            panel = registry.find(name)
            # What is counted is counted now: beside another day it would be wrong.
            count_of = panel.count if panel and then_of(self._request) is None else None
            self._counts[name] = count_of(self._request) if count_of else None
        return self._counts[name]

    def _entry(self, panel: Panel) -> Entry:
        return Entry(
            panel=panel,
            current=panel is self.current,
            counted=panel.count is not None,
            count=self.count(panel.name),
        )

    @cached_property
    def _settings(self) -> Any:
        return getattr(self._request, "user_settings", None)


def belongs_to(request: HttpRequest, name: str) -> None:
    """Mark the panel ``name`` in the navigation of this page, whose path is no part of the panel's."""
    setattr(request, BELONGS_TO, name)


def shell(request: HttpRequest) -> dict[str, Shell]:
    """Context processor: ``shell`` in every template that is rendered with a request."""
    return {"shell": Shell(request)}
