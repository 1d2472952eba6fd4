"""Erasing an agent: what is its own goes, and what only it could read goes or comes before the owner."""

import pytest
from django.db import models

from memory.importers import background as imports
from memory.importers.background import start_import
from pawflow_web.identity import erasers
from pawflow_web.identity.models import Agent, ApiToken, Erasure, IdempotentReply
from pawflow_web.identity.services import create_token, erase_agent
from pawflow_web.identity.tasks import erase_the_rest
from pawflow_web.lib.errors import Conflict, Invalid, NotAllowed, NotFound
from review import lifecycle
from review.models import Evidence, GovernanceItem, UseEvent
from tests.erasing.everything import fill
from tests.factories import make_conversation, make_person, make_token
from tests.graph.facts import fact
from tests.review.beliefs import Parties, again, differences, readable, said
from tests.review.canary import CANARY, index_follows, places_of
from tests.review.embedded import tell
from tests.surfaces.conftest import Rest

pytestmark = pytest.mark.usefixtures("unhurried")


def erase(parties: Parties, beliefs: str = "review", name: str = "coder") -> bool:
    return erase_agent(principal=parties.person, name=name, beliefs=beliefs, patience_s=None)


def pointing_at_agents() -> list[tuple[type[models.Model], str]]:
    return [
        (relation.related_model, relation.field.name)
        for relation in Agent._meta.get_fields(include_hidden=True)
        if isinstance(relation, models.ManyToOneRel) and relation.related_model is not Erasure
    ]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("beliefs", ["review", "purge"])
def test_no_row_of_any_table_names_it_afterwards(parties: Parties, beliefs: str) -> None:
    fill(parties, make_token(parties.user))
    agent = Agent.objects.get(name="coder")
    some = {f"{model.__name__}.{name}" for model, name in pointing_at_agents() if model.objects.filter(**{name: agent})}
    assert some >= {
        "ApiToken.agent", "GovernanceItem.scope_agent", "Evidence.agent", "DiaryEntry.agent", "Diary.agent",
        "FrozenBlock.agent", "ScratchNote.agent", "TodoTask.agent", "Turn.agent",
    }  # fmt: skip
    assert erase(parties, beliefs)
    for model, name in pointing_at_agents():
        assert not model.objects.filter(**{name: agent.pk}).exists(), (model, name)
    assert not Erasure.objects.exists()
    assert differences(parties.user) == []


def test_purged_words_are_nowhere(parties: Parties) -> None:
    talk = make_conversation(parties.user)
    said(parties.coder, f"The {CANARY} likes rye", scope="agent")
    said(parties.coder.within(talk.pk, talk.ref), f"The {CANARY} sleeps", scope="private")
    fact(parties.coder, CANARY, "likes", "rye", scope="agent")
    index_follows()
    assert places_of(CANARY) >= {"review_governanceitem", "graph_entityname"}
    assert erase(parties, "purge")
    index_follows()
    assert places_of(CANARY) == set()
    assert differences(parties.user) == []


def test_what_it_alone_read_waits_for_the_owner_and_no_other_agent_reads_it_before(parties: Parties) -> None:
    talk = make_conversation(parties.user)
    own = said(parties.coder, "Likes rye bread", scope="agent")
    private = said(parties.coder.within(talk.pk, talk.ref), "Sleeps late", scope="private")
    held = fact(parties.coder, "Lotta", "lives in", "Kiel", scope="agent")
    shared = said(parties.coder, "The mat is brown")
    assert erase(parties)
    for item in (own, private, held):
        row = again(item)
        assert (row.status, row.reason, row.scope, row.scope_agent_id) == (
            "needs_review",
            "agent_erased",
            "global",
            None,
        )
    assert readable(parties.writer) == {"The mat is brown"}
    assert again(shared).status == "active"
    lifecycle.accept(principal=parties.person, reference=held.ref)
    lifecycle.accept(principal=parties.person, reference=own.ref)
    assert readable(parties.writer) == {"The mat is brown", "Likes rye bread", again(held).text}
    assert differences(parties.user) == []


def test_history_and_what_stands_everywhere_are_put_away(parties: Parties) -> None:
    old = said(parties.coder, "Uses tabs", scope="agent")
    new = tell(parties.coder, "Uses spaces", scope="agent", supersedes=old.ref)
    said(parties.coder, "Likes rye bread")
    twin = said(parties.coder, "Likes rye bread", scope="agent")
    waiting, refused = (said(parties.cron, f"Word {n}", scope="agent") for n in range(2))
    lifecycle.reject(principal=parties.person, reference=refused.ref)
    assert again(old).status == "superseded"
    assert erase(parties)
    assert erase(parties, name="cron")
    found = {item.text: again(item).status for item in (old, new, waiting, refused)}
    assert found == {
        "Uses tabs": "stale",
        "Uses spaces": "needs_review",
        "Word 0": "needs_review",
        "Word 1": "rejected",
    }
    assert again(twin).status == "stale"
    assert not GovernanceItem.objects.filter(scope="agent").exists()
    assert differences(parties.user) == []


