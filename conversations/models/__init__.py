from conversations.models.conversation import Conversation
from conversations.models.project import Project
from conversations.models.turn import Run, Step, StepKind, Turn

__all__ = ["Conversation", "Project", "Run", "Step", "StepKind", "Turn"]
