"""Imports of one file fold in the queue: one row stands for all, nothing is lost or doubled, what presses shows."""

import random
import re
from dataclasses import dataclass, field

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.models import User
from review.gate import admit
from review.gate.proposals import Place, Proposal, Source
from review.lifecycle import accept
from review.models import GovernanceItem
from tests.factories import make_owner, make_person
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose
from tests.web.people import browser_of, htmx, text_of

FILES = ("memory.jsonl", "CLAUDE.md", "notes/ops & more.md")


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


@pytest.fixture
def browser(lotta: User) -> Client:
    return browser_of(lotta)


@dataclass
class Walked:
    """The rows of all pages in order, and under which of them how many more of which file are counted."""

    rows: list[str] = field(default_factory=list)
    groups: dict[str, tuple[int, str]] = field(default_factory=dict)


def walk(browser: Client, path: str = "/review") -> Walked:
    """Every page of the list, as [Load more] brings them."""
    found = Walked()
    page = browser.get(path).content.decode()
    while True:
        for line in re.findall(r"<li class=\"(?:item|group).*?</li>", page, re.DOTALL):
            if row := re.match(r'<li class="item[^>]*data-ref="(\w+)"', line):
                found.rows.append(row[1])
            else:
                number, file = re.findall(r"… ([\d,]+) more from (.+)", line)[0]
                assert found.rows[-1] not in found.groups
                found.groups[found.rows[-1]] = (int(number.replace(",", "")), file.replace("&amp;", "&").strip())
        more = re.search(r'<li class="more-rows".*?hx-get="([^"]+)"', page, re.DOTALL)
        if more is None:
            return found
        page = browser.get(more[1].replace("&amp;", "&"), headers=htmx("review-more")).content.decode()


def first_file(item: GovernanceItem) -> str:
    row = item.evidence.filter(origin="importer").exclude(file="").order_by("pk").first()
    return row.file if row else ""


def plain(item: GovernanceItem) -> bool:
    return item.reason == "import_review" and item.contradicts_id is None and not item.flags


def fill_at_random(user: User, seed: int) -> None:
    """Files whose lines are mixed with each other, words that several of them say, and what presses in between."""
    chance = random.Random(seed)
    for n in range(40):
        kind = chance.choice(["file"] * 6 + ["again", "bot", "flagged", "rival", "nameless", "answered"])
        if kind == "file":
            bring_file(user, [f"Service {n} is up."], chance.choice(FILES))
        elif kind == "again":
            bring_file(user, [f"Service {chance.randrange(n + 1)} is up."], chance.choice(FILES))
        elif kind == "bot":
            propose(user, f"The canary {n} is green.")
        elif kind == "flagged":
            bring_file(user, [f"{HOSTILE} {n}"], chance.choice(FILES))
        elif kind == "rival":
            contradict(user, f"Host {n} is in Dublin.", f"Host {n} is in Frankfurt.")
        elif kind == "nameless":
            bare = Proposal(
                "note", f"Nobody knows where line {n} is from.", Place("global"), facet={}, source=Source("import:")
            )
            list(admit([bare], make_person(user), origin="importer"))
        elif waiting := list(GovernanceItem.objects.waiting().filter(reason="import_review").order_by("number")):
            accept(principal=make_person(user), reference=chance.choice(waiting).ref)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("path", ["/review", "/review?reason=import_review"])
def test_every_waiting_belief_is_shown_or_counted_once(
    lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch, seed: int, path: str
) -> None:
    monkeypatch.setattr("review.queue.waiting.ROWS", 4)
    fill_at_random(lotta, seed)
    waiting = {item.ref: item for item in GovernanceItem.objects.waiting().order_by("number")}
    if path != "/review":
        waiting = {
            ref: item for ref, item in waiting.items() if item.reason == "import_review" and not item.contradicts_id
        }
    found = walk(browser, path)

    assert len(set(found.rows)) == len(found.rows)
    hidden = waiting.keys() - set(found.rows)
    assert set(found.rows) == waiting.keys() - hidden
    assert all(plain(waiting[ref]) and first_file(waiting[ref]) for ref in hidden)
    by_file: dict[str, list[str]] = {}
    for ref, item in waiting.items():
        if plain(item) and first_file(item):
            by_file.setdefault(first_file(item), []).append(ref)
    assert found.groups == {refs[0]: (len(refs) - 1, file) for file, refs in by_file.items() if len(refs) > 1}
    assert sum(number for number, _file in found.groups.values()) == len(hidden) > 0


