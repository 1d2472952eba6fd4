"""Looking for one word in every place that this installation keeps anything in.

Tables are enumerated by the database itself, files by the disk: what somebody adds later is looked through as well.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django_q.models import OrmQ

from pawflow_web.identity.idempotency import Reply, once
from pawflow_web.identity.models import IdempotentReply, User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.crypto import unseal
from pawflow_web.lib.db import execute
from pawflow_web.lib.search.schema import EXACT, STEMS
from pawflow_web.lib.text import analyse
from review import lifecycle
from review.display.shape import present_all
from review.gate.proposals import Source
from review.models import ArchiveRequest, Feedback, GovernanceItem, ItemUse, UseEvent
from review.search.index import catch_up, index_of
from review.tasks import beliefs_index
from tests.review.beliefs import Parties, again, said

CANARY = "zyzzogeton"
WORDS = f"The {CANARY} sits in the third drawer"

_TABLES = """
SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1
"""


def places_of(word: str, *principals: Principal) -> set[str]:
    """Every place in which the word stands, in any case, by name. ``principals``: whose exports are looked through."""
    found = {name.removeprefix("public.") for name in tables() if _in_table(name, word)}
    found |= {name for name, text in _encoded() if word.lower() in text.lower()}
    found |= {f"file {name}" for name, content in _files() if word.lower().encode() in content.lower()}
    found |= {f"terms of {user}" for user in User.objects.all() if _in_terms(user, word)}
    found |= {f"export of {one.name}" for one in principals if word.lower() in exported(one).lower()}
    return found


def tables() -> list[str]:
    return [name for (name,) in execute(_TABLES)]


def _in_table(name: str, word: str) -> bool:
    """A row as text has every column in it: text, JSON, arrays, and bytes in hexadecimal."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT 1 FROM {name} AS t WHERE position(%s IN lower(t::text)) > 0"
            " OR position(%s IN t::text) > 0)",
            [word.lower(), word.encode().hex()],
        )
        (held,) = cursor.fetchone() or (False,)
    return bool(held)


def _encoded() -> Iterator[tuple[str, str]]:
    """What stands in a column in another form than as it reads."""
    for session in Session.objects.all():
        yield "session", json.dumps(session.get_decoded())
    for task in OrmQ.objects.all():
        yield "queue", repr(task.task)
    for reply in IdempotentReply.objects.exclude(body=""):
        yield "kept reply", unseal("idempotent reply", reply.body)


def _files() -> Iterator[tuple[str, bytes]]:
    """Everything below the data directory but the files of PostgreSQL itself."""
    folder = settings.ENV.data_dir
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        if path.is_file() and relative.parts[0] not in {"postgres", "run"}:
            yield str(relative), path.read_bytes()


def _in_terms(user: User, word: str) -> bool:
    """Whether the term dictionaries know it, of deleted documents too, which stand there until they are rewritten."""
    snapshot = index_of(user.pk).snapshot()
    if snapshot is None:
        return False
    tokens = analyse(word)
    asked = [(EXACT, token) for token in tokens.exact] + [(STEMS, stem) for stem in tokens.stems]
    return any(snapshot._searcher.doc_freq(field, token) > 0 for field, token in asked)


def exported(principal: Principal) -> str:
    """What this party could take along."""
    items = list(GovernanceItem.objects.open_to(principal).for_display())
    return "\n".join(shown.model_dump_json() for shown in present_all(items))


def index_follows() -> None:
    """Let the indexer of this machine do all there is to do."""
    while beliefs_index(float("inf")):
        pass


def search_files(user: User) -> list[Path]:
    return sorted((settings.ENV.search_dir / str(user.pk)).iterdir())


def keep_a_reply(principal: Principal, body: dict[str, Any], key: str = "k1") -> None:
    """A reply that a retry under that key would get again."""
    once(principal, key, "d" * 64, lambda: Reply(200, json.dumps(body)))


def planted(parties: Parties) -> GovernanceItem:
    """A belief in use whose words stand in every place that can hold words of one."""
    item = said(parties.cron, WORDS, tags=[CANARY], source=Source(quote=WORDS, span=(0, 3), file="notes.md", line=3))
    lifecycle.accept(principal=parties.person, reference=item.ref, comment=f"yes, the {CANARY}")
    said(parties.coder, WORDS)
    seen = again(item)
    rows = {"item": item, "user": parties.user, "at": seen.updated_at}
    Feedback.objects.create(**rows, principal="agent:coder", helpful=True, note=f"{CANARY} helped")
    ArchiveRequest.objects.create(**rows, principal="agent:coder", reason=f"no {CANARY} there")
    UseEvent.objects.create(**rows, principal="agent:coder", reader="recall", rank=1)
    ItemUse.objects.create(item=item, user=parties.user, count=1, last_at=seen.updated_at)
    keep_a_reply(parties.coder, {"similar": [{"text": WORDS}]})
    catch_up(parties.user.pk)
    return seen


PLANTED_IN = {
    "review_governanceitem",
    "memory_memory",
    "review_evidence",
    "review_feedback",
    "review_archiverequest",
    "review_journalpayload",
    "kept reply",
    "terms of alice",
    "export of alice",
    "export of coder",
}
