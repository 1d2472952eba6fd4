from conversations.services.conversations import create_conversation, update_conversation
from conversations.services.deleting import delete_conversation
from conversations.services.projects import create_project, update_project

__all__ = ["create_conversation", "create_project", "delete_conversation", "update_conversation", "update_project"]
