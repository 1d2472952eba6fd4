"""Making and changing projects."""

import re
import unicodedata
from itertools import count
from pathlib import Path

from django.db import transaction

from conversations.models import Project
from conversations.services.words import Words, is_flagged
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import translated_commit
from pawflow_web.lib.errors import BadRequest

LONGEST_SLUG = 80
# Where a slug is asked for, this word means no project.
RESERVED = frozenset({"none"})
# Of what tells slugs of the same name apart, with its hyphen.
_LONGEST_NUMBER = 8


def create_project(*, principal: Principal, name: str, description: str = "", root: str | None = None) -> Project:
    """A new project. Its slug comes from its name and never changes: a second ``Web shop`` is ``web-shop-2``.

    Raises:
        BadRequest: ``root`` is not an existing absolute directory.
        Conflict: the owner vanished meanwhile.
    """
    named, described = Words.of(name, field="name"), Words.of(description, field="description")
    directory = checked_root(principal, root) if root else ""
    with translated_commit():
        # Of two projects made at the same moment the later one sees the slug of the other.
        list(User.objects.select_for_update(no_key=True).filter(pk=principal.user_id).values_list("pk"))
        return Project.objects.create(
            user_id=principal.user_id,
            slug=_free_slug(principal.user_id, slug_of(named.text)),
            name=named.text,
            description=described.text,
            root=directory,
            flagged=named.flagged or described.flagged,
        )


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


def _free_slug(user_id: int, slug: str) -> str:
    """``slug`` itself, or the first of ``slug-2``, ``slug-3``, ... that no project of the owner has."""
    start = slug[: LONGEST_SLUG - _LONGEST_NUMBER]
    taken = {*RESERVED, *Project.objects.filter(user_id=user_id, slug__startswith=start).values_list("slug", flat=True)}
    if slug not in taken:
        return slug
    return next(numbered for number in count(2) if (numbered := f"{start.rstrip('-')}-{number}") not in taken)


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
            "Create it first; an empty root means none.",
            fields={"root": "must be an existing absolute directory"},
        )
    return str(path)
