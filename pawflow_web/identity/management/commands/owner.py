"""``manage.py owner create|link|list|erase``."""

from typing import Any

from django.core.management.base import CommandParser

from pawflow_web.identity.models import SignInLink, User
from pawflow_web.identity.names import NAME_RULE
from pawflow_web.identity.services import create_owner, create_sign_in_link, erase_owner
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.periods import iso


class Command(JsonCommand):
    help = "Owners and their ways in. Example: manage.py owner create bob --json"

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="create|link|list|erase")
        for verb, text in (
            ("create", "make an owner and a link that signs in once"),
            ("link", "make a fresh link for an owner"),
            ("list", "all owners"),
            ("erase", "erase everything of an owner, for good"),
        ):
            one = verbs.add_parser(verb, help=text)
            self.add_json(one)
            if verb != "list":
                one.add_argument("name", help=NAME_RULE)
            if verb == "erase":
                one.add_argument("--confirm", required=True, metavar="NAME", help="the owner's name once more")

    def answer(self, **options: Any) -> dict[str, Any]:
        if options["verb"] == "list":
            owners = User.objects.filter(clock__isnull=False).order_by("username")
            return {
                "items": [{"owner": user.username, "created_at": iso(user.date_joined)} for user in owners],
                "next": None,
            }
        if options["verb"] == "create":
            return _link(create_owner(options["name"]), created=True)
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise NotFound(f"There is no owner called {options['name']!a}.")
        if options["verb"] == "erase":
            gone = erase_owner(user=user, confirm=options["confirm"], patience_s=None)
            return {"owner": user.username, "erased": gone}
        return _link(user, created=False)

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        if options["verb"] == "list":
            return "\n".join(row["owner"] for row in answer["items"])
        if options["verb"] == "erase":
            left = "Nothing" if answer["erased"] else "Something that the worker goes on with"
            return f"{left} is left of {answer['owner']}."
        return f"Sign in once: {answer['login_url']}"


def _link(user: User, *, created: bool) -> dict[str, Any]:
    url = create_sign_in_link(user)
    link = SignInLink.objects.filter(user=user).latest("pk")
    return {"owner": user.username, "created": created, "login_url": url, "expires_at": iso(link.expires_at)}