def test_next_and_back_walk_the_rows_that_are_shown(lotta: User, browser: Client) -> None:
    fill_at_random(lotta, 3)
    rows = walk(browser).rows
    numbers = {item.number: item.ref for item in GovernanceItem.objects.waiting()}
    for step, expected in (("next", rows), ("back", rows[::-1])):
        walked = [expected[0]]
        while link := re.search(
            rf'id="review-{step}"[^>]*item=(\d+)"',
            browser.get(f"/review?item={walked[-1]}", headers=htmx("review-item")).content.decode(),
        ):
            walked.append(numbers[int(link[1])])
        assert walked == expected


def test_a_decision_brings_the_next_of_the_file_to_the_top(lotta: User, browser: Client) -> None:
    items = bring_file(lotta, [f"Service {n} is up." for n in range(9)])
    answer = browser.post(f"/review/{items[0].ref}/accept", {"revision": 1}, headers=htmx("review-item"))
    page = answer.content.decode()
    assert "Item 1 of 8" in page
    assert re.findall(r'<li class="item[^>]*data-ref="(\w+)"', page) == [items[1].ref]
    assert "… 7 more from memory.jsonl" in text_of(answer)
    assert "Accept these 8" in text_of(answer)


def test_accept_these_takes_those_that_were_counted(lotta: User, browser: Client) -> None:
    shared, *_ = bring_file(lotta, ["Both files say this.", *(f"Service {n} is up." for n in range(3))])
    bring_file(lotta, ["Both files say this.", HOSTILE, *(f"Host {n} is up." for n in range(4))], "CLAUDE.md")
    page = browser.get("/review").content.decode()
    assert walk(browser).groups.values() != []
    upto = re.search(r'name="file" value="CLAUDE.md">\s*<input type="hidden" name="upto" value="(\d+)"', page)
    assert upto is not None
    bring_file(lotta, ["This came later."], "CLAUDE.md")
    told = browser.post("/review/file", {"file": "CLAUDE.md", "upto": upto[1]}, follow=True)
    assert "4 accepted." in text_of(told)
    left = set(GovernanceItem.objects.waiting().values_list("text", flat=True))
    assert left == {shared.text, *(f"Service {n} is up." for n in range(3)), HOSTILE, "This came later."}


def test_look_shows_all_of_the_file_flat(lotta: User, browser: Client) -> None:
    items = bring_file(lotta, [*(f"Service {n} is up." for n in range(5)), HOSTILE], FILES[2])
    propose(lotta, "The canary is green.")
    page = browser.get("/review").content.decode()
    look = re.search(r'<a class="btn plain" href="([^"]+)">Look', page)
    assert look is not None
    found = walk(browser, look[1].replace("&amp;", "&"))
    assert sorted(found.rows) == sorted(item.ref for item in items)
    assert found.groups == {}


def test_an_empty_name_of_a_file_accepts_nothing(lotta: User, browser: Client) -> None:
    bring_file(lotta, ["Service 1 is up.", "Service 2 is up."])
    assert browser.post("/review/file", {"file": ""}).status_code == 409
    assert GovernanceItem.objects.waiting().count() == 2
    assert browser.post("/review/file", {"file": "memory.jsonl"}).status_code == 302
    assert GovernanceItem.objects.waiting().count() == 0


def test_another_owners_files_are_not_counted(lotta: User, browser: Client) -> None:
    bring_file(make_owner("bo"), [f"Service {n} is up." for n in range(5)])
    bring_file(lotta, [f"Service {n} is up." for n in range(3)])
    assert [number for number, _file in walk(browser).groups.values()] == [2]


def test_more_files_and_more_of_each_cost_no_more_queries(db: None) -> None:
    few, many = make_owner("few"), make_owner("many")
    bring_file(few, ["Service 1 is up.", "Service 2 is up."])
    for n in range(30):
        bring_file(many, [f"Service {n} is up.", f"Host {n} is up.", f"Port {n} is open."], f"{n}.md")
    counts = []
    for person in (few, many):
        browser = browser_of(person)
        with CaptureQueriesContext(connection) as asked:
            browser.get("/review")
        counts.append(len(asked))
        folds = [query["sql"] for query in asked if "said" in query["sql"]]
        assert len(folds) == 1
    assert counts[0] == counts[1]


def test_on_another_day_nothing_is_accepted(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {number} is up." for number in range(30)])
    assert "Accept these 30" in text_of(browser.get("/review"))
    past = text_of(browser.get("/review?known_at=2026-11-29"))
    assert "Nothing can be changed from here" in past
    assert "Accept these" not in past
