"""Making and changing projects."""

import re
import unicodedata
from pathlib import Path

from django.db import IntegrityError, transaction

from conversations.models import Project
from conversations.services.words import is_flagged
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import BadRequest, Conflict
from pawflow_web.lib.storable import without_secrets

LONGEST_SLUG = 80


def create_project(*, principal: Principal, name: str, description: str = "", root: str | None = None) -> Project:
    """A new project; its slug comes from its name and never changes.

    Raises:
        BadRequest: ``root`` is not an existing absolute directory.
        Conflict: there is a project of that slug; ``fields.slug`` names it.
    """
    name, description = without_secrets(name, field="name"), without_secrets(description, field="description")
    slug = slug_of(name)
    directory = checked_root(principal, root) if root else ""
    try:
        with transaction.atomic():
            return Project.objects.create(
                user_id=principal.user_id,
                slug=slug,
                name=name,
                description=description,
                root=directory,
                flagged=is_flagged(name, description),
            )
    except IntegrityError:
        raise Conflict(f"There is already a project {slug}. Take another name.", fields={"slug": slug}) from None


@transaction.atomic
def update_project(
    *,
    principal: Principal,
    project: Project,
    name: str | None = None,
    description: str | None = None,
    root: str | None = None,
    archived: bool | None = None,
) -> Project:
    """Change what is not None; ``root=""`` clears the root. Raises :class:`BadRequest` for a bad root."""
    words = {"name": name, "description": description}
    given: dict[str, object] = {
        field: None if text is None else without_secrets(text, field=field) for field, text in words.items()
    }
    given["archived"] = archived
    changes: dict[str, object] = {field: value for field, value in given.items() if value is not None}
    if root is not None:
        changes["root"] = checked_root(principal, root) if root else ""
    if changes:
        project = Project.objects.select_for_update().get(pk=project.pk)
        for field, value in changes.items():
            setattr(project, field, value)
        project.flagged = is_flagged(project.name, project.description)
        project.save(update_fields=[*changes, "flagged"])
    return project


def slug_of(name: str) -> str:
    """``"Größe & Form"`` -> ``grosse-form``: ASCII letters, digits and single hyphens, at most 80.

    A name without any such letter gets ``project-`` and a number made from it.
    """
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")
    if slug:
        return slug
    # The code points themselves: the same name gives the same slug on every machine.
    number = sum((index + 1) * ord(letter) for index, letter in enumerate(name))
    return f"project-{number}"


def checked_root(principal: Principal, root: str) -> str:
    """The absolute path of an existing directory, ``~`` expanded. An automation sets none, and so learns of no
    directory whether it exists.

    Raises :class:`BadRequest` saying what to send instead.
    """
    try:
        path = Path(root).expanduser()
        usable = principal.origin == "user_channel" and path.is_absolute() and path.is_dir()
    except (OSError, RuntimeError, ValueError):
        usable = False
    if not usable:
        raise BadRequest(
            f"root is {ascii(root)[:200]}; it must be an existing directory, as an absolute path or with ~. "
            'Create it first, or send "" to clear the root.',
            fields={"root": "must be an existing absolute directory"},
        )
    return str(path)
