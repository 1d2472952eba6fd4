"""Thousands of random acts of everybody on one owner's beliefs, compared with a model after each.

``STATE_MACHINE_STEPS`` sets how many; the default keeps the suite quick.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from pawflow_web.identity.clock import now
from review import lifecycle
from review.gate import admit_one
from review.gate.proposals import Admission
from review.lifecycle.archiving import decide_archive
from review.lifecycle.feedback import vote
from review.models import ArchiveRequest, Batch, GovernanceItem, JournalEntry
from tests.review.beliefs import let_expire, note
from tests.review.model import Model, RefusedError, Span
from tests.review.side_by_side import SAID, SPELLINGS, TEXTS, SideBySide, any_item

STEPS_OF_A_RUN = 50
RUNS = max(1, int(os.environ.get("STATE_MACHINE_STEPS", "300")) // STEPS_OF_A_RUN)


class Beliefs(SideBySide):
    # --- the gate ---------------------------------------------------------------------------------------------

    @initialize(many=st.lists(SAID, min_size=3, max_size=8))
    def begin(self, many: list[dict[str, Any]]) -> None:
        for said in many:
            self._say(**said)

    @rule(said=SAID)
    def say(self, said: dict[str, Any]) -> None:
        self._say(**said)

    @rule(said=SAID, key=st.sampled_from(["k1", "k2"]))
    def say_on_a_key(self, said: dict[str, Any], key: str) -> None:
        self._say(**{**said, "key": key})

    @rule(said=SAID, replaces=any_item)
    def say_in_place_of_another(self, said: dict[str, Any], replaces: int) -> None:
        self._say(**{**said, "key": "", "replaces": replaces})

    def _say(
        self, text: str, spell: Callable[[str], str], channel: str, scope: str, key: str, year: int | None,
        end: int | None, writer: bool, replaces: int | None,
    ) -> None:  # fmt: skip
        agent = self.parties.writer if writer else self.parties.coder
        principal = self.within(agent if channel != "automation" else agent.narrowed())
        low = datetime(year, 1, 1, tzinfo=UTC) if year else None
        high = datetime(end, 1, 1, tzinfo=UTC) if end and (year is None or year < end) else None
        if key:
            # words of a key are its own: the same words mean the same predicate
            text = f"{text} ({key})"
        named_pk = self.chosen(replaces) if replaces is not None and self.items() and not key else None
        named = GovernanceItem.objects.get(pk=named_pk) if named_pk is not None else None
        proposal = note(
            principal, spell(text), scope=scope, exclusive_key=key, valid=DateTimeTZRange(low, high), replaces=named
        )
        place = (
            agent.agent_name if scope in {"agent", "private"} else None,
            self.conversation.ref if scope in {"conversation", "private"} else None,
        )

        def expected(model: Model, at: datetime, answer: Admission | None) -> None:
            item = answer.item if answer is not None else None
            pk = model.said(
                at, channel, text, place, key, Span(low, high), flagged="Ignore" in text,
                replaces=named_pk, new_pk=item.pk if item is not None else -1, author=agent.agent_name or "",
                spelled=spell(text).strip(),
            )  # fmt: skip
            assert item is not None
            assert pk == item.pk
            assert answer is not None
            assert (answer.status, answer.reason) == (model.beliefs[pk].status, model.beliefs[pk].reason)

        origin = "importer" if channel == "importer" else None
        self.act(lambda: admit_one(proposal, principal, origin=origin), expected)

    # --- decisions --------------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item, demote=st.none() | st.none() | any_item)
    def accept(self, number: int, demote: int | None) -> None:
        pk = self.chosen(number, "needs_review", "stale")
        rival = self.chosen(demote) if demote is not None else None
        if rival == pk:
            rival = None
        reference, other = self.ref(pk), None if rival is None else f"#{self.ref(rival)}"
        self.act(
            lambda: lifecycle.accept(principal=self.parties.person, reference=reference, demote=other),
            lambda model, at, _: model.accept(pk, at, rival),
        )

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item)
    def reject(self, number: int) -> None:
        pk = self.chosen(number, "active", "needs_review", "stale", "superseded")
        self.act(
            lambda: lifecycle.reject(principal=self.parties.person, reference=self.ref(pk)),
            lambda model, _at, _: model.reject(pk),
        )

    @precondition(lambda self: any(b.status == "rejected" for b in self.model.beliefs.values()))
    @rule(number=any_item)
    def restore(self, number: int) -> None:
        rejected = [b.pk for b in self.model.beliefs.values() if b.status == "rejected"]
        pk = rejected[number % len(rejected)]
        self.act(
            lambda: lifecycle.restore(principal=self.parties.person, reference=self.ref(pk)),
            lambda model, at, _: model.restore(pk, at),
        )

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item, who=st.sampled_from(["person", "coder", "writer", "cron"]))
    def forget(self, number: int, who: str) -> None:
        pk = self.chosen(number, "active", "needs_review")
        principal = self.within(getattr(self.parties, who))
        place = None if who == "person" else (who, self.conversation.ref)
        channel = "automation" if who == "cron" else "user"
        self.act(
            lambda: lifecycle.forget(principal=principal, reference=self.ref(pk)),
            lambda model, at, _: model.forget(pk, at, channel, place),
        )

    @precondition(lambda self: self.model.beliefs)
    @rule(numbers=st.lists(any_item, min_size=1, max_size=4), action=st.sampled_from(["accept", "reject", "forget"]))
    def decide_many(self, numbers: list[int], action: str) -> None:
        type(self).steps += 1
        pks = list(dict.fromkeys(self.chosen(number) for number in numbers))
        refs = [self.ref(pk) for pk in pks]
        batch, results = lifecycle.decide_many(principal=self.parties.person, action=action, references=refs)
        self.batches.append(batch.ref)
        made = iter(batch.decisions)
        for pk, result in zip(pks, results, strict=True):
            number = next(made) if result.error is None else 0
            written = JournalEntry.objects.filter(user=self.parties.user, decision=number).order_by("seq").last()
            at = written.at if written is not None else now()
            draft, wanted = self.model.draft(), ""
            try:
                if action == "accept":
                    draft.accept(pk, at, in_bulk=True)
                elif action == "reject":
                    draft.reject(pk)
                else:
                    draft.forget(pk, at, "user", None)
            except RefusedError as refused:
                wanted, draft = str(refused), self.model
            assert (result.error.code if result.error else "") == wanted
            for deed in draft.deeds:
                if deed.number is None and deed.verb != "expire":
                    deed.number = number
            self.model = draft

    @precondition(lambda self: self.model.beliefs)
    @rule(
        number=any_item, text=st.sampled_from(TEXTS), spell=st.sampled_from(SPELLINGS), override=st.booleans(),
    )  # fmt: skip
    def correct(self, number: int, text: str, spell: Callable[[str], str], override: bool) -> None:
        pk = self.chosen(number, "active", "needs_review")
        key = self.model.beliefs[pk].key
        words = f"{text} ({key})" if key else text
        before = GovernanceItem.objects.values("text", "words_mac", "recorded_at").get(pk=pk)

        def expected(model: Model, at: datetime, done: lifecycle.Decision | None) -> None:
            new_pk = done.item.pk if done is not None else -1
            flagged = "Ignore" in text
            model.correct(pk, at, words, spell(words).strip(), flagged=flagged, override=override, new_pk=new_pk)

        self.act(
            lambda: lifecycle.correct(
                principal=self.parties.person, reference=self.ref(pk), text=spell(words), override_tombstone=override
            ),
            expected,
        )
        assert GovernanceItem.objects.values("text", "words_mac", "recorded_at").get(pk=pk) == before

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item, year=st.sampled_from([None, 2004, 2012, 2018, 2030, 2040]))
    def end(self, number: int, year: int | None) -> None:
        pk = self.chosen(number, "active", "superseded")
        ended = datetime(year, 1, 1, tzinfo=UTC) if year else None
        self.act(
            lambda: lifecycle.end(principal=self.parties.person, reference=self.ref(pk), ended_at=ended),
            lambda model, at, _: model.end(pk, at, ended),
        )

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item)
    def pin(self, number: int) -> None:
        pk = self.chosen(number, "active")
        revision, pinned = GovernanceItem.objects.values_list("revision", "pinned").get(pk=pk)
        self.act(
            lambda: lifecycle.edit(
                principal=self.parties.person, reference=self.ref(pk), revision=revision, changes={"pinned": not pinned}
            ),
            lambda model, _at, _: setattr(model.beliefs[pk], "pinned", not pinned),
        )

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item, who=st.sampled_from(["person", "coder", "writer", "cron"]), helpful=st.booleans())
    def vote(self, number: int, who: str, helpful: bool) -> None:
        pk = self.chosen(number, "active")
        principal = self.within(getattr(self.parties, who))
        place = None if who == "person" else (who, self.conversation.ref)
        self.learn_confidence()
        self.act(
            lambda: vote(principal=principal, reference=self.ref(pk), helpful=helpful),
            lambda model, _at, _: model.vote(pk, who, place, helpful=helpful),
        )
        assert GovernanceItem.objects.get(pk=pk).confidence == self.model.beliefs[pk].confidence

    @rule(number=any_item, approve=st.booleans())
    def answer_archive_request(self, number: int, approve: bool) -> None:
        pending = ArchiveRequest.objects.filter(user=self.parties.user, state="pending").order_by("pk")
        if not pending:
            return
        request = pending[number % len(pending)]
        self.act(
            lambda: decide_archive(principal=self.parties.person, ref=request.ref, approve=approve),
            lambda model, _at, _: model.approve_archive(request.item_id) if approve else None,
        )

    # --- taking back ------------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item)
    def undo(self, number: int) -> None:
        self._undo(self.chosen(number))

    @precondition(lambda self: self.model.undoable())
    @rule(number=any_item)
    def undo_what_can_be(self, number: int) -> None:
        pks = self.model.undoable()
        self._undo(pks[-1 - number % min(3, len(pks))])

    def _undo(self, pk: int) -> None:
        self.learn_confidence()
        self.act(
            lambda: lifecycle.undo(principal=self.parties.person, reference=self.ref(pk)),
            lambda model, at, _: model.undo(pk, at),
        )
        rows = GovernanceItem.objects.filter(user=self.parties.user)
        confidences = {pk: belief.confidence for pk, belief in self.model.beliefs.items()}
        assert dict(rows.values_list("pk", "confidence")) == confidences

    @precondition(lambda self: self.batches)
    @rule(number=any_item)
    def undo_batch(self, number: int) -> None:
        type(self).steps += 1
        batch = Batch.objects.get(ref=self.batches.pop(number % len(self.batches)))
        _batch, results = lifecycle.undo_batch(principal=self.parties.person, ref=batch.ref)
        for decision, result in reversed(list(zip(batch.decisions, results, strict=True))):
            deed = next(deed for deed in self.model.deeds if deed.number == decision)
            draft, wanted = self.model.draft(), ""
            try:
                standing = draft.standing(deed.subject)
                if standing is None or standing.number != decision:
                    raise RefusedError("stale_revision")
                draft.undo(deed.subject, now())
            except RefusedError as refused:
                wanted, draft = str(refused), self.model
            assert (result.error.code if result.error else "") == wanted
            self.model = draft

    @precondition(lambda self: self.model.beliefs)
    @rule(number=any_item)
    def expire(self, number: int) -> None:
        type(self).steps += 1
        pk = self.chosen(number)
        let_expire(self.parties.person, GovernanceItem.objects.get(pk=pk))
        self.model.beliefs[pk].expires = GovernanceItem.objects.get(pk=pk).expires_at


@pytest.mark.usefixtures("transactional_db")
def test_random_acts_of_everybody_agree_with_the_model() -> None:
    Beliefs.steps = 0
    run_state_machine_as_test(
        Beliefs,
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=STEPS_OF_A_RUN,
            deadline=None,
            database=None,
            # Fifty acts are short enough to read; shrinking them takes minutes.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
    print(f"{Beliefs.steps} acts")  # noqa: T201 - shown with -s, for long runs
    assert Beliefs.steps > RUNS
