"""What must be complete before the product answers anything: the registries.

Each app says what it adds in modules of fixed names; importing them all is the start, and afterwards nothing
may be added, so that every surface and every process knows the same things.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.utils.module_loading import autodiscover_modules

from conversations.erasers import erasers as erasers_of_conversations
from pawflow_web.identity.erasers import erasers as erasers_of_agents
from pawflow_web.identity.erasers import holdings, owner_erasers
from pawflow_web.jobs.work import work
from pawflow_web.lib.blocks import registry as blocks
from pawflow_web.lib.drains import registry as drains
from pawflow_web.lib.followers import followers
from pawflow_web.lib.registry import Registry
from pawflow_web.lib.selection import routes
from pawflow_web.lib.tools import registry as tools
from pawflow_web.web.bodies import uploads
from pawflow_web.web.context import seals
from pawflow_web.web.health import readiness
from pawflow_web.web.panels import registry as panels
from review.kinds import kinds
from review.readers import readers

MODULES = ("readiness", "kinds", "readers", "erase", "blocks", "tools", "tasks", "panels")

REGISTRIES: tuple[Registry[Any], ...] = (
    kinds,
    readers,
    blocks,
    tools,
    routes,
    followers,
    drains,
    panels,
    uploads,
    readiness,
    seals,
    work,
    erasers_of_conversations,
    erasers_of_agents,
    owner_erasers,
    holdings,
)


def load_registries() -> None:
    """Import what every app adds, then close the registries."""
    autodiscover_modules(*MODULES)
    for registry in REGISTRIES:
        registry.freeze()


@register("pawflow")
def tools_are_complete(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:  # noqa: ARG001
    """Every tool can be described to every surface: its schemas build and its name is a word."""
    found: list[CheckMessage] = []
    for tool in tools.listed():
        if not tool.name.isidentifier() or tool.name != tool.name.lower():
            found.append(Error(f"The tool {tool.name!r} needs a lower-case name.", id="pawflow.E001"))
        try:
            tool.input_schema(), tool.output_schema()
        except Exception as error:
            found.append(Error(f"The schemas of the tool {tool.name} cannot be built: {error}", id="pawflow.E002"))
    return found
