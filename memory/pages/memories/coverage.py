"""What a search of the memories panel says about itself."""

from django.utils.translation import gettext as _

from pawflow_web.llm.state import state
from review.search.find import Coverage
from review.search.meaning import LATE, NO_EMBEDDER

TURN_ON = "make up EMBEDDINGS=1"


def by(coverage: Coverage) -> str:
    """How it was searched."""
    return _("by words and meaning") if coverage.mode == "hybrid" else _("by words")


def missing(coverage: Coverage) -> str:
    """Why something may be missing; empty where nothing can be."""
    if coverage.complete:
        return ""
    known = {
        "index_behind": _("the newest ones are still being read"),
        "candidate_budget": _("more beliefs hold these words than can be paged through"),
        LATE: _("the meaning of the question was not known in time"),
    }
    reasons = ", ".join(known.get(reason, reason.replace("_", " ")) for reason in coverage.reasons)
    return _("Not complete: %(reasons)s.") % {"reasons": reasons}


def hint(coverage: Coverage) -> str:
    """What would find more: a model, or a little time; empty where there is nothing to say."""
    pending = next((note.partition(":")[2] for note in coverage.notes if note.startswith("vectors_pending:")), "")
    if pending:
        return _("The meaning of %(number)s beliefs is still being read.") % {"number": pending}
    if NO_EMBEDDER not in coverage.notes:
        return ""
    now = state()
    if now.how == "missing":
        return _("Search by meaning is off: %(command)s turns it on.") % {"command": TURN_ON}
    if now.how == "failing":
        return _("Search by meaning is away: the model does not answer (%(why)s).") % {"why": now.failure}
    return _("Search by meaning is off: PAWFLOW_EMBEDDINGS says so.") if now.how == "off" else ""
