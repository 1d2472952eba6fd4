"""``manage.py review list|show|accept|reject|correct|undo|restore|end|history``: decisions as a named person."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandParser
from pydantic import BaseModel

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.periods import parse_period
from review import lifecycle
from review.journal.chain import history
from review.models import WAITING, GovernanceItem, Status
from review.queue.waiting import counts
from review.replies import decision_out, event_out, item_out, rejected_out, undone_out, waiting_out
from review.schemas import HistoryOut, QueueOut
from review.search.filters import ItemFilter
from review.search.find import by_reference, find_items

Options = dict[str, Any]


class Command(JsonCommand):
    help = "The review queue, as its owner. Example: manage.py review accept alice 3fa4c1d2e5b6 --json"

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="|".join(_VERBS))
        for name, (help_text, _answer) in _VERBS.items():
            one = verbs.add_parser(name, help=help_text)
            one.add_argument("owner")
            if name == "list":
                _add_list_arguments(one)
            else:
                one.add_argument("ref", help="a belief: 3fa4c1d2e5b6 or '#42'")
            if name not in {"list", "show", "history"}:
                one.add_argument("--reason", default="", help="why, in your words")
                one.add_argument("--revision", type=int, help="refuse unless it is still at this revision")
            self.add_json(one)
        _add_own_arguments(verbs.choices)

    def answer(self, **options: Any) -> dict[str, Any]:
        user = User.objects.filter(username=options["owner"]).first()
        if user is None:
            raise NotFound(f"There is no owner called {options['owner']!a}.")
        _help, answer = _VERBS[options["verb"]]
        return answer(principal_of_user(user), options).model_dump(mode="json", by_alias=True)

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        verb = options["verb"]
        if verb == "list":
            return "\n".join(_line(item) for item in answer["items"]) or "Nothing waits."
        if verb == "history":
            return "\n".join(_event_line(event) for event in answer["items"])
        return _line(answer if verb in {"show", "end"} else answer["item"])


def _add_list_arguments(parser: CommandParser) -> None:
    parser.add_argument("--status", choices=[str(status) for status in WAITING], default=str(Status.NEEDS_REVIEW))
    parser.add_argument("--limit", type=int, choices=range(1, 201), metavar="1..200", default=50)
    parser.add_argument("--cursor", help="the next of the page before")


def _add_own_arguments(parsers: dict[str, CommandParser]) -> None:
    parsers["accept"].add_argument("--demote", metavar="REF", help="the belief whose place it takes")
    parsers["correct"].add_argument("text", help="the words that are true")
    parsers["correct"].add_argument(
        "--override-tombstone", action="store_true", help="insist on words that were rejected before"
    )
    parsers["end"].add_argument("--at", metavar="TIME", help="since when it is not true; default now")


def _line(item: dict[str, Any]) -> str:
    return f"{item['ref']}  #{item['number']:<6} {item['status']:13} {item['reason']:20} {item['text']}"


def _event_line(event: dict[str, Any]) -> str:
    moved = f"{event['from'] or '-'} -> {event['to']}" if event["from"] != event["to"] else ""
    return f"{event['at']}  {event['verb']:16} {event['actor']['name']:16} {moved} {event['note']}".rstrip()


# --- verbs ----------------------------------------------------------------------------------------------------------


def _list(principal: Principal, options: Options) -> BaseModel:
    page = find_items(
        principal,
        narrowed_to=ItemFilter(statuses=(options["status"],)),
        sort="oldest",
        limit=options["limit"],
        cursor=options["cursor"],
        counted=False,
    )
    return QueueOut(items=waiting_out([hit.item for hit in page.hits]), next=page.next, counts=counts(principal))


def _item(principal: Principal, options: Options) -> GovernanceItem:
    return by_reference(GovernanceItem.objects.visible_to(principal), options["ref"])


def _show(principal: Principal, options: Options) -> BaseModel:
    return item_out(_item(principal, options))


def _history(principal: Principal, options: Options) -> BaseModel:
    return HistoryOut(items=[event_out(event) for event in history(_item(principal, options))], next=None)


def _given(principal: Principal, options: Options) -> dict[str, Any]:
    """What every decision takes."""
    return {
        "principal": principal,
        "reference": options["ref"],
        "revision": options["revision"],
        "comment": options["reason"],
    }


def _accept(principal: Principal, options: Options) -> BaseModel:
    return decision_out(lifecycle.accept(demote=options["demote"], **_given(principal, options)))


def _reject(principal: Principal, options: Options) -> BaseModel:
    return rejected_out(lifecycle.reject(**_given(principal, options)))


def _correct(principal: Principal, options: Options) -> BaseModel:
    override = options["override_tombstone"]
    done = lifecycle.correct(text=options["text"], override_tombstone=override, **_given(principal, options))
    return decision_out(done)


def _undo(principal: Principal, options: Options) -> BaseModel:
    return undone_out(lifecycle.undo(**_given(principal, options)))


def _restore(principal: Principal, options: Options) -> BaseModel:
    return decision_out(lifecycle.restore(**_given(principal, options)))


def _end(principal: Principal, options: Options) -> BaseModel:
    period = parse_period(options["at"], principal.zone, field="at") if options["at"] else None
    done = lifecycle.end(
        ended_at=period.first if period else None,
        precision=period.precision if period else "",
        **_given(principal, options),
    )
    return item_out(done.item)


_VERBS: dict[str, tuple[str, Callable[[Principal, Options], BaseModel]]] = {
    "list": ("what waits, the longest waiting first", _list),
    "show": ("one belief", _show),
    "accept": ("let agents use it", _accept),
    "reject": ("it should never have been believed", _reject),
    "correct": ("put other words in its place", _correct),
    "undo": ("take the last decision over it back", _undo),
    "restore": ("bring a rejected one back into review", _restore),
    "end": ("say until when it was true", _end),
    "history": ("everything that happened to it", _history),
}
