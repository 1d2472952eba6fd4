"""``manage.py token create|list|revoke``."""

from typing import Any

from django.core.management.base import CommandParser

from pawflow_web.identity.models import ApiToken, User
from pawflow_web.identity.querysets import NEWEST_FIRST
from pawflow_web.identity.schemas import MadeTokenOut, TokenOut
from pawflow_web.identity.services import create_token, revoke_token
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref


class Command(JsonCommand):
    help = "Tokens. Example: manage.py token create alice --agent coder --origin user_channel --json"

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="create|list|revoke")
        create = verbs.add_parser("create", help="make a token; its text is shown this once")
        create.add_argument("owner")
        create.add_argument("--agent", help="the agent that speaks with it; without, the person does")
        create.add_argument("--origin", help="user_channel or automation; without, unknown and treated as automation")
        create.add_argument("--abilities", default="read,write", help="of read,write,relay,review (read,write)")
        create.add_argument("--expires", type=int, metavar="DAYS", help="days until it ends; without, never")
        listing = verbs.add_parser("list", help="an owner's tokens")
        listing.add_argument("owner")
        revoke = verbs.add_parser("revoke", help="end a token at once")
        revoke.add_argument("id")
        for one in (create, listing, revoke):
            self.add_json(one)

    def answer(self, **options: Any) -> dict[str, Any]:
        if options["verb"] == "revoke":
            return _revoke(options["id"])
        user = User.objects.filter(username=options["owner"]).first()
        if user is None:
            raise NotFound(f"There is no owner called {options['owner']!a}.")
        if options["verb"] == "list":
            rows = ApiToken.objects.of_owner(user.pk).order_by(*NEWEST_FIRST)
            return {"items": [TokenOut.of(row).model_dump() for row in rows], "next": None}
        token, text = create_token(
            user=user,
            agent=options["agent"],
            origin=options["origin"],
            abilities=[ability.strip() for ability in options["abilities"].split(",") if ability.strip()],
            expires_days=options["expires"],
        )
        return MadeTokenOut.of(token, text).model_dump()

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        if options["verb"] == "list":
            return "\n".join(_line(row) for row in answer["items"])
        return str(answer["token"]) if options["verb"] == "create" else super().words(answer, **options)


def _line(row: dict[str, Any]) -> str:
    abilities = ",".join(row["abilities"]) + ("  revoked" if row["revoked_at"] else "")
    return f"{row['id']}  {row['agent'] or 'person':20} {row['origin'] or 'unknown':13} {abilities}"


def _revoke(text: str) -> dict[str, Any]:
    token = ApiToken.objects.select_related("user").filter(ref=parse_ref(text) or "").first()
    if token is None:
        raise NotFound(f"There is no token {ascii(text)[:40]}.")
    revoke_token(user=token.user, ref=token.ref)
    return {"id": token.ref, "revoked": True}
