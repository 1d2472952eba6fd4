from pawflow_web.identity.models.agent import Agent, MemoryRender, Profile
from pawflow_web.identity.models.clock import UserClock
from pawflow_web.identity.models.erasure import AgentBeliefs, Erasure
from pawflow_web.identity.models.idempotency import IdempotentReply
from pawflow_web.identity.models.settings import UserSettings
from pawflow_web.identity.models.sign_in import SignInFailure, SignInLink
from pawflow_web.identity.models.token import ApiToken
from pawflow_web.identity.models.user import User

__all__ = [
    "Agent",
    "AgentBeliefs",
    "ApiToken",
    "Erasure",
    "IdempotentReply",
    "MemoryRender",
    "Profile",
    "SignInFailure",
    "SignInLink",
    "User",
    "UserClock",
    "UserSettings",
]
