"""What was learned in turns of conversations: the reader of sessions asks for it by its address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.web.render import person_required, render_panel
from review.display.shape import first_words
from review.display.steps import turn_address
from review.models import Evidence, GovernanceItem, Status

TEMPLATE = "review/turns.html"
# Turns that are asked about at once, and beliefs that are told of them.
TURNS_MOST, BELIEFS_MOST = 100, 300
_CHARS = 160


@dataclass(frozen=True, slots=True)
class Learned:
    """A belief as a line."""

    ref: str
    status: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn and the beliefs that were said in it. ``anchor`` is the place for them in the reader, ``status`` that of
    the one which may be trusted most."""

    ref: str
    beliefs: Sequence[Learned]

    @property
    def anchor(self) -> str:
        return f"learned-t-{self.ref.replace(':', '-')}"

    @property
    def url(self) -> str:
        return turn_address(self.ref)

    @property
    def status(self) -> str:
        return next((one.status for one in self.beliefs if one.status == Status.ACTIVE), self.beliefs[0].status)


@require_safe
@person_required
def turn_beliefs(request: HttpRequest) -> HttpResponse:
    """``/review/turns?conversation=ref&turn=run:number&turn=…``: the beliefs that were said in each."""
    asked = [turn for turn in request.GET.getlist("turn") if turn_address(turn)][:TURNS_MOST]
    found = _learned(person_of(request), request.GET.get("conversation", ""), asked)
    turns = [Turn(turn, found[turn]) for turn in dict.fromkeys(asked) if turn in found]
    return render_panel(request, TEMPLATE, {"turns": turns}, partial="places")


def _learned(person: Principal, conversation: str, turns: Sequence[str]) -> Mapping[str, list[Learned]]:
    # The index review_evidence_said_in serves it.
    said = Evidence.objects.filter(user_id=person.user_id, conversation__ref=conversation, turn__in=turns)
    pairs = list(dict.fromkeys(said.order_by("pk").values_list("turn", "item_id")[:BELIEFS_MOST]))
    items = GovernanceItem.objects.visible_to(person).in_bulk({item for _turn, item in pairs})
    found: dict[str, list[Learned]] = {}
    for turn, pk in pairs:
        if pk in items:
            item = items[pk]
            found.setdefault(turn, []).append(Learned(item.ref, item.status, first_words(item, _CHARS)))
    return found
