from conversations.models.conversation import Conversation
from conversations.models.project import Project
from conversations.models.session import TOLD, Chunk, Session, SessionGone, SourceOrigin
from conversations.models.turn import Run, Step, StepKind, Turn
from conversations.models.upload import SessionUpload, UploadPiece

__all__ = [
    "TOLD",
    "Chunk",
    "Conversation",
    "Project",
    "Run",
    "Session",
    "SessionGone",
    "SessionUpload",
    "SourceOrigin",
    "Step",
    "StepKind",
    "Turn",
    "UploadPiece",
]
