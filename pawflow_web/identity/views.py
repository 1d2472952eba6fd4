"""Signing in and out, and the tokens of agents."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pawflow_web.identity.forms import SignInForm, TokenForm
from pawflow_web.identity.models import ApiToken, User
from pawflow_web.identity.person import user_of
from pawflow_web.identity.querysets import NEWEST_FIRST
from pawflow_web.identity.services import create_token, revoke_token, sign_in_with_password, use_sign_in_link
from pawflow_web.lib.errors import Invalid, NotFound, RateLimited
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.paging import behind, position_of
from pawflow_web.web.paths import own_path
from pawflow_web.web.render import person_required, render_panel

TOKENS_A_PAGE = 50
_BACKEND = "pawflow_web.identity.backend.PersonBackend"


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """``/login``: name and password. ``next`` leads only to places of our own."""
    onward = own_path(request.POST.get("next") or request.GET.get("next") or "")
    if request.method != "POST":
        if request.user.is_authenticated:
            return redirect(onward or "overview")
        return _sign_in_page(request, SignInForm(), onward, 200)
    form = SignInForm(request.POST)
    if not form.is_valid():
        return _sign_in_page(request, form, onward, 422)
    try:
        user = sign_in_with_password(
            name=form.cleaned_data["username"],
            password=form.cleaned_data["password"],
            address=request.META.get("REMOTE_ADDR") or "",
        )
    except RateLimited as error:
        form.add_error(None, error.message)
        response = _sign_in_page(request, form, onward, error.status)
        response["Retry-After"] = str(error.retry_after)
        return response
    if user is None:
        form.add_error(None, _("This name and password do not go together."))
        return _sign_in_page(request, form, onward, 422)
    # Gives the session a new key: one that somebody else planted before stays worthless.
    login(request, user, backend=_BACKEND)
    return redirect(onward or "overview")


@never_cache
@require_safe
def sign_in_once(request: HttpRequest, secret: str) -> HttpResponse:
    """``/login/once/<secret>``: signs in once. Asking without opening (HEAD, prefetch) does not use it up."""
    if request.method == "HEAD" or _only_prefetches(request):
        # Not a success: a browser that prefetched throws this away and asks again when the person clicks.
        return _private(HttpResponse(status=503))
    # One with the session: where that cannot be stored, the link is as good as before.
    with transaction.atomic():
        user = use_sign_in_link(secret)
        if user is not None:
            login(request, user, backend=_BACKEND)
            request.session.save()
    if user is None:
        return _private(render(request, "identity/link_gone.html", status=410))
    return _private(redirect("overview"))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """``/logout``: ends the session in this browser."""
    logout(request)
    return redirect(settings.LOGIN_URL)


def _sign_in_page(request: HttpRequest, form: SignInForm, onward: str, status: int) -> HttpResponse:
    return render(request, "identity/login.html", {"form": form, "next": onward}, status=status)


def _only_prefetches(request: HttpRequest) -> bool:
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"))
    return any(word in purpose for purpose in purposes for word in ("prefetch", "preview"))


def _private(response: HttpResponse) -> HttpResponse:
    """The secret in the address goes nowhere with a link that is clicked from here."""
    response["Referrer-Policy"] = "no-referrer"
    return response


# --- tokens -----------------------------------------------------------------------------------------------------


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def tokens(request: HttpRequest) -> HttpResponse:
    """``/settings/tokens``: the list and the form; a new token is shown in the answer to its form, and never again."""
    if request.method != "POST":
        return _tokens_page(request, TokenForm(auto_id="token-%s"), 200)
    form = TokenForm(request.POST, auto_id="token-%s")
    if not form.is_valid():
        return _tokens_page(request, form, 422)
    wanted = form.cleaned_data
    try:
        token, text = create_token(
            user=user_of(request),
            agent=wanted["agent"] or None,
            origin=wanted["origin"] or None,
            abilities=wanted["abilities"],
            expires_days=wanted["expires"],
        )
    except Invalid as error:
        form.refused(error.fields)
        return _tokens_page(request, form, 422)
    return _tokens_page(request, TokenForm(auto_id="token-%s"), 201, made=token, text=text)


@never_cache
@require_safe
@person_required
def token_called(request: HttpRequest, ref: str) -> HttpResponse:
    """Whether a token was used yet: the line that waits for an agent's first call beside the commands that make it."""
    token = _own_token(user_of(request), ref)
    return render_panel(request, "identity/token_called.html", {"token": token}, partial="line")


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def token_revoke(request: HttpRequest, ref: str) -> HttpResponse:
    """The question before a token ends, as a page and in the dialog; a POST ends it."""
    user = user_of(request)
    token = _own_token(user, ref)
    if request.method == "POST":
        revoke_token(user=user, ref=token.ref)
        speaker = token.agent.name if token.agent else user.username
        messages.success(request, _("Revoked. The token of %(name)s is refused from now on.") % {"name": speaker})
        return redirect("tokens")
    return render_panel(request, "identity/token_revoke.html", {"token": token}, partial="question")


def _own_token(user: User, ref: str) -> ApiToken:
    token = ApiToken.objects.of_owner(user.pk).filter(ref=parse_ref(ref)).first()
    if token is None:
        raise NotFound
    return token


def _tokens_page(
    request: HttpRequest, form: TokenForm, status: int, *, made: ApiToken | None = None, text: str = ""
) -> HttpResponse:
    rows = _tokens_before(user_of(request), request.GET.get("before", ""))
    context = {
        "form": form,
        "tokens": rows[:TOKENS_A_PAGE],
        "older": rows[TOKENS_A_PAGE - 1].ref if len(rows) > TOKENS_A_PAGE else "",
        "made": made,
        "text": text,
        "base_url": settings.ENV.base_url,
    }
    return render_panel(request, "identity/tokens.html", context, partial="panel", status=status)


def _tokens_before(user: User, ref: str) -> list[ApiToken]:
    """One more than a page, the newest first; from behind the token ``ref`` on, when there is one."""
    rows = ApiToken.objects.of_owner(user.pk)
    last = rows.filter(ref=ref).first() if ref else None
    if last is not None:
        rows = rows.filter(behind(NEWEST_FIRST, position_of(last, NEWEST_FIRST)))
    return list(rows.order_by(*NEWEST_FIRST)[: TOKENS_A_PAGE + 1])
