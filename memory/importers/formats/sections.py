"""What a heading says of the notes below it: tags always, a category where its words are plain."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from memory.models.note import TAG_LONGEST, TAGS_MOST, Category
from pawflow_web.lib.characters import MARKS
from pawflow_web.lib.scanner import scan

# Of the headings around a note, so many of the nearest become tags.
_NEAREST = 3
_SLUG_MOST = 40
# What every such file is called; it tells nothing of a note.
_TITLES = frozenset(
    {
        "memory", "memories", "my-memory", "my-memories", "saved-memories", "saved-memory", "notes", "note", "claude",
        "claude-md", "agents", "agents-md", "memory-md", "gemini", "gemini-md", "readme", "overview", "general",
        "misc", "miscellaneous", "other", "others", "index",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meaning:
    """The category that a word in a heading stands for, and the tag that keeps what the category cannot say."""

    category: str
    tag: str = ""


# The types of other products and the kinds of notes that people head their lists with.
_MEANINGS: dict[Meaning, str] = {
    Meaning(Category.FACTS, "identity"): "identity profile user person persona bio biography about who relationship "
    "relationships family",
    Meaning(Category.PREFERENCES): "preference preferences like likes dislike dislikes taste tastes style styles habit "
    "habits favourites favorites",
    Meaning(Category.ADVICE, "rule"): "rule rules instruction instructions guideline guidelines convention conventions "
    "constraint constraints policy policies standard standards feedback correction corrections procedure procedures "
    "workflow workflows requirement requirements",
    Meaning(Category.FACTS, "decision"): "decision decisions adr adrs",
    Meaning(Category.EVENTS): "event events history timeline log logs milestone milestones changelog appointment "
    "appointments temporal",
    Meaning(Category.DISCOVERIES): "discovery discoveries learning learnings learned finding findings insight insights "
    "lesson lessons gotcha gotchas pitfall pitfalls troubleshooting",
    Meaning(Category.ADVICE): "advice tip tips practice practices recommendation recommendations",
    Meaning(Category.FACTS): "fact facts project projects environment setup architecture stack context reference "
    "references structure command commands tooling infrastructure",
}
_BY_WORD = {word: meaning for meaning, words in _MEANINGS.items() for word in words.split()}
_WORD = re.compile(r"[^\W\d_]+")
_NO_SLUG = re.compile(f"(?:[^\\w{MARKS}]|_)+")
# So much of a word can come into its slug.
_READ_MOST = 1000
# More than a note may have; each is scanned, so a long list costs no more than these.
_WORDS_MOST = 5 * TAGS_MOST


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around a note says of it."""

    tags: tuple[str, ...] = ()
    category: str = ""


class Heading:
    """A heading. Its tag is found out when it is asked for, and once: looking for secrets takes longer than all the
    rest of reading."""

    def __init__(self, title: str) -> None:
        self.title = title

    @cached_property
    def tag(self) -> str:
        return tag_of(self.title)


class Around:
    """The headings around a note, outermost first, and what is ``given`` for the whole file.

    What they say is found out when a note asks: a file may be made of headings alone.
    """

    def __init__(self, headings: Sequence[Heading] = (), given: Context = Context()) -> None:
        self._headings = headings
        self._given = given

    @cached_property
    def context(self) -> Context:
        return context_of(self._headings, self._given)


def meaning_of(words: str) -> Meaning | None:
    """What a heading, or the value of a ``type``, stands for where that is plain."""
    found = [_BY_WORD[word] for word in _WORD.findall(words[:200].lower()) if word in _BY_WORD]
    return found[0] if found else None


def context_of(headings: Sequence[Heading], given: Context) -> Context:
    """What the headings around a note, outermost first, add to what is ``given`` for the whole file."""
    found = next((known for heading in reversed(headings) if (known := meaning_of(heading.title))), None)
    # What the file says of itself goes before what a heading lets one guess.
    category = given.category or (found.category if found else "")
    own = [found.tag] if found and found.tag and not given.category else []
    return Context(merged(given.tags, own, [heading.tag for heading in headings[-_NEAREST:]]), category)


def tag_of(title: str) -> str:
    """The tag for a heading; empty for one that is only the name of the file, or that no tag may show."""
    tag = safe_slug(title)[:_SLUG_MOST].strip("-")
    return "" if tag in _TITLES else tag


def safe_slug(word: Any) -> str:
    """The slug of a word of the file; empty where it looks like a secret, which only the letters as they were written
    tell: in small ones, with hyphens, a key is no longer known for one."""
    tag = slug(word)
    return "" if not tag or any(finding.kind == "secret" for finding in scan(word[: 2 * _READ_MOST])) else tag


def safe_slugs(words: Iterable[Any]) -> list[str]:
    """The same of the first of many."""
    return [safe_slug(word) for word in islice(words, _WORDS_MOST)]


def slug(word: Any) -> str:
    """``"Code Module"`` -> ``code-module``; letters of every script stay. Empty for what is no text."""
    if not isinstance(word, str):
        return ""
    return _NO_SLUG.sub("-", word[:_READ_MOST].lower()).strip("-")[:TAG_LONGEST].strip("-")


def merged(*lists: Sequence[str]) -> tuple[str, ...]:
    """Without repeats and blanks, in order, as many as a note may have."""
    return tuple(dict.fromkeys(tag for tags in lists for tag in tags if tag))[:TAGS_MOST]
