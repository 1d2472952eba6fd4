from pawflow_web.identity.services.agents import (
    abilities_of,
    ensure_agent,
    find_agent,
    principal_of_agent,
    update_agent,
)
from pawflow_web.identity.services.erasing import erase_agent, erase_owner
from pawflow_web.identity.services.owners import create_owner, ensure_owner
from pawflow_web.identity.services.preferences import close_setup, note_look, time_zones, update_preferences
from pawflow_web.identity.services.sign_in import create_sign_in_link, sign_in_with_password, use_sign_in_link
from pawflow_web.identity.services.tokens import create_token, revoke_token

__all__ = [
    "abilities_of",
    "close_setup",
    "create_owner",
    "create_sign_in_link",
    "create_token",
    "ensure_agent",
    "ensure_owner",
    "erase_agent",
    "erase_owner",
    "find_agent",
    "note_look",
    "principal_of_agent",
    "revoke_token",
    "sign_in_with_password",
    "time_zones",
    "update_agent",
    "update_preferences",
    "use_sign_in_link",
]
