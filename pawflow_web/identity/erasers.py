"""What hangs on an agent or an owner, so that erasing one leaves nothing of it anywhere.

An app registers here how it goes, in its ``erase.py``: whatever it stores of agents, and of owners what stands outside
of the tables, whose rows go by themselves (:mod:`pawflow_web.identity.owned`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.registry import Registry


@dataclass(frozen=True, slots=True)
class Leaving:
    """An agent that is being erased, by the person whose it is. ``purge``: beliefs that only it could read go too;
    else they come before that person."""

    principal: Principal
    agent: Agent
    purge: bool


# A part, in transactions of its own; True: there is more. Called again after an interruption, it goes on.
Eraser = Callable[[Leaving], bool]

erasers: Registry[Eraser] = Registry("eraser of agents")
# Takes the owner's id, while the rows are still there. Called again after an interruption.
owner_erasers: Registry[Callable[[int], None]] = Registry("eraser of owners")

# What an agent has of one sort, in a few words; empty where it has none.
holdings: Registry[Callable[[Agent], str]] = Registry("holding of agents")


def holding_of_agents(name: str) -> Callable[[Callable[[Agent], str]], Callable[[Agent], str]]:
    """Register a function that says what is at stake when an agent is erased."""

    def register(say: Callable[[Agent], str]) -> Callable[[Agent], str]:
        holdings.add(name, say)
        return say

    return register


def erases_agent(name: str) -> Callable[[Eraser], Eraser]:
    """Register a function as an eraser."""

    def register(erase: Eraser) -> Eraser:
        erasers.add(name, erase)
        return erase

    return register


def erases_owner(name: str) -> Callable[[Callable[[int], None]], Callable[[int], None]]:
    """Register a function as an eraser of what stands outside of the tables."""

    def register(erase: Callable[[int], None]) -> Callable[[int], None]:
        owner_erasers.add(name, erase)
        return erase

    return register
