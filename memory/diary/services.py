"""Writing diaries: what an agent notes for itself, and what a person does about it."""

from collections.abc import Sequence

import structlog
from django.db import transaction

from memory.diary.reading import find_entry
from memory.models import Diary, DiaryEntry, DiaryFlag, DiaryType
from memory.notes.facets import clean_tags, spelled_tags
from pawflow_web.identity.clock import now
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import find_agent
from pawflow_web.lib.db import translated_commit
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.scanner import scan
from pawflow_web.lib.storable import looked_through, require_no_secret
from pawflow_web.lib.text import clean, is_blank

log = structlog.get_logger(__name__)

ENTRY_MOST = 8000


def write_entry(
    *, principal: Principal, text: str, entry_type: str = DiaryType.OBSERVATION, tags: Sequence[str] = ()
) -> DiaryEntry:
    """Add an entry to the diary of the agent that speaks.

    Contexts show it at once when the agent speaks for its owner and nothing was found in it; else a person lets it in.
    What looks like a secret is taken out, as of any text that is no belief.

    Raises:
        Invalid: no agent speaks; nothing to see in the entry, too long, or too much found in it; a bad type or tag; a
            secret in a tag or (``PAWFLOW_SECRETS=refuse``) in the entry.
        Conflict: the conversation was deleted at the same moment.
    """
    if principal.agent_id is None:
        raise Invalid("A diary belongs to an agent, and this caller is none. Use the token of an agent.")
    if entry_type not in DiaryType.values:
        choices = ", ".join(DiaryType.values)
        raise Invalid(f"There is no type {ascii(entry_type)[:40]}.", fields={"type": f"must be one of {choices}"})
    words, flags = _looked_at(_shaped(text))
    flags |= _flags_of_tags(tags)
    with translated_commit():
        return DiaryEntry.objects.create(
            user_id=principal.user_id,
            agent_id=principal.agent_id,
            conversation_id=principal.conversation_id,
            type=entry_type,
            text=words,
            tags=clean_tags(tags),
            flags=sorted(flags),
            origin="user_channel" if principal.is_user_channel else "automation",
            admitted=principal.is_user_channel and not flags,
            created_at=now(),
        )


@transaction.atomic
def admit_entry(*, principal: Principal, reference: str, admitted: bool) -> DiaryEntry:
    """Let an entry into the contexts of its agent, or keep it out of them. The log says who did so.

    Raises:
        NotAllowed: only a person may.
        NotFound: there is no such entry of theirs.
    """
    principal.require_person()
    entry = find_entry(principal, reference)
    if entry.admitted != admitted:
        entry.admitted = admitted
        entry.save(update_fields=["admitted"])
        _log_after(principal, "diary_entry_let_in" if admitted else "diary_entry_kept_out", entry)
    return entry


@transaction.atomic
def delete_entry(*, principal: Principal, reference: str) -> DiaryEntry:
    """Delete an entry for good; the log says who did so and names the entry, not its words. Raises as
    :func:`admit_entry` does."""
    principal.require_person()
    entry = find_entry(principal, reference)
    DiaryEntry.objects.filter(pk=entry.pk).delete()
    _log_after(principal, "diary_entry_deleted", entry)
    return entry


@transaction.atomic
def close_diary(*, principal: Principal, agent: str, closed: bool) -> Agent:
    """Close a person's agent's diary to their other agents, or open it again. Raises
    :class:`~pawflow_web.lib.errors.NotAllowed` or :class:`~pawflow_web.lib.errors.NotFound`."""
    principal.require_person()
    owner = find_agent(principal, agent)
    Diary.objects.update_or_create(agent=owner, defaults={"user_id": owner.user_id, "closed": closed})
    transaction.on_commit(
        lambda: log.warning("diary_closed" if closed else "diary_opened", owner=principal.user_name, agent=owner.name)
    )
    return owner


def _shaped(text: str) -> str:
    shaped = clean(text, field="entry").strip()
    if is_blank(shaped):
        raise Invalid("An entry needs words; this one has none.", fields={"entry": "must not be empty"})
    if len(shaped) > ENTRY_MOST:
        raise Invalid(
            f"An entry has 1 to {ENTRY_MOST:,} characters. This one has {len(shaped):,}.",
            fields={"entry": f"must have at most {ENTRY_MOST} characters"},
        )
    return shaped


def _looked_at(text: str) -> tuple[str, set[str]]:
    """What may be kept of it, and what was found."""
    looked = looked_through(text, field="entry")
    if looked.unfinished:
        # Behind so many findings there may be secrets that nobody took out.
        raise Invalid(
            "Too much in this entry looks like a secret, an order or something personal. Write less of it.",
            fields={"entry": "holds too much that has to be looked at"},
        )
    flags: set[str] = {DiaryFlag.SECRET} if looked.text != text else set()
    if any(finding.kind == "injection" for finding in looked.others):
        flags.add(DiaryFlag.INJECTION)
    return looked.text, flags


def _flags_of_tags(tags: Sequence[str]) -> set[str]:
    spelled = spelled_tags(tags)
    for tag in spelled:
        require_no_secret(tag, field="tags")
    found = any(finding.kind == "injection" for tag in spelled for finding in scan(tag))
    return {DiaryFlag.INJECTION} if found else set()


def _log_after(principal: Principal, event: str, entry: DiaryEntry) -> None:
    # A warning, so that it stands in the log of a production server too.
    told = {"owner": principal.user_name, "agent": entry.agent.name, "entry": str(entry)}
    transaction.on_commit(lambda: log.warning(event, **told))
