"""Who speaks is decided by the credentials alone."""

from datetime import UTC, datetime, timedelta

import pytest

from pawflow_web.identity.auth import RateLimiter, narrow_origin, principal_of_token, principal_of_user
from pawflow_web.identity.models import ApiToken, User, UserClock, UserSettings
from pawflow_web.identity.principal import PrincipalKind, worker_principal
from pawflow_web.identity.services import create_owner, create_token, revoke_token
from pawflow_web.lib.errors import Conflict, Invalid, NotAllowed, NotFound, RateLimited, Unauthenticated
from tests.factories import AUTOMATION, make_owner, make_person, make_principal, make_token


@pytest.fixture
def alice(db: None) -> User:
    return make_owner("alice")


def test_a_token_names_its_agent_and_owner(alice: User) -> None:
    agent = make_principal(alice, agent="coder")
    assert (agent.kind, agent.name, agent.user_name) == (PrincipalKind.AGENT, "coder", "alice")
    assert (agent.origin, agent.is_user_channel, agent.is_person) == ("user_channel", True, False)
    person = make_person(alice)
    assert (person.kind, person.name, person.is_user_channel) == (PrincipalKind.PERSON, "alice", True)
    automation = make_principal(alice, agent="cron", origin=AUTOMATION)
    assert not automation.is_user_channel
    unknown = make_principal(alice, agent="silent", origin=None)
    assert (unknown.origin, unknown.origin_known, unknown.is_user_channel) == ("automation", False, False)


def test_every_wrong_credential_gets_the_same_answer(alice: User) -> None:
    token, text = create_token(user=alice, agent="coder", origin=None, abilities=["read"], expires_days=1)
    assert principal_of_token(f"bearer  {text} ").agent_name == "coder"
    revoked, other = create_token(user=alice, agent="coder", origin=None, abilities=["read"])
    revoke_token(user=alice, ref=revoked.ref)
    ApiToken.objects.filter(pk=token.pk).update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    messages = set()
    for header in (
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Basic {text}",
        text,
        "Bearer pf_x",
        f"Bearer {other}",
        f"Bearer {text}",
        "Bearer \ud800",
    ):
        with pytest.raises(Unauthenticated) as refused:
            principal_of_token(header)
        messages.add(refused.value.message)
    assert len(messages) == 1


def test_a_person_who_is_shut_out_takes_the_agents_along(alice: User) -> None:
    token = make_token(alice)
    assert principal_of_token(f"Bearer {token}").user_name == "alice"
    User.objects.filter(pk=alice.pk).update(is_active=False)
    with pytest.raises(Unauthenticated):
        principal_of_token(f"Bearer {token}")


def test_a_call_may_only_narrow_its_origin(alice: User) -> None:
    agent = make_principal(alice)
    assert narrow_origin(agent, None).is_user_channel
    assert not narrow_origin(agent, "automation").is_user_channel
    assert narrow_origin(agent, "automation").agent_id == agent.agent_id
    for header in ("user_channel", "Automation", "", "importer"):
        with pytest.raises(Invalid):
            narrow_origin(agent, header)


def test_abilities_are_asked_by_name(alice: User) -> None:
    reader = make_principal(alice, abilities=("read",))
    reader.require("read")
    for ability in ("write", "review", "relay"):
        with pytest.raises(NotAllowed):
            reader.require(ability)
    with pytest.raises(NotAllowed):
        reader.require_person()
    with pytest.raises(NotAllowed):
        make_principal(alice, agent=None, abilities=("read", "write")).require_person()
    make_person(alice).require_person()
    principal_of_user(alice).require_person()
    with pytest.raises(NotAllowed):
        worker_principal(alice.pk, "alice").require_person()


def test_no_agent_may_decide(alice: User) -> None:
    with pytest.raises(Invalid):
        create_token(user=alice, agent="coder", origin="user_channel", abilities=["read", "review"])
    with pytest.raises(Invalid):
        create_token(user=alice, agent=None, origin="automation", abilities=["read"])
    assert create_token(user=alice, agent=None, origin=None, abilities=["review"])[0].origin == "user_channel"


def test_only_the_owner_revokes_a_token(alice: User) -> None:
    bob = make_owner("bob")
    token, text = create_token(user=alice, agent="coder", origin=None, abilities=["read"])
    with pytest.raises(NotFound):
        revoke_token(user=bob, ref=token.ref)
    assert principal_of_token(f"Bearer {text}").user_name == "alice"


def test_the_zone_is_the_owners_and_a_broken_one_is_utc(alice: User) -> None:
    UserSettings.objects.filter(user=alice).update(time_zone="Asia/Tokyo")
    assert str(make_person(alice).zone) == str(principal_of_user(User.objects.get()).zone) == "Asia/Tokyo"
    for broken in ("Mars/Olympus", "../etc/passwd", ""):
        UserSettings.objects.filter(user=alice).update(time_zone=broken)
        assert str(make_person(alice).zone) == "UTC"


def test_a_token_that_runs_wild_is_stopped_and_others_are_not(settings: object) -> None:
    limiter = RateLimiter()
    limit = settings.ENV.rate_limit  # type: ignore[attr-defined]
    for _ in range(limit):
        limiter.check("one")
    with pytest.raises(RateLimited) as stopped:
        limiter.check("one")
    assert 1 <= (stopped.value.retry_after or 0) <= 60
    limiter.check("other")


def test_an_owner_comes_with_a_clock_and_settings_or_not_at_all(alice: User) -> None:
    assert UserClock.objects.get(user=alice).seq == 0
    assert UserSettings.objects.get(user=alice).time_zone == "UTC"
    with pytest.raises(Conflict):
        create_owner("alice")
    for name in ("", "a b", "x" * 65, "ålice", "a/b", "alice\n"):
        with pytest.raises(Invalid):
            create_owner(name)
    assert User.objects.count() == 1
