"""What may be said of a note beside its words, in the shape in which it is stored."""

from collections.abc import Sequence

from django.db.models import TextChoices

from memory.models.note import TAG_LONGEST, TAGS_MOST, Category, Durability, Importance
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.text import clean


def clean_tags(tags: Sequence[str]) -> list[str]:
    """Lower case, trimmed, without repeats, in the order given. Raises :class:`Invalid` past the bounds."""
    cleaned = list(dict.fromkeys(tag.lower() for tag in spelled_tags(tags)))
    if len(cleaned) > TAGS_MOST:
        raise Invalid(f"{len(cleaned)} tags are too many.", fields={"tags": f"must have at most {TAGS_MOST} entries"})
    for index, tag in enumerate(cleaned):
        if len(tag) > TAG_LONGEST:
            sentence = f"must have at most {TAG_LONGEST} characters"
            raise Invalid(f"A tag has 1 to {TAG_LONGEST} characters.", fields={f"tags.{index}": sentence})
    return cleaned


def spelled_tags(tags: Sequence[str]) -> list[str]:
    """The same in the letters in which they were written: in small ones a key no longer looks like a secret."""
    words = (clean(tag, field="tags").split() for tag in tags)
    return list(dict.fromkeys(" ".join(parts) for parts in words if parts))


def checked_category(category: str | None) -> str:
    """'' for none."""
    return _checked(category, Category, "category") if category is not None else ""


def checked_importance(importance: str) -> str:
    return _checked(importance, Importance, "importance")


def checked_durability(durability: str) -> str:
    return _checked(durability, Durability, "durability")


def _checked(value: str, choices: type[TextChoices], field: str) -> str:
    if value not in choices.values:
        words = ", ".join(choices.values)
        raise Invalid(f"There is no {field} {ascii(value)[:40]}.", fields={field: f"must be one of {words}"})
    return value
