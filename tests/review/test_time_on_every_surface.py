"""The two clocks, asked everywhere the same: recall over REST, with and without words, from the index and from the
tail; the list of beliefs; and the panel. Every precision of a question before, on and after every precision of a
bound.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from pawflow_web.identity.models import User, UserSettings
from pawflow_web.lib.db import execute
from review.models import Believed, GovernanceItem
from review.search.index import catch_up
from tests.factories import make_owner, make_person_token, make_token
from tests.review.moments import MATRIX
from tests.surfaces.conftest import Rest
from tests.web.people import browser_of

OLD, NEW = "The office is in Lisbon", "The office is in Porto"

Surface = Callable[[dict[str, Any]], set[str]]


class World:
    """An owner in a zone, asked through every surface at once."""

    def __init__(self, zone: str, *, indexed: bool = False) -> None:
        self.indexed = indexed
        self.user: User = make_owner("alice")
        UserSettings.objects.filter(user=self.user).update(time_zone=zone)
        self.agent = Rest(make_token(self.user))
        self._person = Rest(make_person_token(self.user))
        self._browser: Client = browser_of(self.user)
        self._surfaces: dict[str, Surface] = {
            "recall": lambda asked: self._recall(asked),
            "recall by words": lambda asked: self._recall({**asked, "query": "office"}),
            "items of an agent": lambda asked: self._items(self.agent, asked),
            "items of a person": lambda asked: self._items(self._person, asked),
            "items by words": lambda asked: self._items(self._person, {**asked, "q": "office"}),
            "panel": lambda asked: self._panel(asked),
            "panel by words": lambda asked: self._panel({**asked, "q": "office"}),
        }

    def tell(self, text: str, **more: Any) -> str:
        reply = self.agent.post("/tools/remember", {"text": text, "scope": "global", **more})
        assert (reply.status, reply.json["status"]) == (200, "active"), reply.body
        ref: str = reply.json["ref"]
        return ref

    def settle(self) -> None:
        """Let the index read what was told, where it is to answer."""
        while self.indexed and catch_up(self.user.pk):
            pass

    def ask(self, **asked: Any) -> set[str]:
        """What every surface answers; they must agree."""
        # Only words are looked for in the index.
        surfaces = {name: surface for name, surface in self._surfaces.items() if not self.indexed or "words" in name}
        answers = {name: surface(asked) for name, surface in surfaces.items()}
        assert len({frozenset(answer) for answer in answers.values()}) == 1, (asked, answers)
        return answers["recall by words"]

    def _recall(self, asked: dict[str, Any]) -> set[str]:
        reply = self.agent.post("/tools/recall", asked)
        assert reply.status == 200, reply.body
        return {item["text"] for item in reply.json["items"]}

    @staticmethod
    def _items(rest: Rest, asked: dict[str, Any]) -> set[str]:
        reply = rest.get(f"/items?{_query(asked)}")
        assert reply.status == 200, reply.body
        return {item["text"] for item in reply.json["items"]}

    def _panel(self, asked: dict[str, Any]) -> set[str]:
        answer = self._browser.get(f"/memories?{_query(asked)}")
        assert answer.status_code == 200
        shown = re.findall(r'class="item-link"[^>]*>(.*?)</a>', answer.content.decode(), re.DOTALL)
        return {re.sub(r"</?mark>", "", text) for text in shown}


def _query(asked: dict[str, Any]) -> str:
    return "&".join(f"{name}={quote(str(value))}" for name, value in asked.items())


@pytest.mark.django_db
@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize(("zone", "bound", "first", "questions"), MATRIX, ids=[f"{row[0]} {row[1]}" for row in MATRIX])
def test_before_the_bound_the_old_value_holds_and_from_it_on_only_the_new_one(
    zone: str, bound: Any, first: str, questions: list[tuple[Any, bool]], *, indexed: bool
) -> None:
    world = World(zone, indexed=indexed)
    old = world.tell(OLD, valid_from="2009")
    new = world.tell(NEW, valid_from=bound, supersedes=old)
    world.settle()
    stored = GovernanceItem.objects.get(ref=new).valid.lower
    assert stored == datetime.fromisoformat(first)
    assert GovernanceItem.objects.get(ref=old).valid.upper == stored

    for question, is_new in questions:
        assert world.ask(as_of=question) == {NEW if is_new else OLD}, question
    assert world.ask(as_of="2008-12-31") == set()


@pytest.mark.django_db
@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "Pacific/Kiritimati", "Pacific/Niue"])
def test_each_precision_of_known_at_before_on_and_after_what_was_learned(zone: str, *, indexed: bool) -> None:
    world = World(zone, indexed=indexed)
    old = world.tell(OLD, valid_from="2009")
    world.tell(NEW, valid_from="2020", supersedes=old)
    world.settle()
    told = GovernanceItem.objects.get(text=OLD).recorded_at
    changed = Believed.objects.get(item__text=NEW).known.lower
    tick = timedelta(microseconds=1)
    at = changed.astimezone(ZoneInfo(zone))
    day, before = at.date(), at.date() - timedelta(days=1)

    # From what was learned on, at every precision: the end of its period lies behind it.
    for known in (
        stamp(changed),
        stamp(changed + tick),
        day.isoformat(),
        (day + timedelta(days=1)).isoformat(),
        f"{day:%Y-%m}",
        f"{day:%Y}",
        round(changed.timestamp() + 1, 3),
        round((changed.timestamp() + 1) * 1000),
    ):
        assert world.ask(known_at=known) == {NEW}, known
        assert world.ask(known_at=known, as_of="2019") == {OLD}, known
        assert world.ask(known_at=known, as_of="2020") == {NEW}, known
    # Between the two the old value was believed for ever.
    for known in (stamp(changed - tick), stamp(told)):
        assert world.ask(known_at=known) == {OLD}
        assert world.ask(known_at=known, as_of="2020") == {OLD}
        assert world.ask(known_at=known, as_of="2008") == set()
    # And before the first one nothing was.
    for known in (
        stamp(told - tick),
        before.isoformat(),
        f"{day.year - 1}-12",
        f"{day.year - 1}",
        round(told.timestamp() - 1, 3),
    ):
        assert world.ask(known_at=known) == set(), known
        assert world.ask(known_at=known, as_of="2019") == set(), known


@pytest.mark.django_db
def test_w56_on_the_day_of_the_handover_only_the_new_employer(parties_world: World) -> None:
    old = parties_world.tell("Ada works at the office of Acme", valid_from="2019")
    parties_world.tell("Ada works at the office of Beta", valid_from="2019-05-01", supersedes=old)

    assert parties_world.ask(as_of="2019-04-30") == {"Ada works at the office of Acme"}
    assert parties_world.ask(as_of="2019-05-01") == {"Ada works at the office of Beta"}
    # A year and a day are both moments: 2019 ends after its first of May.
    assert parties_world.ask(as_of="2019") == {"Ada works at the office of Beta"}
    assert parties_world.ask(as_of="2018") == set()


@pytest.mark.django_db
@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_w57_what_was_believed_then_is_told_for_then_and_not_for_later(*, indexed: bool) -> None:
    """Four employers, each learned of later than the one before: what held when, as it was known when."""
    world = World("Europe/Berlin", indexed=indexed)
    names = ["Acme", "Beta", "Gamma", "Delta"]
    starts = ["2005", "2010-06", "2015-03-01", "2027"]
    knew: list[str] = []
    last = ""
    for name, start in zip(names, starts, strict=True):
        more = {"supersedes": last} if last else {}
        last = world.tell(f"Ada works at the office of {name}", valid_from=start, **more)
        knew.append(stamp(Believed.objects.latest("pk").known.lower))
    world.settle()
    whens = ["2009", "2014", "2026-11-30", "2028"]
    grid = [[world.ask(as_of=when, known_at=known) for when in whens] for known in knew]
    shown = [["".join(cell).rpartition(" ")[2] for cell in row] for row in grid]
    assert shown == [
        ["Acme", "Acme", "Acme", "Acme"],
        ["Acme", "Beta", "Beta", "Beta"],
        ["Acme", "Beta", "Gamma", "Gamma"],
        ["Acme", "Beta", "Gamma", "Delta"],
    ]
    assert [world.ask(as_of=when) for when in whens] == grid[-1]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["as_of", "known_at"])
@pytest.mark.parametrize("value", ["yesterday", "2026-02-30", "2026-03-29T10:00:00", "0000", "9999", "2026-3-1", "-5"])
def test_what_is_no_time_is_refused_everywhere_by_its_name(parties_world: World, name: str, value: str) -> None:
    parties_world.tell(OLD)
    for rest, path, body in (
        (parties_world.agent, "/tools/recall", {name: value}),
        (parties_world.agent, f"/items?{_query({name: value})}", None),
    ):
        reply = rest.send("POST" if body else "GET", path, body)
        assert (reply.status, list(reply.error["fields"])) == (422, [name]), reply.body
    assert browser_of(parties_world.user).get(f"/memories?{_query({name: value})}").status_code == 422


@pytest.mark.django_db
def test_what_expired_is_over_today_whatever_was_known(parties_world: World) -> None:
    """Permission, privacy, status and expiry are today's, so that an answer is the same before and after a sweep."""
    parties_world.tell(OLD, ttl_days=1)
    now = stamp(Believed.objects.get().known.lower)
    assert parties_world.ask(known_at=now) == {OLD}
    execute("UPDATE review_governanceitem SET expires_at = recorded_at + interval '1 microsecond'")
    assert parties_world.ask(known_at=now) == set()
    assert parties_world.ask(as_of=now) == set()


@pytest.fixture
def parties_world() -> World:
    return World("Europe/Berlin")


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
