"""Only what is built is listed, and nothing twice."""

import pytest

from pawflow_web.web.panels import Panel, PanelRegistry


def make(name: str, **changes: object) -> Panel:
    usual: dict[str, object] = {"title": name, "group": "", "icon": "home", "url": f"/{name}", "order": 10}
    return Panel(name=name, **{**usual, **changes})  # type: ignore[arg-type]


@pytest.fixture
def registry() -> PanelRegistry:
    filled = PanelRegistry("panel")
    for panel in (
        make("jobs", group="system"),
        make("memories", group="beliefs", order=20, key="m"),
        make("kg", group="beliefs", order=10),
        make("overview", url="/"),
    ):
        filled.add(panel.name, panel)
    return filled


def test_panels_come_by_group_and_order(registry: PanelRegistry) -> None:
    assert [panel.name for panel in registry.all()] == ["overview", "kg", "memories", "jobs"]


@pytest.mark.parametrize("clash", [{}, {"name": "other", "key": "m"}])
def test_a_name_or_key_is_taken_once(registry: PanelRegistry, clash: dict[str, str]) -> None:
    name = clash.pop("name", "memories")
    with pytest.raises(RuntimeError, match="memories"):
        registry.add(name, make(name, **clash))
    registry.add("wiki", make("wiki"))


def test_a_group_that_does_not_exist_is_refused(registry: PanelRegistry) -> None:
    with pytest.raises(RuntimeError, match="no group"):
        registry.add("wiki", make("wiki", group="elsewhere"))


def test_nothing_is_added_after_the_start(registry: PanelRegistry) -> None:
    registry.freeze()
    with pytest.raises(RuntimeError, match="after the start"):
        registry.add("wiki", make("wiki"))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "overview"),
        ("/memories", "memories"),
        ("/memories/context", "memories"),
        ("/memoriesx", None),
        ("/elsewhere", None),
    ],
)
def test_a_path_belongs_to_the_panel_that_begins_it(registry: PanelRegistry, path: str, name: str | None) -> None:
    panel = registry.at(path)
    assert (panel.name if panel else None) == name


def test_what_is_not_listed_is_no_place_of_the_navigation_and_is_found(registry: PanelRegistry) -> None:
    registry.add("journal", make("journal", url="/memories/journal", group="beliefs", order=30, listed=False))
    assert "journal" in [panel.name for panel in registry.all()]
    assert "journal" not in [panel.name for panel in registry.listed()]
    found = registry.at("/memories/journal")
    assert found is not None
    assert found.name == "memories"
