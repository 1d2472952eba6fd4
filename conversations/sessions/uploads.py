"""Session files that come in pieces, so that a broken connection costs no more than one."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.db.models import F

from conversations.models import SessionUpload, UploadPiece
from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, NotFound, TooLarge
from pawflow_web.lib.ids import parse_ref

UPLOAD_MOST = 2**30
_PIECE = 2**20
# What nobody finished is forgotten.
KEPT = timedelta(hours=24)


def begin_upload(principal: Principal) -> SessionUpload:
    """An upload to send pieces to."""
    return SessionUpload.objects.create(user_id=principal.user_id)


def find_upload(principal: Principal, ref: str) -> SessionUpload:
    """Raises :class:`NotFound`."""
    upload = SessionUpload.objects.visible_to(principal).filter(ref=parse_ref(ref) or "").first()
    if upload is None:
        raise NotFound(f"There is no upload {ascii(ref)[:100]}.")
    return upload


def append(upload: SessionUpload, offset: int, pieces: Iterable[bytes]) -> int:
    """Keep what comes from byte ``offset`` on. Returns how much is here then; a piece that came whole stays although
    the connection breaks behind it.

    Raises:
        Conflict: another number of bytes is here; ``fields.offset`` names it. Or it is being finished.
        NotFound: somebody finished it meanwhile.
        TooLarge: it is more than an upload may have.
    """
    for piece in pieces:
        for begin in range(0, len(piece), _PIECE):
            offset = _keep(upload, offset, piece[begin : begin + _PIECE])
    if offset != _size(upload):
        raise _elsewhere(upload)
    return offset


def _keep(upload: SessionUpload, offset: int, body: bytes) -> int:
    if offset + len(body) > UPLOAD_MOST:
        raise TooLarge(f"The file is larger than {UPLOAD_MOST // 2**20:,} MiB.")
    with transaction.atomic():
        here = SessionUpload.objects.filter(pk=upload.pk, size=offset, sealed=False)
        if not here.update(size=F("size") + len(body)):
            raise _elsewhere(upload)
        UploadPiece.objects.create(upload=upload, start=offset, body=body)
    return offset + len(body)


def _elsewhere(upload: SessionUpload) -> Conflict:
    size = _size(upload)
    if SessionUpload.objects.filter(pk=upload.pk, sealed=True).exists():
        return Conflict("This upload is being finished: no more comes to it.", fields={"offset": size})
    return Conflict(f"{size:,} bytes are here: go on from there.", fields={"offset": size})


def _size(upload: SessionUpload) -> int:
    size = SessionUpload.objects.filter(pk=upload.pk).values_list("size", flat=True).first()
    if size is None:
        raise NotFound(f"There is no upload {upload.ref}.")
    return size


@contextmanager
def finishing(upload: SessionUpload) -> Iterator[Iterable[bytes]]:
    """What came, in its order; nothing more comes to it, and it is gone when the block ends well. A block that fails
    leaves it as it was. What another process sealed, or left sealed when it was killed, stays so."""
    ours = SessionUpload.objects.filter(pk=upload.pk, sealed=False).update(sealed=True)
    try:
        yield pieces_of(upload)
    except BaseException:
        if ours:
            SessionUpload.objects.filter(pk=upload.pk).update(sealed=False)
        raise
    _forget(upload)


def _forget(upload: SessionUpload) -> None:
    with transaction.atomic():
        # A piece that is being kept at this moment is waited for, and the next one finds nothing.
        SessionUpload.objects.select_for_update().filter(pk=upload.pk).first()
        upload.delete()


def pieces_of(upload: SessionUpload) -> Iterable[bytes]:
    """What came, in its order."""
    for pk in upload.pieces.order_by("start").values_list("pk", flat=True):
        body = UploadPiece.objects.filter(pk=pk).values_list("body", flat=True).first()
        if body is None:
            raise Conflict("Somebody else finished this upload at the same moment.")
        yield bytes(body)


def sweep(deadline: float) -> bool:  # noqa: ARG001 - a slice is a few statements
    """Forget uploads that nobody finished."""
    old = SessionUpload.objects.filter(created_at__lt=now() - KEPT).order_by("created_at")[:20]
    for upload in old:
        _forget(upload)
    return len(old) == 20
