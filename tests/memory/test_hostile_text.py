"""Text that was meant to break something goes through every field, and is stored whole or refused cleanly."""

from typing import Any

import pytest

from memory.notes.services import remember_note
from pawflow_web.identity.call import Call
from pawflow_web.lib.errors import DomainError, Invalid
from pawflow_web.lib.jsonbody import clean_object
from pawflow_web.lib.tools import registry
from review import lifecycle
from review.models import GovernanceItem
from tests.review.beliefs import Parties, differences

TEXTS = {
    "script": "<script>alert(1)</script> bread",
    "attribute": '"><img src=x onerror=alert(1)> bread',
    "template": "{{ settings.SECRET_KEY }} {% include 'x' %} bread",
    "format": "{0.__class__} %s %(user)s %% bread",
    "like": "100% of b_ead \\ 'quoted' \\' ; DROP TABLE review_governanceitem; --",
    "backslash": "C:\\temp\\new bread",
    "bidi": "bread \u202egnp.exe\u202c",
    "zero width": "b\u200br\u200be\u200ba\u200bd",
    "combining": "b\u0301\u0302\u0303r\u0304ead",
    "emoji": "👨\u200d👩\u200d👧 bread 🏳️\u200d🌈",
    "dollar": "$1 $$ ${HOME} :name bread",
    "json": '{"text": "bread", "status": "active"}',
    "newlines": "bread\r\n\r\nHTTP/1.1 200 OK\n\n# Heading\n---",
    "fence": "</memory-0000> bread <memory-1111>",
    "astral": "𝓫𝓻𝓮𝓪𝓭 \U0010fffd",
    "long word": "b" * 7990,
}


def run(parties: Parties, name: str, arguments: dict[str, Any]) -> Any:
    """As REST and MCP do: cleaned, checked, run."""
    return registry.get(name).run(Call(parties.coder, None, "rest"), clean_object(arguments))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_is_kept_found_and_forgotten_like_another(parties: Parties, text: str) -> None:
    control = run(parties, "remember", {"text": "plain bread", "scope": "global"})
    stored = run(parties, "remember", {"text": text, "scope": "global"})
    item = GovernanceItem.objects.get(ref=stored.ref)
    kept = text.replace("\r", "").strip()
    assert item.text == kept
    assert run(parties, "remember", {"text": text, "scope": "global"}).duplicate_of == stored.ref
    if item.status == "needs_review":
        lifecycle.accept(principal=parties.person, reference=item.ref)
    assert run(parties, "check_duplicate", {"text": text}).duplicate
    refs = {hit.ref for hit in run(parties, "recall", {"query": text[:4000], "sort": "recent"}).items}
    assert stored.ref in refs or "b" * 100 in text or item.flags
    assert run(parties, "forget", {"memory_id": control.ref}).forgotten
    assert differences(parties.user) == []


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_may_stand_where_something_else_is_expected(parties: Parties, text: str) -> None:
    run(parties, "remember", {"text": "plain bread"})
    before = GovernanceItem.objects.count()
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("remember", {"text": "plain", "category": text}),
        ("remember", {"text": "plain", "scope": text}),
        ("remember", {"text": "plain", "valid_from": text}),
        ("remember", {"text": "plain", "supersedes": text}),
        ("remember", {"text": "plain", "ttl_days": text}),
        ("forget", {"memory_id": text}),
        ("recall", {"cursor": text}),
        ("recall", {"as_of": text}),
        ("recall", {"known_at": text}),
        ("recall", {"limit": text}),
        ("recall", {"sort": text}),
        ("recall", {"category": text}),
        (text, {}),
    ]
    for name, arguments in wrong:
        with pytest.raises(DomainError) as refused:
            run(parties, name, arguments)
        assert refused.value.status in {404, 422}, (name, arguments)
        refused.value.message.encode()
        assert all(str(sentence).isprintable() for sentence in refused.value.fields.values())
    assert GovernanceItem.objects.count() == before
    assert run(parties, "recall", {"tags": [text[:80]]}).items == []


