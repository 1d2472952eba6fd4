"""The keys that seal words: the newest seals, any opens; and secrets from before there was a seal."""

import importlib
import json
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

import review.lifecycle.sealing
from pawflow_web.env import Env, SettingError
from pawflow_web.identity.idempotency import Reply, once
from pawflow_web.identity.models import IdempotentReply
from review.display.shape import present_all
from review.journal.acts import act
from review.lifecycle.sealing import open_item, reseal_all, reveal
from review.models import GovernanceItem
from review.plaintext import WordsUnreadable, words_of
from tests.factories import GITHUB_TOKEN
from tests.review.beliefs import Parties, again, differences, said
from tests.review.canary import WORDS, places_of

NEWER, OLDER = b"n" * 32, b"o" * 32


@pytest.fixture
def secrets(parties: Parties) -> list[GovernanceItem]:
    """Three of them, under the key of the installation."""
    return [said(parties.coder, f"Token {number} is {GITHUB_TOKEN}{number}") for number in range(3)]


def under(*keys: bytes) -> Any:
    return override_settings(CONTENT_KEYS=(*keys, settings.KEY))


def test_everything_is_sealed_under_the_newest_key_and_opened_with_any(
    parties: Parties, secrets: list[GovernanceItem]
) -> None:
    once(parties.coder, "k1", "d" * 64, lambda: Reply(200, '{"ref": "x"}'))
    before = list(GovernanceItem.objects.order_by("pk").values_list("text", flat=True))
    with under(OLDER):
        said(parties.coder, f"The fourth is {GITHUB_TOKEN}4")
        assert [words_of(item)[:5] for item in GovernanceItem.objects.order_by("pk")] == ["Token"] * 3 + ["The f"]
    with under(NEWER, OLDER):
        done = reseal_all()
        assert (done.beliefs, done.replies, done.unreadable) == (4, 1, ())
        assert (reseal_all().beliefs, reseal_all().replies) == (0, 0)
    assert not set(before) & set(GovernanceItem.objects.values_list("text", flat=True))
    with override_settings(CONTENT_KEYS=(NEWER,)):
        # Nothing needs the older keys any more.
        assert [words_of(item)[:5] for item in GovernanceItem.objects.order_by("pk")] == ["Token"] * 3 + ["The f"]
        assert once(parties.coder, "k1", "d" * 64, lambda: Reply(500, "")).replayed
        assert differences(parties.user) == []


def test_a_reseal_that_was_cut_off_goes_on(
    parties: Parties, secrets: list[GovernanceItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review.lifecycle.sealing, "_BATCH", 1)
    sealed = review.lifecycle.sealing.resealed
    calls = iter(range(10))

    def broken(purpose: str, text: str) -> str | None:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return sealed(purpose, text)

    with under(NEWER):
        monkeypatch.setattr(review.lifecycle.sealing, "resealed", broken)
        with pytest.raises(KeyboardInterrupt):
            reseal_all()
        assert reseal_all().beliefs == 2
        assert reseal_all().beliefs == 0


def test_what_is_opened_meanwhile_stays_open(
    parties: Parties, secrets: list[GovernanceItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = review.lifecycle.sealing.resealed

    def and_somebody_opens(purpose: str, text: str) -> str | None:
        with act(parties.person) as current, current.decision():
            open_item(current, GovernanceItem.objects.locked().get(text=text))
        return sealed(purpose, text)

    monkeypatch.setattr(review.lifecycle.sealing, "resealed", and_somebody_opens)
    with under(NEWER):
        assert reseal_all().beliefs == 0
    assert [again(item).text for item in secrets] == [
        f"Token {number} is {GITHUB_TOKEN}{number}" for number in range(3)
    ]


def test_without_its_key_a_secret_is_named_and_nothing_breaks(
    parties: Parties, secrets: list[GovernanceItem], capsys: pytest.CaptureFixture[str]
) -> None:
    once(parties.coder, "k1", "d" * 64, lambda: Reply(200, '{"ref": "x"}'))
    with override_settings(CONTENT_KEYS=(NEWER,)):
        with pytest.raises(WordsUnreadable, match="PAWFLOW_CONTENT_KEYS"):
            reveal(principal=parties.person, reference=secrets[0].ref)
        assert {one["field"] for one in differences(parties.user)} == {"words"}
        assert len(present_all(list(GovernanceItem.objects.for_display()))) == 3
        with pytest.raises(SystemExit):
            call_command("reseal", "--json")
        answer = json.loads(capsys.readouterr().out)
        assert answer == {"resealed": 0, "replies": 0, "steps": 0, "unreadable": [item.ref for item in secrets]}
    # A reply that nobody can read is gone, not an error.
    assert not IdempotentReply.objects.exists()
    assert differences(parties.user) == []


def test_the_command_says_what_it_did(secrets: list[GovernanceItem], capsys: pytest.CaptureFixture[str]) -> None:
    with under(NEWER):
        call_command("reseal")
    assert capsys.readouterr().out == "3 beliefs, 0 kept replies and 0 steps of turns were sealed anew.\n"


def test_a_key_of_fernet_is_one_of_ours(parties: Parties) -> None:
    keys = [Fernet.generate_key().decode() for _ in range(2)]
    env = Env.load({"PAWFLOW_CONTENT_KEYS": f"{keys[0]}, {keys[1]},"})
    assert [len(key) for key in env.content_keys] == [32, 32]
    assert env.content_keys[0] != env.content_keys[1]
    assert repr(env.content_keys[0]) not in repr(env)
    for wrong in ("short", keys[0][:-1], f"{keys[0]},é", keys[0] * 2):
        with pytest.raises(SettingError) as refused:
            Env.load({"PAWFLOW_CONTENT_KEYS": wrong})
        assert keys[0][:20] not in str(refused.value)


# --- what was stored before secrets were sealed ---------------------------------------------------------------


@pytest.fixture
def migration() -> Any:
    return importlib.import_module("review.migrations.0010_seal_secrets")


@pytest.fixture
def in_the_clear(secrets: list[GovernanceItem]) -> list[GovernanceItem]:
    for item in secrets:
        GovernanceItem.objects.filter(pk=item.pk).update(text=words_of(item))
    return secrets


def test_a_migration_seals_what_lies_there_as_text(
    parties: Parties, in_the_clear: list[GovernanceItem], migration: Any
) -> None:
    plain = said(parties.coder, WORDS)
    assert places_of(GITHUB_TOKEN) == {"review_governanceitem"}
    migration.seal_all(apps, None)
    assert places_of(GITHUB_TOKEN) == set()
    assert words_of(again(in_the_clear[2])) == f"Token 2 is {GITHUB_TOKEN}2"
    assert again(plain).text == WORDS
    assert differences(parties.user) == []
    sealed = set(GovernanceItem.objects.values_list("text", flat=True))
    migration.seal_all(apps, None)
    assert set(GovernanceItem.objects.values_list("text", flat=True)) == sealed
    migration.open_all(apps, None)
    assert again(in_the_clear[2]).text == f"Token 2 is {GITHUB_TOKEN}2"


def test_it_does_not_seal_with_a_key_that_is_not_the_database_s_own(
    parties: Parties, in_the_clear: list[GovernanceItem], migration: Any
) -> None:
    said(parties.coder, WORDS)
    with override_settings(KEY=b"x" * 32), pytest.raises(SettingError, match="not the key"):
        migration.seal_all(apps, None)
    assert again(in_the_clear[0]).text == f"Token 0 is {GITHUB_TOKEN}0"