def test_each_is_a_decision_of_its_own_and_undone_it_stays_without_the_agent(parties: Parties) -> None:
    first, second = (fact(parties.coder, name, "lives in", "Kiel", scope="agent") for name in ("Lotta", "Tom"))
    assert erase(parties)
    lifecycle.undo(principal=parties.person, reference=first.ref)
    assert (again(first).status, again(first).scope) == ("active", "global")
    assert again(second).status == "needs_review"
    clash = fact(parties.writer, "Lotta", "lives in", "Rome", valid_from="2026-01-01")
    assert again(clash).status == "needs_review" or again(first).status == "superseded"
    assert differences(parties.user) == []


def test_its_name_stays_as_a_label(parties: Parties) -> None:
    item = said(parties.coder, "The mat is brown")
    UseEvent.objects.create(
        item=item, user=parties.user, principal="agent:coder", agent_id=parties.coder.agent_id, reader="recall", rank=1,
        at=item.recorded_at,
    )  # fmt: skip
    assert erase(parties)
    assert Evidence.objects.get(item=item).principal == "agent:coder"
    assert UseEvent.objects.get(item=item).agent_id is None


def test_it_says_nothing_from_the_first_moment_on(parties: Parties) -> None:
    token = make_token(parties.user)
    said(parties.coder, "Likes rye bread", scope="agent")
    Rest(token).post("/tools/diary_write", {"entry": "I looked."}, **{"Idempotency-Key": "k1"})
    assert not erase_agent(principal=parties.person, name="coder", beliefs="purge", patience_s=-1)
    assert Rest(token).get("/items").status == 401
    with pytest.raises(Conflict, match="being erased"):
        create_token(user=parties.user, agent="coder", origin=None, abilities=["read"])
    while erase_the_rest(float("inf")):
        pass
    assert not Agent.objects.filter(name="coder").exists()
    assert not IdempotentReply.objects.exists()
    assert ApiToken.objects.filter(agent__name="writer").exists()
    make_token(parties.user, agent="coder")


def test_what_fails_is_gone_on_with(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    said(parties.coder, "Likes rye bread", scope="agent")

    def fails(_leaving: erasers.Leaving) -> bool:
        raise OSError("the disk is gone")

    with monkeypatch.context() as broken:
        broken.setitem(erasers.erasers._entries, "todo", fails)
        with pytest.raises(OSError, match="gone"):
            erase(parties, "purge")
    assert Agent.objects.filter(name="coder").exists()
    assert not erase_the_rest(float("inf"))
    assert not Agent.objects.filter(name="coder").exists()


def test_the_first_choice_for_its_beliefs_stands(parties: Parties) -> None:
    said(parties.coder, "Likes rye bread", scope="agent")
    assert not erase_agent(principal=parties.person, name="coder", beliefs="purge", patience_s=-1)
    with pytest.raises(Conflict, match="being erased already, and its beliefs go to purge"):
        erase_agent(principal=parties.person, name="coder", beliefs="review")
    assert Erasure.objects.get().beliefs == "purge"
    assert erase(parties, "purge")
    assert not GovernanceItem.objects.exists()


def test_an_import_that_waits_does_not_bring_it_back(parties: Parties) -> None:
    run = start_import([b"- The mat is brown"], user=parties.user, name="notes.md", agent="coder")
    other = start_import([b"- The mat is blue"], user=parties.user, name="other.md", agent="writer")
    assert erase(parties, "purge")
    while imports.work(float("inf")):
        pass
    run.refresh_from_db()
    other.refresh_from_db()
    assert (run.state, other.state) == ("cancelled", "done")
    assert not Agent.objects.filter(name="coder").exists()


def test_only_its_owner_may(parties: Parties, strangers: Parties) -> None:
    with pytest.raises(NotAllowed):
        erase_agent(principal=parties.coder, name="coder", beliefs="purge")
    with pytest.raises(NotFound):
        erase_agent(principal=make_person(strangers.user), name="nobody", beliefs="purge")
    with pytest.raises(Invalid, match="review or purge"):
        erase(parties, "keep")
    assert erase_agent(principal=strangers.person, name="coder", beliefs="purge")
    assert Agent.objects.filter(user=parties.user, name="coder").exists()
