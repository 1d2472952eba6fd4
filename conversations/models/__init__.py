from conversations.models.conversation import Conversation
from conversations.models.project import Project

__all__ = ["Conversation", "Project"]
