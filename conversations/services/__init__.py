from conversations.services.conversations import create_conversation, update_conversation
from conversations.services.projects import create_project, update_project

__all__ = ["create_conversation", "create_project", "update_conversation", "update_project"]
