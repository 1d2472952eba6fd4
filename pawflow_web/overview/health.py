"""Whether what the product stands on works, in words; what does not comes first and says what to do."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from pawflow_web.jobs.services.beats import ALIVE_FOR
from pawflow_web.lib.search.tail import WITHOUT_INDEX_LIMIT
from pawflow_web.llm.state import state
from pawflow_web.overview.facts import Facts
from pawflow_web.web.context import Seal
from pawflow_web.web.health import readiness
from pawflow_web.web.templatetags.pawflow import thousands
from pawflow_web.web.times import short_time
from review.search.index import index_of

# A change is in the index within seconds; more than these waiting means that nobody puts them there.
_BEHIND = 2_000


@dataclass(frozen=True, slots=True)
class Sign:
    """One part: how it is, whether it is broken, and then a command that a person can copy, or a place to go."""

    part: str | Promise
    words: str | Promise
    broken: bool = False
    command: str = ""
    url: str = ""


def signs_of(user_id: int, facts: Facts, seal: Seal | None) -> list[Sign]:
    """Every part, broken ones first."""
    signs = [_worker(facts), _index(user_id, facts), _meaning()]
    if seal is not None:
        words = f"{seal.title}, {seal.detail}" if seal.intact else seal.title
        signs.append(Sign(_("Journal"), words, not seal.intact, seal.command, seal.url))
    return _broken_first(signs)


def _broken_first(signs: Iterable[Sign]) -> list[Sign]:
    return sorted(signs, key=lambda sign: not sign.broken)


def _worker(facts: Facts) -> Sign:
    part = _("Worker")
    seen = facts.worker_seen_at
    if seen is None:
        words = _("none is running: imports, sweeps and the index wait")
    elif timezone.now() - seen > ALIVE_FOR:
        when = short_time(timezone.localtime(seen), now=timezone.localtime())
        words = _("last seen %(when)s: imports, sweeps and the index wait") % {"when": when}
    else:
        return Sign(part, _("at work"))
    return Sign(part, words, broken=True, command=".venv/bin/python manage.py worker")


def _index(user_id: int, facts: Facts) -> Sign:
    part = _("Search index")
    check = readiness.find("index")
    if check is not None and not check():
        return Sign(part, _("this server may not write its folder: searches read the database"), broken=True)
    reached = index_of(user_id).watermark
    if reached is None and facts.beliefs <= WITHOUT_INDEX_LIMIT:
        return Sign(part, _("up to date"))
    behind = facts.newest_change - (reached or 0)
    if behind <= 0:
        return Sign(part, _("up to date"))
    words = _("%(number)s changes behind") % {"number": thousands(behind)}
    return Sign(
        part, words, broken=behind > _BEHIND, command=".venv/bin/python manage.py worker" if behind > _BEHIND else ""
    )


def _meaning() -> Sign:
    part = _("Search by meaning")
    now = state()
    if now.how == "on":
        return Sign(part, _("on, with %(model)s") % {"model": now.model})
    if now.how == "starting":
        return Sign(part, _("starting"))
    if now.how == "failing":
        words = _("the model does not answer (%(why)s): words alone are searched") % {"why": now.failure}
        return Sign(part, words, broken=True)
    words = _("off: words alone are searched")
    return Sign(part, words, command="make up EMBEDDINGS=1" if now.how == "missing" else "")
