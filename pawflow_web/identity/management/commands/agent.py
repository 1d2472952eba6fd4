"""``manage.py agent set|list|erase``."""

from typing import Any

from django.core.management.base import CommandParser

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import Agent, AgentBeliefs, MemoryRender, Profile, User
from pawflow_web.identity.services import erase_agent, update_agent
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.periods import iso

_YES_NO = {"yes": True, "no": False}


class Command(JsonCommand):
    help = "How much of the memory an agent works with. Example: manage.py agent set alice coder --profile demo --json"

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="set|list|erase")
        change = verbs.add_parser("set", help="change an agent; what is left out stays")
        change.add_argument("owner")
        change.add_argument("agent")
        change.add_argument("--profile", choices=Profile.values, help="demo: what it writes waits; secure: no context")
        change.add_argument("--render", choices=MemoryRender.values, help="the form of the memory in its context")
        change.add_argument("--reads-sensitive", choices=tuple(_YES_NO), help="whether it reads what is personal")
        listing = verbs.add_parser("list", help="an owner's agents")
        listing.add_argument("owner")
        erase = verbs.add_parser("erase", help="erase an agent with its tokens, diary, tasks and notes, for good")
        erase.add_argument("owner")
        erase.add_argument("agent")
        erase.add_argument(
            "--beliefs",
            choices=AgentBeliefs.values,
            required=True,
            help="those that only it could read: review: they wait for the owner; purge: they are erased too",
        )
        for one in (change, listing, erase):
            self.add_json(one)

    def answer(self, **options: Any) -> dict[str, Any]:
        user = User.objects.filter(username=options["owner"]).first()
        if user is None:
            raise NotFound(f"There is no owner called {options['owner']!a}.")
        if options["verb"] == "list":
            return {"items": [_shown(agent) for agent in user.agents.order_by("name")], "next": None}
        if not user.agents.filter(name=options["agent"]).exists():
            raise NotFound(f"{user.username} has no agent called {options['agent'][:80]!a}.")
        if options["verb"] == "erase":
            person, name = principal_of_user(user), options["agent"]
            gone = erase_agent(principal=person, name=name, beliefs=options["beliefs"], patience_s=None)
            return {"agent": name, "erased": gone}
        sensitive = options["reads_sensitive"]
        return _shown(
            update_agent(
                user=user,
                name=options["agent"],
                profile=options["profile"],
                memory_render=options["render"],
                reads_sensitive=None if sensitive is None else _YES_NO[sensitive],
            )
        )

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        if options["verb"] == "erase":
            return f"Nothing is left of {answer['agent']}."
        return "\n".join(_line(row) for row in answer["items"]) if options["verb"] == "list" else _line(answer)


def _shown(agent: Agent) -> dict[str, Any]:
    return {
        "agent": agent.name,
        "profile": agent.profile,
        "render": agent.memory_render,
        "reads_sensitive": agent.reads_sensitive,
        "created_at": iso(agent.created_at),
    }


def _line(row: dict[str, Any]) -> str:
    sensitive = "reads what is personal" if row["reads_sensitive"] else ""
    return f"{row['agent']:20} {row['profile']:10} {row['render']:7} {sensitive}".rstrip()