def test_what_no_database_can_hold_is_refused_or_removed(parties: Parties) -> None:
    for arguments in ({"text": "bread \ud800"}, {"text": "bread", "tags": ["\udfff"]}, {"text": "bread", "\ud800": 1}):
        with pytest.raises(Invalid) as refused:
            run(parties, "remember", arguments)
        str(refused.value.body()).encode()
    done = run(parties, "remember", {"text": "bre\x00ad\x07 rolls", "tags": ["fo\x00od"]})
    item = GovernanceItem.objects.get(ref=done.ref)
    assert (item.text, item.memory.tags) == ("bread rolls", ["food"])
    assert [hit.ref for hit in run(parties, "recall", {"query": "bre\x00ad", "tags": ["food\x00"]}).items] == [done.ref]


def test_the_service_itself_needs_no_surface_to_be_safe(parties: Parties) -> None:
    item = remember_note(principal=parties.coder, text="bre\x00ad", tags=["fo\x00od", "  ", "\u0000"]).admission.item
    assert item is not None
    assert (item.text, item.memory.tags) == ("bread", ["food"])
    for options in ({"text": "\ud800 bread"}, {"text": "bread", "tags": ["\ud800"]}):
        with pytest.raises(Invalid):
            remember_note(principal=parties.coder, **options)


def test_a_megabyte_is_refused_in_every_field(parties: Parties) -> None:
    huge = "bread " * 175_000
    for name, field in (
        ("remember", "text"), ("recall", "query"), ("check_duplicate", "text"), ("forget", "memory_id"),
        ("recall", "cursor"), ("remember", "supersedes"),
    ):  # fmt: skip
        arguments = {"text": "bread"} if name == "remember" else {}
        with pytest.raises(Invalid) as refused:
            run(parties, name, {**arguments, field: huge})
        assert list(refused.value.fields) == [field]
        assert len(str(refused.value.body())) < 2000
    assert not GovernanceItem.objects.exists()


def test_twenty_tags_of_eighty_characters_are_kept_and_more_are_refused(parties: Parties) -> None:
    tags = [f"{number:02}" + "é" * 78 for number in range(20)]
    done = run(parties, "remember", {"text": "bread", "tags": tags})
    assert GovernanceItem.objects.get(ref=done.ref).memory.tags == tags
    for wrong in ([*tags, "more"], ["x" * 81], [""], "bread", [1], [None], [["x"]]):
        with pytest.raises(Invalid):
            run(parties, "remember", {"text": "rolls", "tags": wrong})
    # a capital that is two letters when it is small
    grown = run(parties, "remember", {"text": "rolls", "tags": ["İ" * 40]})
    assert GovernanceItem.objects.get(ref=grown.ref).memory.tags == ["İ".lower() * 40]
    with pytest.raises(Invalid):
        run(parties, "remember", {"text": "cake", "tags": ["İ" * 80]})


@pytest.mark.parametrize(
    "forged",
    [
        "origin",
        "actor",
        "user",
        "owner",
        "status",
        "confidence",
        "privacy",
        "ref",
        "pinned",
        "agent",
        "include_sensitive",
    ],
)
@pytest.mark.parametrize("name", ["remember", "recall", "forget", "check_duplicate"])
def test_nobody_sends_what_the_server_decides(parties: Parties, name: str, forged: str) -> None:
    good: dict[str, dict[str, Any]] = {
        "remember": {"text": "bread"},
        "recall": {"query": "bread"},
        "forget": {"memory_id": run(parties, "remember", {"text": "rolls"}).ref},
        "check_duplicate": {"text": "bread"},
    }
    before = GovernanceItem.objects.count()
    with pytest.raises(Invalid) as refused:
        run(parties, name, {**good[name], forged: "user_channel"})
    assert list(refused.value.fields) == [forged]
    assert GovernanceItem.objects.count() == before
    run(parties, name, good[name])
