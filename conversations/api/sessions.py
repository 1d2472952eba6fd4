"""REST routes of session files, and recall's calls."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from conversations.context import find_project
from conversations.models import Session
from conversations.models.session import PATH_LONGEST
from conversations.recall.walking import walk
from conversations.services import delete_conversation
from conversations.sessions import uploads
from conversations.sessions.files import spooled
from conversations.sessions.formats.registry import FORMATS
from conversations.sessions.navigating import move_leaf
from conversations.sessions.storing import AUTO, FILE_PATH_LONGEST, Source, store_source
from pawflow_web.identity.call import Call
from pawflow_web.identity.rest import call_of, person, reader, writer
from pawflow_web.lib.errors import Invalid, NotFound, TooLarge, UnsupportedMedia
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.periods import first_instant, iso, time_of_query
from pawflow_web.lib.rest_types import Cursor, Limit
from pawflow_web.lib.text import clean
from pawflow_web.lib.tools import registry

router = Router(tags=["sessions"])

_CHUNK = 2**20
_RAW = {"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}}
_ORDER = ("-mtime", "-id")
KINDS = ", ".join(FORMATS)

Kind = Annotated[str, Query(max_length=20, description=f"{AUTO}: told from the file; or one of {KINDS}")]
FilePath = Annotated[str, Query(min_length=1, max_length=FILE_PATH_LONGEST, description="what the file is called")]
Changed = Annotated[
    str | None, Query(max_length=40, description="when the file changed; the newer session stands before the older")
]
ProjectSlug = Annotated[str | None, Query(max_length=80, description="the project that new sessions are filed under")]
Offset = Annotated[str | None, Field(max_length=20)]


class SessionOut(BaseModel):
    ref: str
    kind: str
    path: str
    session_id: str
    cwd: str
    size: int
    source_hash: str
    entries: int
    active_entries: int
    leaf: str | None
    bad_lines: int
    reasons: list[str]
    mtime: str | None
    conversation: str

    @classmethod
    def of(cls, row: Session) -> "SessionOut":
        return cls(
            ref=row.ref,
            kind=row.kind,
            path=row.path,
            session_id=row.session_id,
            cwd=row.cwd,
            size=row.size,
            source_hash=row.source_hash,
            entries=row.entries,
            active_entries=row.active_entries,
            leaf=row.leaf or None,
            bad_lines=row.bad_lines,
            reasons=list(row.reasons),
            mtime=iso(row.mtime),
            conversation=row.conversation.ref,
        )


class TakenOut(SessionOut):
    """The first session of the file, and all of them."""

    sessions: list[SessionOut]


class SessionsOut(BaseModel):
    items: list[SessionOut]
    next: str | None


class UploadOut(BaseModel):
    upload: str
    offset: int


class LeafIn(BaseModel):
    model_config = {"extra": "forbid"}

    leaf: Annotated[str, Field(min_length=1, max_length=512)]


class CallIn(BaseModel):
    model_config = {"extra": "forbid"}

    ref: Annotated[str, Field(min_length=1, max_length=80)]
    args: dict[str, Any]


@router.post("/sessions", auth=writer, openapi_extra=_RAW, response={200: TakenOut, 201: TakenOut})
def take_in(
    request: HttpRequest, path: FilePath, kind: Kind = AUTO, project: ProjectSlug = None, mtime: Changed = None
) -> Status[TakenOut]:
    """Take in a session file. The same path again is the same file: what is new in it is read on."""
    if request.content_type == "multipart/form-data":
        raise UnsupportedMedia("Send the file itself as the body, not a form.")
    return _taken(call_of(request), _body(request), path, kind, project, mtime)


@router.post("/sessions/uploads", auth=writer, response={201: UploadOut})
def begin_upload(request: HttpRequest) -> Status[UploadOut]:
    """Begin to send a file in pieces."""
    upload = uploads.begin_upload(call_of(request).principal)
    return Status(201, UploadOut(upload=upload.ref, offset=0))


@router.get("/sessions/uploads/{ref}", auth=writer, response=UploadOut)
def upload(request: HttpRequest, ref: str) -> UploadOut:
    """How much of it is here."""
    found = uploads.find_upload(call_of(request).principal, ref)
    return UploadOut(upload=found.ref, offset=found.size)


@router.patch("/sessions/uploads/{ref}", auth=writer, openapi_extra=_RAW, response=UploadOut)
def send_piece(request: HttpRequest, ref: str) -> UploadOut:
    """Send bytes from `Upload-Offset` on, which is how much is here."""
    found = uploads.find_upload(call_of(request).principal, ref)
    given = request.headers.get("Upload-Offset", "")
    if not (given.isascii() and given.isdecimal() and len(given) <= 12):
        raise Invalid("Upload-Offset must be a number of bytes.", fields={"Upload-Offset": "must be a number"})
    return UploadOut(upload=found.ref, offset=uploads.append(found, int(given), _body(request)))


@router.post("/sessions/uploads/{ref}/finish", auth=writer, response={200: TakenOut, 201: TakenOut})
def finish_upload(
    request: HttpRequest,
    ref: str,
    path: FilePath,
    kind: Kind = AUTO,
    project: ProjectSlug = None,
    mtime: Changed = None,
) -> Status[TakenOut]:
    """Take in what was sent."""
    call = call_of(request)
    found = uploads.find_upload(call.principal, ref)
    with uploads.finishing(found) as pieces:
        return _taken(call, pieces, path, kind, project, mtime)


@router.get("/sessions", auth=reader, response=SessionsOut)
def sessions(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> SessionsOut:
    """The owner's sessions, the last changed first."""
    principal = call_of(request).principal
    rows = Session.objects.visible_to(principal).select_related("conversation")
    page = Pager.of("rest_sessions", principal.user_id, {}).page(rows, order=_ORDER, limit=limit, cursor=cursor)
    return SessionsOut(items=[SessionOut.of(row) for row in page.rows], next=page.next)


