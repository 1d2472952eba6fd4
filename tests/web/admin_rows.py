"""One row of everything that ``/admin`` lists, made by the services of the product where there is one."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.urls import reverse
from django.utils import timezone

from conversations.models import Conversation, Project
from graph.facts.adding import NewFact, add_fact
from graph.facts.merging import merge
from graph.models import Entity, EntityMerge, Triple
from memory.desk.places import Place
from memory.diary.services import write_entry
from memory.models import DiaryEntry, Memory, ScratchNote, TodoTask
from memory.scratch.services import NoteWords, create_note
from memory.todo.services import TaskWords, create_task
from pawflow_web.identity.models import Agent, ApiToken, User
from pawflow_web.jobs.models import JobRun, WorkerBeat
from pawflow_web.jobs.services import open_run
from pawflow_web.web.admin import OwnersAdmin
from review.lifecycle import decide_many, forget, reject
from review.models import (
    ArchiveRequest,
    Batch,
    Believed,
    Evidence,
    Feedback,
    GovernanceItem,
    ImportJob,
    ItemUse,
    JournalEntry,
    Tombstone,
    UseEvent,
)
from tests.factories import AUTOMATION, make_conversation, make_owner, make_person, make_principal, make_project
from tests.web.beliefs import propose, remember

OWNED = (
    Agent,
    ApiToken,
    ArchiveRequest,
    Batch,
    Believed,
    Conversation,
    DiaryEntry,
    Entity,
    EntityMerge,
    Evidence,
    Feedback,
    GovernanceItem,
    ImportJob,
    ItemUse,
    JobRun,
    JournalEntry,
    Memory,
    Project,
    ScratchNote,
    TodoTask,
    Tombstone,
    Triple,
    UseEvent,
)
SHARED = (WorkerBeat,)
MODELS = (*OWNED, *SHARED)
# what stands in the rows of the one owner, and of the other
WORDS, OTHERS = "Quincewood", "Palimpsest"


def fill_records(user: User, words: str, *, agent: str = "ci-bot") -> None:
    """``words`` stand in beliefs in use, waiting and rejected, and in all that hangs on them."""
    person, bot = make_person(user), make_principal(user, agent=agent, origin=AUTOMATION)
    used = remember(user, f"{words} is in use.", tags=[words.lower()])
    propose(user, f"{words} waits.")
    reject(principal=person, reference=propose(user, f"{words} is wrong.").ref)
    forget(principal=bot, reference=remember(user, f"{words} is old.").ref, comment=f"{words} is over")
    decide_many(principal=person, action="accept", references=[propose(user, f"{words} is many.").ref])
    make_conversation(user, title=words)
    make_project(user, name=words)
    write_entry(principal=bot, text=f"I heard of {words}.", tags=[words])
    create_task(place=Place.of(bot), given=TaskWords(subject=f"Look at {words}", owner=words))
    create_note(place=Place.of(bot), given=NoteWords(f"About {words}", f"{words} is here.", [words]))
    for name in ("the elder", "the younger"):
        add_fact(principal=person, fact=NewFact(f"{words} {name}", "lives_near", f"{words} Hill"))
    merge(principal=person, keep=f"{words} the elder", drop=f"{words} the younger")
    open_run("import", user=user)
    now = timezone.now()
    ImportJob.objects.create(user=user, format="mcp-memory", source=words, sha256="0" * 64, started_at=now)
    Feedback.objects.create(item=used, user=user, principal="agent:coder", helpful=True, note=words, at=now)
    event = {"user": user, "item": used, "principal": "agent:coder", "reader": "recall", "rank": 1}
    UseEvent.objects.create(**event, at=now)
    ItemUse.objects.create(item=used, user=user, count=1, last_at=now)
    WorkerBeat.objects.get_or_create(node="here", defaults={"at": now - timedelta(seconds=1)})


@pytest.fixture
def lotta(db: None) -> User:
    user = make_owner("lotta")
    fill_records(user, WORDS)
    return user


@pytest.fixture
def mallory(db: None) -> User:
    user = make_owner("mallory")
    fill_records(user, OTHERS)
    return user


def url_of(model: type[Model], page: str = "changelist", *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def rows_of(model: type[Model], user: User) -> Any:
    """Rows of that owner, found without the admin's own narrowing."""
    entry: OwnersAdmin = admin.site._registry[model]  # type: ignore[assignment]  # all of ours are
    rows = model._base_manager.order_by("pk")
    return rows.filter(**{entry.owner: user}) if entry.owner else rows
