"""What happened, in lines: a decision is one, and so is much of the same."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pawflow_web.identity.models import User
from pawflow_web.lib.errors import Tombstoned
from review.display.news import LINES, news_of
from review.lifecycle import accept, correct, decide_many, forget, reject, restore, undo
from review.models import GovernanceItem, JournalEntry
from tests.factories import AUTOMATION, make_owner, make_person, make_principal
from tests.web.beliefs import bring_file, contradict, propose, remember


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


def told(user: User, **asked: object) -> list[str]:
    return [f"{line.sentence} {line.words}".strip() for line in news_of(make_person(user), **asked).lines]  # type: ignore[arg-type]


def test_one_belief_is_named_and_many_are_counted(lotta: User) -> None:
    remember(lotta, "The canary is green.")
    assert told(lotta) == ["You brought The canary is green."]
    bring_file(lotta, [f"Service {number} is up." for number in range(40)])
    assert told(lotta) == ["You brought 41 beliefs"]


def test_the_same_by_somebody_else_is_another_line(lotta: User) -> None:
    remember(lotta, "The canary is green.")
    propose(lotta, "The canary is yellow.")
    remember(lotta, "The canary is red.")
    assert told(lotta) == [
        "You brought The canary is red.",
        "ci-bot brought The canary is yellow.",
        "You brought The canary is green.",
    ]


def test_what_gives_way_is_told_with_what_takes_its_place(lotta: User) -> None:
    _, new = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    accept(principal=make_person(lotta), reference=new.ref)
    line = news_of(make_person(lotta)).lines[0]
    assert (line.sentence, line.words, line.replaced) == ("You accepted", "Staging is in Frankfurt.", 1)
    assert line.url == f"/items/{new.ref}"


def test_every_decision_has_its_sentence(lotta: User) -> None:
    person = make_person(lotta)
    item = propose(lotta, "The canary is green.")
    accept(principal=person, reference=item.ref)
    undo(principal=person, reference=item.ref)
    reject(principal=person, reference=item.ref)
    with pytest.raises(Tombstoned):
        propose(lotta, "The canary is green.")
    restore(principal=person, reference=item.ref)
    forget(principal=person, reference=item.ref)
    assert told(lotta) == [
        "You took out of use The canary is green.",
        "You brought back The canary is green.",
        "ci-bot was refused: you rejected The canary is green.",
        "You rejected The canary is green.",
        "You took a decision back: The canary is green.",
        "You accepted The canary is green.",
        "ci-bot brought The canary is green.",
    ]


def test_a_correction_is_told_with_the_new_words(lotta: User) -> None:
    item = remember(lotta, "Lives in Dublin.")
    correct(principal=make_person(lotta), reference=item.ref, text="Lives in Cork.", revision=item.revision)
    line = news_of(make_person(lotta)).lines[0]
    assert (line.sentence, line.words, line.alone) == ("You corrected", "Lives in Cork.", True)


def test_decisions_taken_back_are_counted_as_decisions(lotta: User) -> None:
    person = make_person(lotta)
    _, new = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    accept(principal=person, reference=new.ref)
    undo(principal=person, reference=new.ref)
    assert told(lotta)[0] == "You took a decision back: Staging is in Frankfurt."
    for number in range(3):
        item = propose(lotta, f"Service {number} is up.")
        accept(principal=person, reference=item.ref)
    for item in GovernanceItem.objects.filter(text__startswith="Service"):
        undo(principal=person, reference=item.ref)
    assert told(lotta)[0] == "You took 3 decisions back"


def test_a_bulk_decision_is_one_line(lotta: User) -> None:
    refs = [item.ref for item in bring_file(lotta, [f"Service {number} is up." for number in range(9)])]
    decide_many(principal=make_person(lotta), action="reject", references=refs)
    assert told(lotta) == ["You rejected 9 beliefs", "You brought 9 beliefs"]


def test_an_agents_wish_is_told(lotta: User) -> None:
    item = remember(lotta, "The canary is green.")
    forget(principal=make_principal(lotta, agent="nightly", origin=AUTOMATION), reference=item.ref)
    assert told(lotta)[0] == "nightly asks to archive The canary is green."


def test_only_what_happened_after_a_moment_and_the_key_to_the_rest(lotta: User) -> None:
    remember(lotta, "The canary is green.")
    news = news_of(make_person(lotta), since=timezone.now() + timedelta(days=1))
    assert (news.lines, news.before) == ([], 2)
    assert told(lotta, before=news.before) == ["You brought The canary is green."]
    assert news_of(make_person(lotta), before=1).before == 0
    assert news_of(make_person(make_owner("nobody"))).before == 0


def test_each_entry_is_told_once_whatever_the_page(lotta: User) -> None:
    person = make_person(lotta)
    for number in range(20):
        reject(principal=person, reference=propose(lotta, f"Service {number} is up.").ref)
    before, seen, pages = 0, 0, 0
    while pages < 9:
        news = news_of(person, before=before)
        seen += sum(len(line.item_ids) for line in news.lines)
        pages += 1
        assert len(news.lines) <= LINES
        before = news.before
        if not before:
            break
    assert (seen, pages) == (JournalEntry.objects.filter(user=lotta).count(), 4)


def test_more_than_anybody_counts_says_so(lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    bring_file(lotta, [f"Service {number} is up." for number in range(30)])
    assert told(lotta) == ["You brought 30 beliefs"]
    monkeypatch.setattr("review.display.news._WINDOW", 10)
    assert told(lotta) == ["You brought 10 or more beliefs"]


def test_somebody_elses_news_is_not_told(lotta: User) -> None:
    remember(make_owner("mallory"), "The canary is green.")
    assert told(lotta) == []


def test_two_statements_whatever_happened(lotta: User) -> None:
    person = make_person(lotta)
    for number in range(15):
        reject(principal=person, reference=propose(lotta, f"Service {number} is up.").ref)
    with CaptureQueriesContext(connection) as asked:
        news_of(person)
    assert len(asked) == 2
