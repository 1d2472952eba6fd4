from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models

from conversations.models.conversation import Conversation
from conversations.models.turn import Turn
from pawflow_web.lib.ids import new_ref

if TYPE_CHECKING:
    from pawflow_web.identity.principal import Principal

# The kind of what was told here, turn by turn; every other kind names a format of files.
TOLD = "pawflow"
PATH_LONGEST = 2000


class SourceOrigin(models.TextChoices):
    """How a source came here. What was found in a watched folder goes when it goes from there."""

    TOLD = "told"
    SENT = "sent"
    IMPORTED = "imported"
    WATCHED = "watched"


class SessionQuerySet(models.QuerySet["Session"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's, for the person and for each of their agents alike, as their conversations are."""
        return self.filter(user_id=principal.user_id)

    def of_agent(self, name: str) -> Self:
        """Those in which somebody of that name told a turn, those of a sub-agent of that name, and those that the
        product of that name wrote."""
        told = Turn.objects.filter(conversation=models.OuterRef("conversation"), principal=name)
        return self.filter(models.Q(models.Exists(told)) | models.Q(kind=name) | models.Q(state__agent=name))


class Session(models.Model):
    """A conversation as a source of entries: where its records come from, and what reading them has come to.

    Encrypted and temporary conversations have none, so that nothing of them can be searched.
    """

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    conversation = models.OneToOneField(Conversation, on_delete=models.PROTECT, related_name="session")
    kind = models.CharField(max_length=20)
    origin = models.CharField(max_length=10, choices=SourceOrigin)
    # the file that it was read from, with #name where a file holds several; '' for what was told
    path = models.CharField(max_length=PATH_LONGEST, default="", blank=True)
    # the id that the product itself gave it
    session_id = models.CharField(max_length=300)
    # the directory in which it was held
    cwd = models.CharField(max_length=PATH_LONGEST, default="", blank=True)
    # the id or the path of the session that it was begun from
    parent = models.CharField(max_length=PATH_LONGEST, default="", blank=True)
    # when it last changed, as the file says
    mtime = models.DateTimeField()
    # SHA-256 of the whole source, and its bytes
    source_hash = models.CharField(max_length=64)
    size = models.BigIntegerField(default=0)
    # up to which byte it was read; what stands behind is the beginning of a record
    consumed = models.BigIntegerField(default=0)
    # the end of the active branch, and what that branch is
    leaf = models.TextField(default="", blank=True)
    lineage = models.CharField(max_length=64)
    # all records that were read, and the entries that they gave: of every branch, and of the active one
    records = models.IntegerField(default=0)
    entries = models.IntegerField(default=0)
    active_entries = models.IntegerField(default=0)
    bad_lines = models.IntegerField(default=0)
    # why what was read is not all that there is
    reasons = models.JSONField(default=list)
    # what the reader goes on from
    state = models.JSONField(default=dict)
    # the number of its last change in the owner's clock
    changed_seq = models.BigIntegerField()

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(origin__in=SourceOrigin.values), name="conversations_session_origin"
            ),
            # A source that comes again is the same session.
            models.UniqueConstraint(
                fields=["user", "path"], condition=~models.Q(path=""), name="conversations_session_path"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-mtime", "-id"], name="conversations_session_recent"),
            models.Index(fields=["user", "session_id"], name="conversations_session_named"),
        ]

    def __str__(self) -> str:
        return self.path or self.session_id


class Chunk(models.Model):
    """A piece of a source, and what stands where in it.

    ``body`` is its bytes as they came, compressed; none for what was told, whose steps are the source. ``heads`` is
    derived from them: see :mod:`conversations.sessions.heads`.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="chunks", db_index=False)
    number = models.IntegerField()
    # bytes of the source; of what was told, numbers of steps
    start = models.BigIntegerField()
    size = models.BigIntegerField()
    body = models.BinaryField(null=True)
    heads = models.BinaryField()
    entries = models.IntegerField()
    active_entries = models.IntegerField()
    # the number of its last change in the owner's clock: the log that the index follows
    seq = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "number"], name="conversations_chunk_number")]
        indexes = [models.Index(fields=["user", "seq"], name="conversations_chunk_log")]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.number}"


class SessionGone(models.Model):
    """A session that was deleted, for the indexes that still hold its words and for the folder that still holds its
    file."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    session_number = models.BigIntegerField()
    # of its file, which a watched folder is to bring no more; empty for what was told
    path_digest = models.CharField(max_length=64, default="")
    seq = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["user", "seq"], name="conversations_session_gone"),
            models.Index(
                fields=["user", "path_digest"], condition=~models.Q(path_digest=""), name="conversations_session_away"
            ),
        ]

    def __str__(self) -> str:
        return str(self.session_number)
