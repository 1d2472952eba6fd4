"""Runs as those who may see them ask for them."""

from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.paging import Page, Pager

_NEWEST_FIRST = ("-pk",)


def find_run(principal: Principal, reference: str) -> JobRun:
    """Raises :class:`NotFound` in the same words whether it exists elsewhere or not."""
    ref = parse_ref(reference)
    run = JobRun.objects.visible_to(principal).filter(ref=ref).first() if ref else None
    if run is None:
        raise NotFound(f"There is no job {ascii(reference)[:40]}.")
    return run


def runs_page(principal: Principal, *, limit: int, cursor: str | None, ended: bool = False) -> Page[JobRun]:
    """The newest first. ``ended``: without those that wait or run."""
    rows = JobRun.objects.visible_to(principal)
    if ended:
        rows = rows.ended()
    pager = Pager.of("jobs", [principal.user_id, principal.kind, principal.agent_id], {"ended": ended})
    return pager.page(rows, order=_NEWEST_FIRST, limit=limit, cursor=cursor)
