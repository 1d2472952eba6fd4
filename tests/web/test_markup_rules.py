"""What the content security policy forbids is not in any template, and the style sheet stays small."""

import gzip
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
TEMPLATES = sorted((CHECKOUT / "templates").rglob("*.html"))
FORBIDDEN = {
    "inline style": r"""<style|\sstyle\s*=""",
    "inline script": r"""<script(?![^>]*\ssrc=)""",
    "event attribute": r"""\s(on[a-z]+|hx-on[:-]?[\w:-]*)\s*=""",
    "evaluated by htmx": r"""js:|javascript:|hx-trigger="[^"]*\[(?!type)""",
    "the browser's own confirmation": r"""hx-confirm""",
    "link to nowhere": r"""href="#"\s*""",
    "address written out": r"""(href|action|formaction|hx-get|hx-post)="/""",
}
EXAMPLES = {
    "inline style": '<p style="color:red">',
    "inline script": "<script>alert(1)</script>",
    "event attribute": '<a onclick="x()">',
    "evaluated by htmx": """<a hx-trigger="click[ctrlKey]">""",
    "the browser's own confirmation": '<a hx-confirm="Sure?">',
    "link to nowhere": '<a href="#">',
    "address written out": '<a href="/memories">',
}


@pytest.mark.parametrize("rule", FORBIDDEN)
def test_no_template_needs_what_the_policy_forbids(rule: str) -> None:
    pattern = re.compile(FORBIDDEN[rule])
    assert pattern.search(EXAMPLES[rule]), "the rule must be able to fail"
    assert TEMPLATES
    found = [path.name for path in TEMPLATES if pattern.search(path.read_text())]
    assert found == []


def test_a_line_of_a_template_can_be_read() -> None:
    assert {path.name for path in TEMPLATES for line in path.read_text().splitlines() if len(line) > 260} == set()


def test_every_icon_that_is_named_is_drawn() -> None:
    sprite = (CHECKOUT / "static" / "icons.svg").read_text()
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', sprite))
    named = {name for path in TEMPLATES for name in re.findall(r'{% icon "([\w-]+)" %}', path.read_text())}
    from review.display import labels

    for table in (labels.STATUS, labels.READER, labels.PRIVACY, labels.ORIGIN, labels.REASON):
        named |= {word.icon for word in table.values()}
    assert len(named) > 20
    assert named <= drawn


def test_the_style_sheet_stays_within_its_budget() -> None:
    sheet = (CHECKOUT / "static" / "css" / "app.css").read_bytes()
    # What a browser loads is a quarter of it; the rest is for whoever reads the file.
    assert len(sheet) <= 40 * 1024
    assert len(gzip.compress(sheet)) <= 10 * 1024


def test_every_component_is_used_by_the_product() -> None:
    used = {
        name
        for app in ("templates", "pawflow_web", "review", "memory", "conversations")
        for path in (CHECKOUT / app).rglob("*")
        if path.suffix in {".html", ".py"} and path.name != "styleguide.html"
        for name in re.findall(r'"components/(\w+\.html)', path.read_text())
    }
    there = {path.name for path in (CHECKOUT / "templates" / "components").glob("*.html")}
    assert there
    assert there - used == set()


def test_every_token_and_every_icon_is_used() -> None:
    # admin.css gives values to what Django's own sheets use
    css = (CHECKOUT / "static" / "css" / "app.css").read_text()
    tokens = set(re.findall(r"(?<![\w(])--[\w-]+(?=:)", css))
    assert len(tokens) > 40
    assert {token for token in tokens if not re.search(rf"var\({token}[,)]", css)} == set()
    sprite = (CHECKOUT / "static" / "icons.svg").read_text()
    sources = "".join(
        path.read_text()
        for app in ("templates", "pawflow_web", "review", "memory", "conversations")
        for path in (CHECKOUT / app).rglob("*")
        if path.suffix in {".html", ".py"} and "styleguide" not in path.name
    )
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', sprite))
    assert {icon for icon in drawn if not re.search(rf"""["'#]{icon}["']""", sources)} == set()
