"""What the tests of contexts say and ask."""

from typing import Any

from conversations.models import Conversation, Project
from conversations.services import create_conversation, create_project
from memory.notes.services import remember_note
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import Content
from review.journal.acts import act
from review.models import GovernanceItem
from tests.review.beliefs import Parties


def tell(principal: Principal, text: str, *, scope: str = "global", **options: Any) -> GovernanceItem:
    """A belief in use, said by this party."""
    item = remember_note(principal=principal, text=text, scope=scope, **options).admission.item
    assert item is not None
    return item


def texts(content: Content | None) -> list[str]:
    """What a block would show, line by line, without what stands around the words."""
    return [line.words for line in content.lines()] if content else []


def pin(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        current.write(GovernanceItem.objects.locked().get(pk=item.pk), "edit", pinned=True)


def project(parties: Parties, name: str) -> Project:
    return create_project(principal=parties.person, name=name)


def conversation_in(parties: Parties, of: Project | None = None, title: str = "Talk") -> Conversation:
    return create_conversation(principal=parties.person, title=title, external_id=None, project=of)[0]


def within(principal: Principal, conversation: Conversation) -> Principal:
    return principal.within(conversation.pk, conversation.ref)
