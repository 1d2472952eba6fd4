"""REST routes of memories beyond the tools: taking everything along."""

import json
from collections.abc import Iterator
from typing import Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.rest import call_of, reader
from pawflow_web.lib.periods import iso
from pawflow_web.web.streaming import streamed
from review.models import GovernanceItem
from review.present import present_all

router = Router(tags=["memory"])
_CHUNK = 500


@router.get("/export", auth=reader)
def export(request: HttpRequest, format: Literal["jsonl"] = "jsonl") -> StreamingHttpResponse:  # noqa: A002, ARG001
    """One JSON object a line: a header, then every belief. An agent takes along what it may recall, a person
    all of theirs; secret words are masked."""
    principal = call_of(request).principal
    response = StreamingHttpResponse(
        streamed(request, _lines(principal)), content_type="application/x-ndjson; charset=utf-8"
    )
    response["Content-Disposition"] = 'attachment; filename="pawflow-export.jsonl"'
    return response


def _lines(principal: Principal) -> Iterator[str]:
    # The ids are fixed first: nothing comes twice, whatever is written meanwhile.
    ids = list(GovernanceItem.objects.open_to(principal).order_by("pk").values_list("pk", flat=True))
    yield _line({"type": "header", "version": 1, "owner": principal.user_name, "at": iso(now()), "items": len(ids)})
    for start in range(0, len(ids), _CHUNK):
        # Asked again for every part: what was forgotten meanwhile stays behind.
        part = GovernanceItem.objects.open_to(principal).filter(pk__in=ids[start : start + _CHUNK])
        chunk = part.for_display().order_by("pk")
        yield "".join(_line({"type": "item", **shown.model_dump(mode="json")}) for shown in present_all(list(chunk)))


def _line(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
