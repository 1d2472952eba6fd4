"""For every route and every tool, what belongs to somebody else reads like what never existed.

Routes and tools are enumerated, so a new one is covered by existing; what this file cannot fill in fails.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from ninja.operation import Operation

from pawflow_web.api import api
from pawflow_web.identity.models import ApiToken, User
from pawflow_web.identity.rest import person as person_only
from pawflow_web.jobs.services import cancel_run, open_run
from pawflow_web.lib.tools import registry
from tests.factories import AUTOMATION, make_conversation, make_person_token, make_project, make_token
from tests.recall.asking import sent
from tests.recall.pi_lines import talk
from tests.surfaces.conftest import Rest
from tests.surfaces.examples import EXAMPLES, noted, remembered, to_do, written

NEVER = {"ref": "0123456789ab", "slug": "never-used"}


@dataclass(frozen=True)
class Owned:
    """What alice has, one of each sort."""

    conversation: str
    project: str
    token: str
    item: str
    tombstone: str
    batch: str
    archive_request: str
    job: str
    entry: str
    task: str
    note: str
    merge: str
    session: str
    upload: str


@pytest.fixture
def owned(alice: User, agent: Rest, person: Rest) -> Owned:
    waiting = Rest(make_token(alice, agent="nightly", origin=AUTOMATION))
    rejected = remembered(waiting, "The old server is called thunder")
    tombstone = person.post(f"/review/{rejected}/reject", {}).json["tombstone"]
    gone = person.post("/review/bulk", {"action": "reject", "refs": [remembered(waiting, "The first server")]})
    unwanted = remembered(agent, "The second server")
    asked = agent.post("/tools/memory_archive_suggestion", {"ref": unwanted, "reason": "It is gone"})
    return Owned(
        conversation=make_conversation(alice).ref,
        project=make_project(alice).slug,
        token=ApiToken.objects.filter(user=alice).latest("pk").ref,
        item=remembered(waiting),
        tombstone=tombstone,
        batch=gone.json["batch"],
        archive_request=asked.json["request"],
        job=ended_job(alice),
        entry=written(agent, "I saw thunder over the release"),
        task=to_do(agent, "Look at thunder before the release"),
        note=noted(agent, "What thunder did at the release"),
        merge=merged(agent, person),
        session=sent(agent, "thunder.jsonl", talk("thunder before the release"))["ref"],
        upload=agent.post("/sessions/uploads").json["upload"],
    )


def merged(agent: Rest, person: Rest) -> str:
    agent.post("/tools/kg_add", {"subject": "thunder", "predicate": "runs", "object": "release"})
    agent.post("/tools/kg_add", {"subject": "thunder one", "predicate": "runs", "object": "release"})
    ref: str = person.post("/graph/entities/merge", {"keep": "thunder", "drop": "thunder one"}).json["merge"]
    return ref


def ended_job(user: User) -> str:
    run = open_run("import", user=user)
    cancel_run(run)
    return run.ref


# --- routes ---------------------------------------------------------------------------------------------------

# The start of a path up to its parameter: which of alice's things belongs there.
FILL = {
    "/conversations/{ref}": "conversation",
    "/projects/{slug}": "project",
    "/tokens/{ref}": "token",
    "/items/{ref}": "item",
    "/review/tombstones/{ref}": "tombstone",
    "/review/batches/{ref}": "batch",
    "/review/archive-requests/{ref}": "archive_request",
    "/review/{ref}": "item",
    "/jobs/{ref}": "job",
    "/graph/merges/{ref}": "merge",
    "/sessions/{ref}": "session",
    "/sessions/uploads/{ref}": "upload",
}
# What a route needs in its body to get as far as looking.
BODIES: dict[str, dict[str, Any]] = {
    "POST /conversations/{ref}/turns": {
        "run": "r1",
        "turns": [{"role": "user", "steps": [{"kind": "message", "content": "Hello"}]}],
    },
    "PATCH /items/{ref}": {"revision": 1, "pinned": True},
    "POST /review/{ref}/correct": {"text": "The new server is called thunder"},
    "POST /review/archive-requests/{ref}": {"decision": "decline"},
    "POST /items/{ref}/purge": {"confirm": "{ref}"},
    "PATCH /sessions/{ref}": {"leaf": "e0"},
}
# What it needs in its query for that, and which do not get further without a file.
QUERIES = {"POST /sessions/uploads/{ref}/finish": "?path=s.jsonl"}
TAKE_A_FILE = {"PATCH /sessions/uploads/{ref}", "POST /sessions/uploads/{ref}/finish"}


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    operation: Operation = field(compare=False)

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(?:\w+:)?(\w+)}", self.path)

    @property
    def person_only(self) -> bool:
        return person_only in self.operation.auth_callbacks

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def filled(self, value: str) -> str:
        return re.sub(r"{[^}]*}", value, self.path) + QUERIES.get(str(self), "")

    def body(self, value: str) -> dict[str, Any] | None:
        """What it needs to get as far as looking; "{ref}" in it stands for the thing itself."""
        if self.method not in {"POST", "PATCH", "PUT"}:
            return None
        return {key: value if given == "{ref}" else given for key, given in BODIES.get(str(self), {}).items()}

    def sort(self) -> str:
        """Which of alice's things the parameter means; the longest start wins."""
        fits = [start for start in FILL if self.path == start or self.path.startswith(f"{start}/")]
        assert fits, f"{self}: say in FILL what its parameter is"
        return FILL[max(fits, key=len)]


