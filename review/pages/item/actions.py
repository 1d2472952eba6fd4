"""What a person can do with one belief now, for ``components/actions.html``."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from review.display.rows import Row
from review.models import GovernanceItem, Privacy, Status
from review.transitions import TABLE


@dataclass(frozen=True, slots=True)
class Action:
    """A real form, or a real link; ``dialog``: the link's page is a question that fits the dialog.

    ``target`` is the id that a form's answer replaces.
    """

    label: str | Promise
    url: str
    post: bool = False
    kind: str = ""
    icon: str = ""
    key: str = ""
    busy: str | Promise = ""
    target: str = ""
    dialog: bool = False


@dataclass(frozen=True, slots=True)
class Actions:
    """``first`` stand side by side, ``more`` in a menu."""

    first: Sequence[Action]
    more: Sequence[Action]


def actions_of(item: GovernanceItem, target: str, *, can_be_undone: bool = False) -> Actions:
    """``can_be_undone``: a decision over it stands that can be taken back."""
    allowed = TABLE[Status(item.status)]
    maker = _Maker(item, target)
    first: list[Action] = []
    if "accept" in allowed:
        first.append(_accepting(maker, item))
    if "correct" in allowed:
        first.append(maker.asks("correct", _("Correct"), key="e", icon="edit"))
    if item.status == Status.ACTIVE:
        first.append(_pinning(maker))
    if "end" in allowed:
        first.append(maker.asks("end", _("End")))
    if "restore" in allowed:
        first.append(maker.does("restore", _("Bring back for review"), busy=_("Bringing back")))
    if item.privacy == Privacy.SECRET:
        first.append(maker.does("reveal", _("Reveal"), icon="eye"))
    if "reject" in allowed:
        first.append(maker.asks("reject", _("Reject"), key="r", kind="danger"))
    if can_be_undone:
        first.append(maker.does("undo", _("Undo"), key="u", icon="undo", kind="plain", busy=_("Undoing")))
    return Actions(first, _rarer(maker, set(allowed)))


def row_actions(row: Row) -> list[Action]:
    """What stands in the menu of its row: other words are asked for, the rest is done by one press."""
    allowed = TABLE[Status(row.status)]
    maker = _Maker(row, "")
    actions: list[Action] = []
    if "correct" in allowed:
        actions.append(maker.asks("correct", _("Correct"), key="e"))
    if row.status == Status.ACTIVE:
        actions.append(_pinning(maker))
    if "forget" in allowed:
        actions.append(maker.does("forget", _("Forget"), key="f"))
    if "reject" in allowed:
        url = reverse("item-reject", args=[row.ref])
        actions.append(Action(_("Reject"), url, post=True, key="r"))
    return actions


def _pinning(maker: "_Maker") -> Action:
    pin = ("unpin", _("Unpin")) if maker.item.pinned else ("pin", _("Pin"))
    return maker.does(*pin, key="p", icon="pin")


def _accepting(maker: "_Maker", item: GovernanceItem) -> Action:
    if item.contradicts_ref:
        look = reverse("review") + f"?item={item.ref}"
        return Action(_("Decide in review"), look, kind="primary", icon="swap")
    label = _("Bring back") if item.status == Status.STALE else _("Accept")
    return maker.does("accept", label, kind="primary", key="a", busy=_("Accepting"))


def _rarer(maker: "_Maker", allowed: set[str]) -> list[Action]:
    more = [maker.asks("edit", _("Change tags, reader or privacy"))]
    if "forget" in allowed:
        more.append(maker.does("forget", _("Forget"), busy=_("Forgetting")))
    return [*more, maker.asks("purge", _("Purge for good"), kind="danger")]


@dataclass(frozen=True, slots=True)
class _Maker:
    item: GovernanceItem | Row
    target: str

    def does(self, verb: str, label: str, **more: str) -> Action:
        """A form that does it at once."""
        url = reverse("item-act", args=[self.item.ref, verb]) if verb != "reveal" else self._route(verb)
        return Action(label, url, post=True, target=self.target, **more)  # type: ignore[arg-type]  # words and codes

    def asks(self, verb: str, label: str, **more: str) -> Action:
        """A link to the question, which the dialog shows."""
        return Action(label, self._route(verb), dialog=True, **more)  # type: ignore[arg-type]  # words and codes

    def _route(self, verb: str) -> str:
        return reverse(f"item-{verb}", args=[self.item.ref])
