"""Kinds of background work that a person hears of: how a kind is called, and when it is next due."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from pawflow_web.lib.registry import Registry

Text = str | Promise
# When it is next due for the owner with this id; None: never, as things are.
NextAt = Callable[[int], datetime | None]
# What came of it, in a few words; empty: nothing worth saying.
Summary = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Work:
    """``next_at``: where the rows of other apps say it; else the owner's plan of this kind does."""

    kind: str
    title: Text
    next_at: NextAt | None = None
    summary: Summary | None = None


work: Registry[Work] = Registry("kind of work")


def kind_of_work(kind: str, *, title: Text, next_at: NextAt | None = None, summary: Summary | None = None) -> None:
    """Say in an app's ``tasks.py`` how runs and plans of ``kind`` are called."""
    work.add(kind, Work(kind, title, next_at, summary))


def title_of(kind: str) -> Text:
    """How a person calls it; a kind that nobody named goes by its own name."""
    known = work.find(kind)
    return known.title if known else kind.replace("_", " ").capitalize()
