"""One call of a tool: who calls, from where, through which surface."""

from dataclasses import dataclass

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.tools import Surface


@dataclass(frozen=True, slots=True)
class Call:
    principal: Principal
    project: str | None
    surface: Surface

    def require(self, ability: str) -> None:
        """Raises :class:`~pawflow_web.lib.errors.NotAllowed` when the principal lacks the ability."""
        self.principal.require(ability)
