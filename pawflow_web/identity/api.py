"""REST routes of tokens, for people only."""

from datetime import datetime
from typing import Annotated

from django.db.models import Q
from django.http import HttpRequest
from ninja import Query, Router
from ninja.responses import Status

from pawflow_web.identity.models import ApiToken, User
from pawflow_web.identity.rest import call_of, person
from pawflow_web.identity.schemas import MadeToken, NewToken, RevokedToken, TokenPage, TokenShape
from pawflow_web.identity.services import create_token, revoke_token
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.paging import Pager

router = Router(auth=person, tags=["tokens"])


@router.get("/tokens", response=TokenPage)
def tokens(
    request: HttpRequest,
    limit: Annotated[int, Query(ge=1, le=200, description="how many at most")] = 50,
    cursor: Annotated[str | None, Query(max_length=2000, description="the `next` of the page before")] = None,
) -> TokenPage:
    """The owner's tokens, the newest first, revoked ones included. Never their text."""
    user_id = call_of(request).principal.user_id
    pager = Pager.of("tokens", user_id, {})
    rows = ApiToken.objects.filter(user_id=user_id).select_related("agent").order_by("-created_at", "-id")
    position = pager.read(cursor)
    if position is not None:
        at, pk = datetime.fromisoformat(position[0]), position[1]
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=pk))
    page = list(rows[: limit + 1])
    last = page[limit - 1] if len(page) > limit else None
    return TokenPage(
        items=[TokenShape.of(row) for row in page[:limit]],
        next=pager.write([last.created_at.isoformat(), last.pk]) if last else None,
    )


@router.post("/tokens", response={201: MadeToken})
def make_token(request: HttpRequest, payload: NewToken) -> Status[MadeToken]:
    """Make a token; its text is in this reply and nowhere else."""
    user = User.objects.get(pk=call_of(request).principal.user_id)
    token, text = create_token(
        user=user,
        agent=payload.agent,
        origin=payload.origin,
        abilities=payload.abilities,
        expires_days=payload.expires,
    )
    return Status(201, MadeToken.of(token, text))


@router.delete("/tokens/{ref}", response=RevokedToken)
def end_token(request: HttpRequest, ref: str) -> RevokedToken:
    """End a token at once."""
    digits = parse_ref(ref)
    if digits is None:
        raise NotFound
    user = User.objects.get(pk=call_of(request).principal.user_id)
    return RevokedToken(id=revoke_token(user=user, ref=digits).ref, revoked=True)
