"""After anything that may happen to facts, what is kept beside them is what a count from nothing says."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.facts.ending import invalidate
from graph.facts.hubs import hubs
from graph.facts.linking import words_of_name
from graph.facts.merging import merge, undo_merge
from graph.facts.parts import Parts, normal
from graph.models import Entity, EntityMerge, EntityName, EntityWord, Triple
from pawflow_web.lib.errors import DomainError
from review import lifecycle
from review.journal.chain import verify
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.graph.facts import add, fact
from tests.review.beliefs import Parties

NAMES = ("Ada", "ADA", "Bea", "Cleo", "Porto")
SPOKEN = ("coder", "cron", "person")

names = st.sampled_from(NAMES)
adds = st.tuples(
    st.just("add"), st.sampled_from(SPOKEN), names, st.sampled_from(["knows", "lives_in", "email"]), names,
    st.sampled_from(["global", "global", "agent"]), st.sampled_from([None, "2019", "2999"]),
    st.sampled_from([None, None, "2020", "3000"]),
)  # fmt: skip
deeds = st.tuples(
    st.sampled_from(
        ["accept", "reject", "undo", "forget", "end", "secret", "sensitive", "normal", "agent", "global", "purge"]
    ),
    st.integers(0, 30),
)
merges = st.tuples(st.just("merge"), names, names)
unmerges = st.tuples(st.just("unmerge"), st.integers(0, 5))


def do(parties: Parties, deed: tuple[object, ...]) -> None:
    verb, *rest = deed
    if verb == "add":
        who, subject, predicate, last, scope, start, end = rest
        speaker = getattr(parties, str(who))
        place = scope if who != "person" else "global"
        add(speaker, str(subject), str(predicate), str(last), scope=place, valid_from=start, valid_to=end)
    elif verb == "merge":
        merge(principal=parties.person, keep=str(rest[0]), drop=str(rest[1]))
    elif verb == "unmerge":
        rows = list(EntityMerge.objects.order_by("pk"))
        if rows:
            undo_merge(principal=parties.person, ref=rows[int(str(rest[0])) % len(rows)].ref)
    else:
        items = list(GovernanceItem.objects.select_related("triple").order_by("pk"))
        if items:
            decide(parties, str(verb), items[int(str(rest[0])) % len(items)])


def decide(parties: Parties, verb: str, item: GovernanceItem) -> None:
    person, ref = parties.person, item.ref
    simple: dict[str, Callable[..., object]] = {
        "accept": lifecycle.accept, "reject": lifecycle.reject, "undo": lifecycle.undo, "forget": lifecycle.forget,
    }  # fmt: skip
    if verb in simple:
        simple[verb](principal=person, reference=ref)
    elif verb == "end":
        row = item.triple
        invalidate(principal=person, parts=Parts(row.subject_name, row.predicate, row.object_name, row.is_value))
    elif verb == "purge":
        purge(principal=person, reference=ref, confirm=ref)
    else:
        changes = lifecycle.Changes(**{"scope" if verb in {"agent", "global"} else "privacy": verb})
        lifecycle.edit(principal=person, reference=ref, revision=item.revision, changes=changes)


def recount(parties: Parties) -> None:
    now = datetime.now(UTC)
    items = {item.pk: item for item in GovernanceItem.objects.owned_by(parties.user.pk)}
    triples = list(Triple.objects.all())
    entity_of = dict(EntityName.objects.values_list("normal", "entity_id"))
    degrees: Counter[int] = Counter()
    seen: set[int] = set()
    for row in triples:
        item = items[row.pk]
        live = item.status in {"active", "superseded"} and item.privacy != "secret" and not item.valid.isempty
        assert (row.live, row.valid) == (live, item.valid), item.text
        ends = [row.subject_id] if row.is_value else [row.subject_id, row.object_id]
        said = [row.subject_name] if row.is_value else [row.subject_name, row.object_name]
        if live:
            assert ends == [entity_of[normal(name)] for name in said], item.text
            seen.update(pk for pk in ends if pk is not None)
        else:
            assert ends in ([None], [None, None]), item.text
        plain = live and not row.is_value and item.scope == "global" and item.privacy == "normal"
        plain = plain and item.expires_at is None and item.valid.upper is None
        plain = plain and (item.valid.lower is None or item.valid.lower <= now)
        assert row.counted == plain, item.text
        degrees.update(pk for pk in ends if plain and pk is not None)
    assert {entity.pk: entity.degree for entity in Entity.objects.all()} == {pk: degrees[pk] for pk in seen}
    assert set(entity_of.values()) == seen
    for name in EntityName.objects.all():
        assert sorted(EntityWord.objects.filter(name=name).values_list("word", flat=True)) == words_of_name(name.name)
    assert EntityWord.objects.exclude(name__in=EntityName.objects.all()).count() == 0
    count_connections(parties)


def count_connections(parties: Parties) -> None:
    """As each caller may read them, against the same door asked one by one."""
    for caller in (parties.person, parties.coder, parties.writer):
        rows = GovernanceItem.objects.recallable(caller).filter(kind="fact", triple__is_value=False)
        ends = Counter(pk for both in rows.values_list("triple__subject_id", "triple__object_id") for pk in both)
        called = dict(Entity.objects.values_list("pk", "name"))
        expected = {called[pk]: number for pk, number in ends.items()}
        assert {hub.entity: hub.connections for hub in hubs(principal=caller, limit=100)} == expected


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(many=st.lists(st.one_of(adds, adds, deeds, deeds, merges, unmerges), min_size=5, max_size=25))
def test_degrees_entities_and_names_are_what_a_recount_says(parties: Parties, many: list[tuple[object, ...]]) -> None:
    with transaction.atomic():
        for deed in many:
            try:
                with transaction.atomic():
                    do(parties, deed)
            except DomainError:
                continue
            recount(parties)
        assert verify(parties.user).differences == []
        transaction.set_rollback(True)


def test_a_copy_that_does_not_agree_is_found(parties: Parties) -> None:
    item = fact(parties.coder, "Lotta", "knows", "Ada")
    assert verify(parties.user).differences == []
    Triple.objects.filter(pk=item.pk).update(live=False, subject=None, object=None, counted=False)
    assert verify(parties.user).differences == [{"ref": item.ref, "field": "facet.live", "journal": True, "row": False}]
    Triple.objects.filter(pk=item.pk).update(valid="[2020-01-01,)")
    assert [found["field"] for found in verify(parties.user).differences] == ["facet.live", "facet.valid"]