@router.get("/sessions/{ref}", auth=reader, response=SessionOut)
def session(request: HttpRequest, ref: str) -> SessionOut:
    """One session."""
    return SessionOut.of(_find(call_of(request), ref))


@router.patch("/sessions/{ref}", auth=writer, response=SessionOut)
def change_session(request: HttpRequest, ref: str, payload: LeafIn) -> SessionOut:
    """Let its active branch end at `leaf`, the id of a record, until something is appended."""
    return SessionOut.of(move_leaf(session=_find(call_of(request), ref), leaf=payload.leaf))


@router.delete("/sessions/{ref}", auth=person, response=dict[str, bool])
def delete(request: HttpRequest, ref: str) -> dict[str, bool]:
    """Erase it with its conversation and all that only that could read, which cannot be taken back."""
    call = call_of(request)
    delete_conversation(principal=call.principal, conversation=_find(call, ref).conversation)
    return {"deleted": True}


@router.post("/call", auth=reader, response=dict[str, Any])
def call(request: HttpRequest, payload: CallIn) -> HttpResponse:
    """Run a call that an answer of recall gave as `follow` or `next`, unchanged."""
    answer = registry.get("call").run(call_of(request), {"ref": payload.ref, "args": payload.args})
    # As the tools answer: letters as they are, which the room of an answer is counted in.
    return HttpResponse(answer.model_dump_json(), content_type="application/json")


@router.get("/recall/walk", auth=reader)
def walked(
    request: HttpRequest,
    session: Annotated[str, Query(min_length=1, max_length=PATH_LONGEST + 100)],
    branches: Annotated[str, Query(pattern="^(active|all)$")] = "active",
    first: Annotated[int | None, Query(ge=0)] = None,
    last: Annotated[int | None, Query(ge=0)] = None,
) -> StreamingHttpResponse:
    """Every record of a session, one JSON object a line, and a last line that says how it ended."""
    return walk(request, call_of(request), session, branches, first, last)


def _taken(
    call: Call, pieces: Iterable[bytes], path: str, kind: str, project: str | None, mtime: str | None
) -> Status[TakenOut]:
    named = clean(path, field="path")
    if kind not in {AUTO, *FORMATS}:
        raise Invalid(f"There is no kind {ascii(kind)[:40]}.", fields={"kind": f"must be {AUTO}, {KINDS}"})
    slug = project or call.project
    filed = find_project(call.principal, slug) if slug else None
    changed = None if mtime is None else first_instant(time_of_query(mtime), call.principal.zone, field="mtime")
    mine = Session.objects.visible_to(call.principal).filter(Q(path=named) | Q(path__startswith=f"{named}#"))
    known = set(mine.values_list("pk", flat=True))
    with spooled(pieces, most=uploads.UPLOAD_MOST) as data:
        stored = store_source(principal=call.principal, source=Source(named, data, kind, changed), project=filed)
    shown = [SessionOut.of(one) for one in stored]
    made = any(one.pk not in known for one in stored)
    return Status(201 if made else 200, TakenOut(**shown[0].model_dump(), sessions=shown))


def _find(call: Call, ref: str) -> Session:
    rows = Session.objects.visible_to(call.principal).select_related("conversation")
    found = rows.filter(ref=parse_ref(ref) or "").first()
    if found is None:
        raise NotFound(f"There is no session {ascii(ref)[:100]}.")
    return found


def _body(request: HttpRequest) -> Iterator[bytes]:
    """The body in pieces. Raises :class:`TooLarge` as soon as that is known."""
    if int(request.headers.get("Content-Length") or 0) > uploads.UPLOAD_MOST:
        raise TooLarge(f"The file is larger than {uploads.UPLOAD_MOST // 2**20:,} MiB.")
    while piece := request.read(_CHUNK):
        yield piece
