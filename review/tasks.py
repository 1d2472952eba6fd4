"""What the worker keeps up to date for this app."""

from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.following import Followed
from pawflow_web.jobs.work import kind_of_work
from pawflow_web.lib.drains import drain
from review.journal.acts import EMBED_DRAIN, INDEX_DRAIN
from review.lifecycle import sweeps
from review.lifecycle.bulk import WORK
from review.pages.outcomes import told_of_many
from review.queue import background
from review.search.embedding import embed_slice
from review.search.index import catch_up, drop_strangers, erased_by_owner, index_of, renew
from review.search.vectors import RETRY

_beliefs = Followed(
    "seq",
    index_of=index_of,
    catch_up=catch_up,
    renew=renew,
    erased=erased_by_owner,
    # Building a large index anew takes seconds; so long others wait for what is new of theirs.
    renewal_s=1.0,
)


@drain(INDEX_DRAIN, where="node")
def beliefs_index(deadline: float) -> bool:
    """Bring the search index of every owner on this node up to the owner's clock, and build those anew whose files
    hold words that were erased since."""
    drop_strangers()
    return _beliefs.follow(deadline)


drain(WORK)(background.work)
kind_of_work(
    WORK,
    title=_("A decision over many"),
    summary=lambda result: told_of_many(result["verb"], result["done"], result["left"]),
)

# Every tick looks; without anything expired that is one statement.
drain("expire_beliefs")(sweeps.expire_beliefs)
kind_of_work("expire_beliefs", title=_("A belief expires"), next_at=sweeps.next_expiry)
drain(sweeps.THIN_USES)(sweeps.thin_uses)
kind_of_work(sweeps.THIN_USES, title=_("Records of use older than 90 days are forgotten"))
drain(EMBED_DRAIN)(embed_slice)
kind_of_work(RETRY, title=_("A belief that could not be embedded is tried again"))
