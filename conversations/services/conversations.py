"""Making and naming conversations."""

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from conversations.models import Conversation, Project
from conversations.services.words import Words
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import translated_commit
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.storable import require_no_secret


def create_conversation(
    *,
    principal: Principal,
    title: str = "",
    external_id: str | None = None,
    project: Project | None = None,
    encrypted: bool = False,
    temporary: bool = False,
) -> tuple[Conversation, bool]:
    """A new conversation and True, or the one with that ``external_id`` as it is and False."""
    words = Words.of(title, field="title")
    if external_id:
        require_no_secret(external_id, field="external_id")
        existing = _with_external_id(principal, external_id)
        if existing is not None:
            return existing, False
    try:
        with transaction.atomic():
            conversation = Conversation.objects.create(
                user_id=principal.user_id,
                title=words.text,
                external_id=external_id or "",
                project=project,
                encrypted=encrypted,
                temporary=temporary,
                flagged=words.flagged,
            )
            conversation.refresh_from_db(fields=["created_at", "updated_at"])
    except IntegrityError:
        # Somebody made it between our look and our insert.
        existing = _with_external_id(principal, external_id or "")
        if existing is None:
            raise
        return existing, False
    return conversation, True


def update_conversation(
    *,
    conversation: Conversation,
    title: str | None = None,
    project: Project | None = None,
    clear_project: bool = False,
) -> Conversation:
    """Rename it, or file it under ``project``; None leaves it as it is, ``clear_project`` takes it out.

    Raises:
        NotFound: it was deleted meanwhile.
        Conflict: the project was.
    """
    changes: dict[str, object] = {}
    if title is not None:
        words = Words.of(title, field="title")
        changes |= {"title": words.text, "flagged": words.flagged}
    if project is not None or clear_project:
        changes["project"] = project
    if changes:
        with translated_commit():
            if not Conversation.objects.filter(pk=conversation.pk).update(**changes, updated_at=Now()):
                raise NotFound(f"The conversation #{conversation.ref} was deleted at the same moment.")
            conversation.refresh_from_db()
    return conversation


def _with_external_id(principal: Principal, external_id: str) -> Conversation | None:
    return Conversation.objects.visible_to(principal).select_related("project").filter(external_id=external_id).first()
