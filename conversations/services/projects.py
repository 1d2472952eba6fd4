"""Making and changing projects."""

import re
import unicodedata
from pathlib import Path

from django.db import IntegrityError, transaction

from conversations.models import Project
from conversations.services.words import Words, is_flagged
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import BadRequest, Conflict

LONGEST_SLUG = 80


def create_project(*, principal: Principal, name: str, description: str = "", root: str | None = None) -> Project:
    """A new project; its slug comes from its name and never changes.

    Raises:
        BadRequest: ``root`` is not an existing absolute directory.
        Conflict: there is a project of that slug; ``fields.slug`` names it.
    """
    named, described = Words.of(name, field="name"), Words.of(description, field="description")
    slug = slug_of(named.text)
    directory = checked_root(principal, root) if root else ""
    try:
        with transaction.atomic():
            return Project.objects.create(
                user_id=principal.user_id,
                slug=slug,
                name=named.text,
                description=described.text,
                root=directory,
                flagged=named.flagged or described.flagged,
            )
    except IntegrityError:
        raise Conflict(f"There is already a project {slug}. Take another name.", fields={"slug": slug}) from None


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
    given = {"name": name, "description": description}
    words = {field: Words.of(text, field=field) for field, text in given.items() if text is not None}
    changes: dict[str, object] = {field: new.text for field, new in words.items()}
    if archived is not None:
        changes["archived"] = archived
    if root is not None:
        changes["root"] = checked_root(principal, root) if root else ""
    if not changes:
        return project
    flags = {new.text: new.flagged for new in words.values()}
    if words:
        # Of a name and a description of which one stays, both tell whether the project is fit for a prompt.
        flags |= {text: is_flagged(text) for field in given.keys() - words.keys() if (text := getattr(project, field))}
    with transaction.atomic():
        project = Project.objects.select_for_update().get(pk=project.pk)
        for field, value in changes.items():
            setattr(project, field, value)
        if words:
            # Only what somebody else wrote since then is still to be looked through.
            both = [project.name, project.description]
            project.flagged = any(flags[text] if text in flags else is_flagged(text) for text in both)
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
