"""REST routes of tokens, for people only."""

from django.http import HttpRequest
from ninja import Router
from ninja.responses import Status

from pawflow_web.identity.models import ApiToken, User
from pawflow_web.identity.querysets import NEWEST_FIRST
from pawflow_web.identity.rest import call_of, person
from pawflow_web.identity.schemas import MadeTokenOut, RevokedTokenOut, TokenIn, TokenOut, TokensOut
from pawflow_web.identity.services import create_token, revoke_token
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.rest_types import Cursor, Limit

router = Router(auth=person, tags=["tokens"])


@router.get("/tokens", response=TokensOut)
def tokens(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> TokensOut:
    """The owner's tokens, the newest first, revoked ones included. Never their text."""
    user_id = call_of(request).principal.user_id
    pager = Pager.of("tokens", user_id, {})
    page = pager.page(ApiToken.objects.of_owner(user_id), order=NEWEST_FIRST, limit=limit, cursor=cursor)
    return TokensOut(items=[TokenOut.of(row) for row in page.rows], next=page.next)


@router.post("/tokens", response={201: MadeTokenOut})
def make_token(request: HttpRequest, payload: TokenIn) -> Status[MadeTokenOut]:
    """Make a token; its text is in this reply and nowhere else."""
    user = _owner_deciding(request)
    token, text = create_token(
        user=user,
        agent=payload.agent,
        origin=payload.origin,
        abilities=payload.abilities,
        expires_days=payload.expires,
    )
    return Status(201, MadeTokenOut.of(token, text))


@router.delete("/tokens/{ref}", response=RevokedTokenOut)
def end_token(request: HttpRequest, ref: str) -> RevokedTokenOut:
    """End a token at once."""
    digits = parse_ref(ref)
    if digits is None:
        raise NotFound
    return RevokedTokenOut(id=revoke_token(user=_owner_deciding(request), ref=digits).ref, revoked=True)


def _owner_deciding(request: HttpRequest) -> User:
    """Once more, since the call may have been narrowed after it was let in: a token says more than its maker may."""
    principal = call_of(request).principal
    principal.require_person()
    return User.objects.get(pk=principal.user_id)
