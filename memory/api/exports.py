"""REST routes of memories beyond the tools: taking everything along."""

from typing import Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from memory.exports import FORMATS
from pawflow_web.identity.rest import call_of, reader
from pawflow_web.web.streaming import streamed

router = Router(tags=["memory"])


@router.get("/export", auth=reader)
def export(
    request: HttpRequest,
    format: Literal["jsonl", "markdown", "mcp-memory"] = "jsonl",  # noqa: A002 - its public name
) -> StreamingHttpResponse:
    """Everything as JSON lines, as Markdown, or as the file of the MCP memory server.

    An agent takes along what it may recall, a person all of theirs; secret words are masked.
    """
    written = FORMATS[format]
    response = StreamingHttpResponse(
        streamed(request, written.parts(call_of(request).principal)), content_type=written.content_type
    )
    response["Content-Disposition"] = f'attachment; filename="{written.file_name}"'
    return response
