"""What the values of a tool's parameter ``action`` do, and which other parameters each of them takes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pawflow_web.lib.errors import Invalid


class Effect(StrEnum):
    """What a tool does to stored state; the ability it needs and its MCP annotations follow from it."""

    READ = "read"
    WRITE = "write"
    DESTROY = "destroy"

    @property
    def ability(self) -> str:
        return "read" if self is Effect.READ else "write"


@dataclass(frozen=True, slots=True)
class Action:
    """One value of ``action``: its effect, the parameters that it needs and those that it takes besides."""

    effect: Effect
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


def told(actions: Mapping[str, Action]) -> str:
    """What each action needs and takes, a line each, for those who choose among them."""
    return "\n".join(f"- `{name}`: {_parameters_of(action)}" for name, action in actions.items())


def _parameters_of(action: Action) -> str:
    needs, takes = (", ".join(f"`{name}`" for name in names) for names in (action.needs, action.takes))
    if needs and takes:
        return f"{needs}; may have {takes}"
    return needs or (f"may have {takes}" if takes else "nothing more")


def require_known(actions: Mapping[str, Action], parameters: Collection[str]) -> None:
    """Raises :class:`TypeError` for an action that takes what the tool does not have."""
    for name, action in actions.items():
        unknown = {*action.needs, *action.takes} - set(parameters)
        if unknown:
            raise TypeError(f"the action {name} takes {', '.join(sorted(unknown))}, which the tool does not have")


def require_fitting(actions: Mapping[str, Action], action: str, given: Collection[str]) -> None:
    """Raises :class:`Invalid`, naming each parameter in ``given`` that the action does not take, and each that it
    needs and did not get."""
    one = actions[action]
    known = (*one.needs, *one.takes)
    takes = ", ".join(known) or "none"
    wrong = {
        name: f"is not a parameter of {action}; its parameters are {takes}"
        for name in given
        if name not in {*known, "action"}
    }
    missing = {name: f"is required by {action}" for name in one.needs if name not in given}
    faults: dict[str, object] = {**wrong, **missing}
    if faults:
        first = next(iter(faults))
        raise Invalid(f"{first} {faults[first]}.", fields=faults)