def routes() -> Iterator[Route]:
    for router in api._get_bound_routers():
        for path, view in router.path_operations.items():
            for operation in view.operations:
                for method in operation.methods:
                    yield Route(method, f"{router.prefix}{path}", operation)


ROUTES = sorted(routes(), key=str)
WITH_PARAMETERS = [route for route in ROUTES if route.parameters]
PERSON_ONLY = [route for route in ROUTES if route.person_only]


def test_the_lists_are_not_empty() -> None:
    assert len(ROUTES) > 15
    assert {str(route) for route in WITH_PARAMETERS} >= {"GET /conversations/{ref}", "DELETE /tokens/{ref}"}
    assert {str(route) for route in PERSON_ONLY} >= {"POST /tokens", "GET /review", "POST /review/{ref}/accept"}


@pytest.mark.parametrize("route", WITH_PARAMETERS, ids=str)
def test_of_another_owner_reads_like_never_used(owned: Owned, bob: User, alice: User, route: Route) -> None:
    sort = route.sort()
    taken, never = getattr(owned, sort), NEVER["slug" if sort == "project" else "ref"]
    askers = [make_person_token(bob)]
    if not route.person_only:
        askers.append(make_token(bob))

    for token in askers:
        foreign = Rest(token).send(route.method, route.filled(taken), route.body(taken))
        unknown = Rest(token).send(route.method, route.filled(never), route.body(never))
        assert foreign.status == 404, f"{route}: {foreign.status} {foreign.body!r}"
        assert foreign.error["code"] == "not_found"
        assert foreign.body.replace(taken.encode(), b"-") == unknown.body.replace(never.encode(), b"-")
        assert foreign.headers.keys() == unknown.headers.keys()
    own = Rest(make_person_token(alice)).send(route.method, route.filled(taken), route.body(taken))
    assert own.status in {200, 201, 202, 409, *([422] if str(route) in TAKE_A_FILE else [])}, (
        f"{route} does not even find the owner's own: {own.body!r}"
    )


