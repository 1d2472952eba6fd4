"""What the content security policy forbids is not in any template, and the style sheet stays small."""

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
    from review import words

    for table in (words.STATUS, words.READER, words.PRIVACY, words.ORIGIN, words.REASON):
        named |= {word.icon for word in table.values()}
    assert len(named) > 20
    assert named <= drawn


def test_the_style_sheet_stays_within_its_budget() -> None:
    assert (CHECKOUT / "static" / "css" / "app.css").stat().st_size <= 30 * 1024
