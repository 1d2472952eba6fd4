"""How much of the memory an agent works with, and what is kept of a change."""

from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.services import principal_of_agent, update_agent
from pawflow_web.lib.errors import Invalid, NotAllowed, NotFound
from tests.factories import make_owner, make_principal


@pytest.fixture
def lotta(db: None) -> User:
    user = make_owner("lotta")
    make_principal(user, agent="coder")
    return user


def settings_of(name: str) -> tuple[str, str, bool]:
    return Agent.objects.values_list("profile", "memory_render", "reads_sensitive").get(name=name)


def test_only_what_is_given_changes(lotta: User) -> None:
    assert update_agent(user=lotta, name="coder", profile="demo").profile == "demo"
    assert settings_of("coder") == ("demo", "digest", False)
    update_agent(user=lotta, name="coder", memory_render="scoped", reads_sensitive=True)
    assert settings_of("coder") == ("demo", "scoped", True)
    update_agent(user=lotta, name="coder", reads_sensitive=False)
    assert settings_of("coder") == ("demo", "scoped", False)


def test_the_next_call_of_the_agent_already_has_it(lotta: User) -> None:
    before = make_principal(lotta, agent="coder")
    assert (before.profile, before.origin, before.reads_sensitive) == ("assistant", "user_channel", False)
    update_agent(user=lotta, name="coder", profile="demo", reads_sensitive=True)
    after = make_principal(lotta, agent="coder")
    assert (after.profile, after.origin, after.reads_sensitive) == ("demo", "automation", True)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"profile": "owner"}, {"profile"}),
        ({"memory_render": ""}, {"memory_render"}),
        ({"profile": "x", "memory_render": "y", "reads_sensitive": True}, {"profile", "memory_render"}),
    ],
)
def test_what_there_is_not_is_refused_by_name_and_changes_nothing(
    lotta: User, wrong: dict[str, str], named: set[str]
) -> None:
    with pytest.raises(Invalid) as refused:
        update_agent(user=lotta, name="coder", **wrong)  # type: ignore[arg-type]  # wrong on purpose
    assert set(refused.value.fields) == named
    assert settings_of("coder") == ("assistant", "digest", False)


@pytest.mark.parametrize("name", ["nobody", "", "x" * 500, "not a name", "\0"])
def test_an_agent_that_there_is_not_is_not_found(lotta: User, name: str) -> None:
    with pytest.raises(NotFound):
        update_agent(user=lotta, name=name, profile="demo")


def test_somebody_elses_agent_is_not_found_either(lotta: User) -> None:
    with pytest.raises(NotFound):
        update_agent(user=make_owner("mallory"), name="coder", profile="demo")
    assert settings_of("coder") == ("assistant", "digest", False)


@pytest.mark.django_db(transaction=True)
def test_a_change_is_a_line_of_the_log_and_no_change_is_none(transactional_db: None) -> None:
    user = make_owner("lotta")
    make_principal(user, agent="coder")
    with capture_logs() as lines:
        update_agent(user=user, name="coder", profile="assistant")
        assert lines == []
        update_agent(user=user, name="coder", profile="secure", reads_sensitive=False)
    assert lines == [
        {
            "event": "agent_changed",
            "log_level": "warning",
            "owner": "lotta",
            "agent": "coder",
            "before": {"profile": "assistant"},
            "after": {"profile": "secure"},
        }
    ]


def test_an_agent_as_its_owner_looks_through_it_reads_and_does_nothing_else(lotta: User) -> None:
    update_agent(user=lotta, name="coder", profile="secure", reads_sensitive=True)
    shown = principal_of_agent(Agent.objects.get(name="coder"), ZoneInfo("Europe/Berlin"))
    real = make_principal(lotta, agent="coder")
    for field in ("user_id", "user_name", "kind", "agent_id", "agent_name", "profile", "reads_sensitive"):
        assert getattr(shown, field) == getattr(real, field), field
    assert shown.zone == ZoneInfo("Europe/Berlin")
    assert not shown.is_user_channel
    shown.require("read")
    with pytest.raises(NotAllowed):
        shown.require("write")
    with pytest.raises(NotAllowed):
        shown.require_person()
