"""An owner of whom this installation keeps something in every table that it can keep it in."""

from datetime import timedelta

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.test import Client
from django.utils import timezone

from conversations.models import Conversation
from conversations.services import delete_conversation
from graph.facts.merging import merge
from graph.facts.vocabulary import set_functional
from memory.diary.services import close_diary
from memory.importers import background as imports
from memory.importers.background import start_import
from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.owned import owned_models
from pawflow_web.identity.services import create_sign_in_link
from pawflow_web.jobs.models import Task
from pawflow_web.jobs.services import open_run
from pawflow_web.llm.binding import bind
from review import lifecycle
from review.lifecycle.bulk import decide_many
from tests.conversations.turns import told, turn
from tests.factories import make_conversation, make_project
from tests.graph.facts import fact
from tests.memory.desk import note, task
from tests.memory.diary import write
from tests.recall.asking import sent
from tests.recall.pi_lines import talk as a_session
from tests.review.beliefs import Parties, said
from tests.review.canary import CANARY, keep_a_reply, planted
from tests.review.embedded import follow
from tests.surfaces.conftest import Rest
from tests.web.beliefs import bring_file


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def fill(parties: Parties, token: str) -> None:
    """One row at least in each table of :func:`~pawflow_web.identity.owned.owned_models` but that of erasures.

    Args:
        token: of the agent ``coder``.
    """
    user, person, rest = parties.user, parties.person, Rest(token)
    assert bind() is not None
    planted(parties)
    talk = make_conversation(user, title=f"About the {CANARY}")
    make_project(user, name=f"The {CANARY}")
    said(parties.coder, f"The {CANARY} likes rye", scope="agent")
    said(parties.coder.within(talk.pk, talk.ref), f"The {CANARY} sleeps", scope="private")
    replaced = said(parties.coder, f"The {CANARY} is blue", scope="agent")
    lifecycle.correct(principal=person, reference=replaced.ref, revision=replaced.revision, text=f"{CANARY} is red")
    refused = said(parties.cron, f"The {CANARY} is for sale")
    decide_many(principal=person, action="reject", references=[refused.ref])
    for name in (f"{CANARY} Berg", CANARY):
        fact(parties.coder, name, "knows", f"{name} street")
    merge(principal=person, keep=f"{CANARY} Berg", drop=CANARY)
    set_functional(principal=person, predicates=["lives_in", CANARY])
    first = task(rest, f"Feed the {CANARY}", conversation=talk.ref)
    task(rest, f"Wash the {CANARY}", conversation=talk.ref, blocked_by=[first["id"]])
    note(rest, f"About the {CANARY}")
    told(rest, talk.ref, turn(f"Where does the {CANARY} live?"))
    sent(rest, f"{CANARY}.jsonl", a_session(f"The {CANARY} was here"))
    gone = sent(rest, f"{CANARY}-2.jsonl", a_session(f"The {CANARY} is gone"))
    delete_conversation(principal=person, conversation=Conversation.objects.get(ref=gone["conversation"]))
    begun = rest.post("/sessions/uploads").json["upload"]
    rest.send("PATCH", f"/sessions/uploads/{begun}", CANARY.encode(), **{"Upload-Offset": "0"})
    write(parties.coder, f"I saw the {CANARY}.")
    rest.get(f"/context?conversation={talk.ref}&freeze=true&query={CANARY}")
    bring_file(user, [f"The {CANARY} was imported"], f"{CANARY}.jsonl")
    start_import([f"- The {CANARY} is in a file".encode()], user=user, name=f"{CANARY}.md", agent="coder")
    while imports.work(float("inf")):
        pass
    close_diary(principal=person, agent="coder", closed=True)
    keep_a_reply(parties.coder, {"text": CANARY}, "k2")
    create_sign_in_link(user)
    run = open_run("rebuild", user=user, arguments={"about": CANARY})
    Task.objects.create(kind="thin_uses", user=user, subject=run.ref, next_at=timezone.now() + timedelta(days=1))
    group = Group.objects.create(name=f"friends of {user.username}")
    user.groups.add(group)
    user.user_permissions.add(Permission.objects.all()[0])
    of_agents = ContentType.objects.get_for_model(Agent)
    LogEntry.objects.create(user=user, content_type=of_agents, action_flag=CHANGE, object_repr=CANARY)
    signed_in(user).get("/")
    follow()


def rows_of(user_id: int) -> dict[str, int]:
    """How many rows of each table lead to this owner, over whatever foreign keys there are."""
    return {model._meta.label: _of(model, user_id).count() for model in owned_models()}


def rows_of_others(user_id: int) -> dict[str, int]:
    return {
        model._meta.label: model._default_manager.exclude(pk__in=_of(model, user_id)).count()
        for model in owned_models()
    }


def _of(model: type[models.Model], user_id: int) -> "models.QuerySet[models.Model]":
    if model is User:
        return model._default_manager.filter(pk=user_id)
    return model._default_manager.filter(**{_way(model): user_id})


def _way(model: type[models.Model]) -> str:
    """The shortest chain of fields to the owner. Looked for here by another way than the product's."""
    waiting: list[tuple[type[models.Model], str]] = [(model, "")]
    while True:
        at, path = waiting.pop(0)
        for field in at._meta.get_fields():
            if not isinstance(field, models.ForeignKey):
                continue
            if field.related_model is User:
                return f"{path}{field.name}_id"
            waiting.append((field.related_model, f"{path}{field.name}__"))
