"""Which projects a view is about: that of the conversation, and those that the latest words mention."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from conversations.models import Conversation, Project
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.text import analyse

# So many projects are looked at, the one at hand first; more than an owner keeps in mind.
MOST = 500
MENTIONED_MOST = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A project of the owner. ``listed``: neither archived nor named in words that belong in no prompt."""

    id: int
    slug: str
    name: str
    listed: bool


@dataclass(frozen=True, slots=True)
class Projects:
    """``this`` is that of the conversation or of the call; ``others`` are neither it nor mentioned."""

    this: Named | None
    mentioned: tuple[Named, ...]
    others: tuple[Named, ...]

    @property
    def near(self) -> list[int]:
        return [project.id for project in (*([self.this] if self.this else []), *self.mentioned)]


def projects_of(principal: Principal, slug: str | None, query: str) -> Projects:
    """The owner's projects as seen from the conversation of ``principal``; ``slug`` wins over the conversation's."""
    here = Conversation.objects.filter(pk=principal.conversation_id or 0, project_id=OuterRef("pk"))
    at_hand = Q(slug=slug) if slug is not None else Exists(here)
    projects = Project.objects.visible_to(principal).annotate(at_hand=at_hand).order_by("-at_hand", "slug")
    rows = projects.values_list("pk", "slug", "name", "archived", "flagged", "at_hand")[:MOST]
    known = [
        (Named(pk, named, " ".join(name.split()), not (archived or flagged)), is_this)
        for pk, named, name, archived, flagged, is_this in rows
    ]
    this = next((one for one, is_this in known if is_this), None)
    rest = [one for one, is_this in known if one.listed and not is_this]
    asked = f" {' '.join(analyse(query).exact)} " if query else ""
    mentioned = [one for one in rest if asked and _is_named(one, asked)][:MENTIONED_MOST]
    return Projects(this, tuple(mentioned), tuple(one for one in rest if one not in mentioned))


def _is_named(project: Named, asked: str) -> bool:
    """Whether its name or slug stands among the words asked, as words."""
    return any(
        words and f" {' '.join(words)} " in asked
        for words in (analyse(project.name).exact, analyse(project.slug).exact)
    )
