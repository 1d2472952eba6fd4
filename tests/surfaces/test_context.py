"""From where a call looks: ``?conversation=``, ``?project=`` and the headers, the same on REST and MCP."""

import pytest
from django.http import QueryDict
from django.utils.datastructures import CaseInsensitiveMapping

from conversations.context import call_context
from pawflow_web.identity.models import User
from pawflow_web.lib.errors import Invalid, NotFound
from tests.factories import make_conversation, make_principal, make_project

NONE: CaseInsensitiveMapping[str] = CaseInsensitiveMapping({})


def test_a_conversation_is_found_by_ref_and_by_the_clients_own_name(alice: User) -> None:
    conversation = make_conversation(alice, external_id="thread 7")
    principal = make_principal(alice)

    for name in (conversation.ref, f"#{conversation.ref}", "thread 7"):
        call = call_context(principal, headers=NONE, query={"conversation": name}, surface="rest")
        assert call.principal.conversation_ref == conversation.ref
        assert call.principal.conversation_id == conversation.pk


def test_a_real_ref_goes_before_an_external_id_that_looks_like_one(alice: User) -> None:
    real = make_conversation(alice)
    make_conversation(alice, external_id=real.ref)

    call = call_context(make_principal(alice), headers=NONE, query={"conversation": real.ref}, surface="rest")
    assert call.principal.conversation_id == real.pk


def test_the_query_wins_over_the_header_and_may_switch_it_off(alice: User) -> None:
    one, two = make_conversation(alice), make_conversation(alice)
    make_project(alice, "Web shop")
    headers = CaseInsensitiveMapping({"x-pawflow-conversation": one.ref, "x-pawflow-project": "web-shop"})
    principal = make_principal(alice)

    by_header = call_context(principal, headers=headers, query=QueryDict(""), surface="rest")
    by_query = call_context(principal, headers=headers, query={"conversation": two.ref}, surface="rest")
    by_neither = call_context(principal, headers=headers, query={"conversation": "", "project": ""}, surface="rest")

    assert (by_header.principal.conversation_ref, by_header.project) == (one.ref, "web-shop")
    assert (by_query.principal.conversation_ref, by_query.project) == (two.ref, "web-shop")
    assert (by_neither.principal.conversation_ref, by_neither.project) == (None, None)


@pytest.mark.parametrize("parameter", ["conversation", "project"])
def test_unknown_and_foreign_read_alike(alice: User, bob: User, parameter: str) -> None:
    foreign = {"conversation": make_conversation(bob).ref, "project": make_project(bob, "Secret plan").slug}[parameter]
    messages = []
    for name in (foreign, "0123456789ab"):
        with pytest.raises(NotFound) as caught:
            call_context(make_principal(alice), headers=NONE, query={parameter: name}, surface="rest")
        messages.append(caught.value.message.replace(name, "…"))
        assert caught.value.fields == {}

    assert messages[0] == messages[1]
    own = call_context(make_principal(bob), headers=NONE, query={parameter: foreign}, surface="rest")
    assert foreign in (own.principal.conversation_ref, own.project)


def test_the_origin_header_narrows_and_never_widens(alice: User) -> None:
    person, job = make_principal(alice), make_principal(alice, agent="nightly", origin="automation")

    narrowed = call_context(person, headers={"X-PawFlow-Origin": "automation"}, query={}, surface="rest").principal
    assert (person.is_user_channel, narrowed.is_user_channel) == (True, False)
    for value in ("user_channel", "", "Automation", "extractor"):
        with pytest.raises(Invalid):
            call_context(job, headers={"X-PawFlow-Origin": value}, query={}, surface="rest")


@pytest.mark.parametrize("name", ["\x00", "a\x00b", "x" * 5000, "🙂", "%"])
def test_odd_names_are_unknown_names(alice: User, name: str) -> None:
    for parameter in ("conversation", "project"):
        with pytest.raises(NotFound):
            call_context(make_principal(alice), headers=NONE, query={parameter: name}, surface="rest")