@pytest.mark.parametrize("route", PERSON_ONLY, ids=str)
def test_an_agent_is_refused_before_anything_is_looked_up(
    owned: Owned, agent: Rest, person: Rest, route: Route
) -> None:
    values = [getattr(owned, route.sort()), NEVER["ref"]] if route.parameters else [""]
    replies = [agent.send(route.method, route.filled(value), b"not even JSON") for value in values]

    assert {reply.status for reply in replies} == {403}
    assert len({reply.body for reply in replies}) == 1
    assert person.send(route.method, route.filled(values[-1]), None).status != 403


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_nobody_is_let_in_without_a_token(db: None, route: Route) -> None:
    reply = Rest(None).send(route.method, route.filled(NEVER["ref"]), b"not even JSON")

    assert (reply.status, reply.error["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.method == "GET" and not route.parameters], ids=str
)
def test_lists_of_another_owner_show_nothing_of_the_first(owned: Owned, bob: User, alice: User, route: Route) -> None:
    shown = Rest(make_person_token(bob)).get(route.path)
    texts = [owned.conversation, owned.item, owned.project, owned.token, owned.tombstone, "release", "thunder", "alice"]

    assert shown.status in {200, 422}
    assert [text for text in texts if text.encode() in shown.body] == []


@pytest.mark.parametrize("context", ["conversation", "project"])
@pytest.mark.parametrize("name", registry.names())
def test_a_context_of_another_owner_reads_like_never_used(owned: Owned, bob: User, context: str, name: str) -> None:
    taken, never = getattr(owned, context), NEVER["slug" if context == "project" else "ref"]
    rest = Rest(make_token(bob))
    arguments = EXAMPLES[name](rest)
    replies = {}
    for value in (taken, never):
        by_query = rest.post(f"/tools/{name}?{context}={value}", arguments)
        by_header = rest.post(f"/tools/{name}", arguments, **{f"X-PawFlow-{context.title()}": value})
        assert by_query.status == 404
        assert by_query.body == by_header.body
        replies[value] = by_query.body.replace(value.encode(), b"-")
    assert replies[taken] == replies[never]


# --- tools ----------------------------------------------------------------------------------------------------

# Parameters that name something of an owner's, and what they name.
NAMES_SOMETHING = {"memory_id": "item", "ref": "item", "supersedes": "item", "project": "project", "entry_id": "entry"}
NAMES_SOMETHING |= {"task_id": "task", "note_id": "note"}
# Parameters that name nothing.
NAMES_NOTHING = frozenset(
    [
        "text",
        "tags",
        "scope",
        "category",
        "valid_from",
        "ttl_days",
        "query",
        "tag_mode",
        "as_of",
        "known_at",
        "limit",
        "min_score",
        "cursor",
        "sort",
        "explain",
        "type",
        "offset",
        "name",
        "family",
        "helpful",
        "note",
        "reason",
        "entry",
        "agents",
        "action",
        "external_id",
        "description",
        "active_form",
        "status",
        "owner",
        "blocks",  # tasks of the same list: tests/memory/test_todo.py
        "blocked_by",
        "metadata",
        "revision",
        "topic",
        "content",
        "ttl_hours",
        "before",
        "subject",
        "predicate",
        "object",
        "confidence",
        "source",
        "supersede",
        "allow_self",
        "entity",
        "direction",
        "current",
        "ended",
        "order",
        "question",
        "mode",
        "depth",
        "max_results",
        "from",
        "to",
        "max_hops",
        "full",
        *("queryMode", "queryMatch", "branches", "role", "tool", "provider", "outcome", "since", "until"),
        *("entryRange", "pageSize", "snippetChars", "expectedSourceHash", "expectedLineageFingerprint"),
        *("indices", "entryIds", "operationAddresses", "after", "entryOffset", "textOffset", "maxChars", "maxEntries"),
        "session",  # answered inside the reply: tests/sessions/test_taking_in.py
        *("args", "run_id", "agent", "include_current", "summarize", "per_conversation"),
    ]
)
# Here it names no row: an operation, and a tool.
NAMES_NO_ROW = {("memory_recall", "ref"), ("call", "ref")}
POINTERS = [
    (tool.name, parameter)
    for tool in registry.listed()
    for parameter in tool.params.model_fields
    if parameter in NAMES_SOMETHING and (tool.name, parameter) not in NAMES_NO_ROW
]


def test_each_parameter_is_known_to_name_something_or_nothing() -> None:
    known = NAMES_NOTHING | NAMES_SOMETHING.keys()
    new = {
        f"{tool.name}.{name}" for tool in registry.listed() for name in tool.params.model_fields if name not in known
    }

    assert new == set()


@pytest.mark.parametrize(("name", "parameter"), POINTERS)
def test_a_tool_does_not_know_another_owners_things(owned: Owned, bob: User, name: str, parameter: str) -> None:
    sort = NAMES_SOMETHING[parameter]
    taken, never = getattr(owned, sort), NEVER["slug" if sort == "project" else "ref"]
    rest = Rest(make_token(bob))
    arguments = EXAMPLES[name](rest)

    foreign = rest.post(f"/tools/{name}", {**arguments, parameter: taken})
    unknown = rest.post(f"/tools/{name}", {**arguments, parameter: never})
    assert (foreign.status, unknown.status) == (404, 404)
    assert foreign.body.replace(taken.encode(), b"-") == unknown.body.replace(never.encode(), b"-")


# --- pages ----------------------------------------------------------------------------------------------------

# Pages whose parameter names nothing of an owner's.
OPEN_PAGES = ("login/once/", "static/")


def page_routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from page_routes(pattern.url_patterns, route)
        else:
            yield route


def test_each_page_with_a_parameter_is_known_here() -> None:
    """A page that shows one thing by its id has its own test of the stranger; name it in OPEN_PAGES only if it
    shows nothing of an owner's."""
    found = [
        route
        for route in page_routes(get_resolver().url_patterns)
        if "<" in route and not route.startswith(("api/", *OPEN_PAGES, *PAGES_TESTED_ELSEWHERE))
    ]

    assert found == []


# Prefixes of pages by id, each with the test that a stranger gets 404.
PAGES_TESTED_ELSEWHERE: tuple[str, ...] = (
    "admin/",  # tests/web/test_admin.py
    "diary/",  # tests/web/test_diary_page.py
    "jobs/",  # tests/web/test_jobs_page.py
    "kg/",  # tests/web/test_kg_entity.py
    "items/",  # tests/web/test_item_page.py, test_memories_page.py, test_question_pages.py
    "projects/",  # tests/web/test_projects_pages.py
    "review/archive/",  # tests/web/test_record_pages.py
    "review/batches/",  # tests/web/test_many_at_once.py
    "review/many/",  # tests/web/test_many_in_the_background.py
    "review/refused/",  # tests/web/test_record_pages.py
    "review/(?P<ref>",  # tests/web/test_review_page.py
    "sessions/",  # tests/web/test_sessions_pages.py
    "settings/agents/",  # tests/web/test_settings_pages.py
    "scratchpad/",  # tests/web/test_scratchpad_page.py
    "todo/",  # tests/web/test_todo_page.py
    "settings/tokens/",  # tests/web/test_token_pages.py
)


def test_a_message_may_repeat_only_the_id_that_was_asked_for(person: Rest) -> None:
    body = json.loads(person.get("/conversations/0123456789ab").body)

    assert body == {"error": {"code": "not_found", "message": "There is no conversation '0123456789ab'.", "fields": {}}}
