"""``POST /import``: a file of another product, by its raw bytes."""

from collections.abc import Iterator
from io import BytesIO
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router
from pydantic import BaseModel

from memory.importers import background
from memory.importers.formats.registry import AUTO
from memory.importers.material import NAME_MOST
from memory.importers.uploads import UPLOAD_MOST
from pawflow_web.identity.models import User
from pawflow_web.identity.rest import call_of, person
from pawflow_web.lib.errors import TooLarge, UnsupportedMedia

router = Router(tags=["memory"])

_CHUNK = 2**20
_RAW = {"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}}

FormatName = Annotated[str, Query(max_length=32, description="mcp-memory, markdown, dump, or auto: told from the file")]
FileName = Annotated[str, Query(max_length=NAME_MOST, description="what the evidence calls the file")]
AgentName = Annotated[str | None, Query(max_length=64, description="only for this agent; made when it is new")]


class QueuedOut(BaseModel):
    """The job that brings the file; its ``result`` will be the report."""

    job: str
    state: Literal["queued"]


@router.post("/import", auth=person, openapi_extra=_RAW, response={200: dict[str, Any], 202: QueuedOut})
def import_(
    request: HttpRequest,
    format: FormatName = AUTO,  # noqa: A002 - its public name
    dry_run: bool = False,  # noqa: FBT001, FBT002 - a parameter of the query
    agent: AgentName = None,
    name: FileName = "upload",
) -> HttpResponse:
    """Propose what a file holds; everything waits in review. With ``dry_run`` the report at once, and nothing is
    written; else the job that does it."""
    user = User.objects.get(pk=call_of(request).principal.user_id)
    _require_file(request)
    if dry_run:
        stream = BytesIO(b"".join(_body(request, most=background.DRY_RUN_MOST)))
        report = background.dry_run(stream, user=user, name=name, format_name=format, agent=agent)
        return JsonResponse(report.value())
    chunks = _body(request, most=UPLOAD_MOST)
    run = background.start_import(chunks, user=user, name=name, format_name=format, agent=agent)
    return JsonResponse({"job": run.ref, "state": str(run.state)}, status=202)


def _require_file(request: HttpRequest) -> None:
    """Raises :class:`UnsupportedMedia` for a form: it would be imported with everything around the file."""
    if request.content_type == "multipart/form-data":
        raise UnsupportedMedia("Send the file itself as the body, not a form.")


def _body(request: HttpRequest, *, most: int) -> Iterator[bytes]:
    """The body in pieces. Raises :class:`TooLarge` as soon as that is known."""
    length = int(request.headers.get("Content-Length") or 0)
    size = 0
    while length <= most and (chunk := request.read(_CHUNK)):
        size += len(chunk)
        if size > most:
            break
        yield chunk
    if max(length, size) > most:
        raise TooLarge(f"The file is larger than {most // 2**20:,} MiB.")
    if length and not size:
        # A browser's session reads a form for its token before this does.
        raise UnsupportedMedia("Send the file itself as the body, not a form.")
