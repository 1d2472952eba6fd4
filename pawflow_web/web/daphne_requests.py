"""What reaches the server below Daphne: bounded before any of it is kept, and bodies of forms left to Django's views.

Daphne hands a request on when its whole body has come, so nothing that the application checks can hold a large one off.
"""

from collections.abc import Callable
from http.client import responses
from typing import Any, cast
from urllib.parse import unquote_to_bytes

from daphne import http_protocol
from django.conf import settings
from django.http import HttpRequest, HttpResponse, parse_cookie
from django.http.request import split_domain_port, validate_host
from django.middleware.security import SecurityMiddleware
from django.utils.translation import gettext as _
from twisted.internet.threads import deferToThread

from pawflow_web.lib.errors import BadRequest, DomainError, TooLarge
from pawflow_web.web.bodies import most_bytes
from pawflow_web.web.errors import error_page, error_response, failure_of
from pawflow_web.web.middleware import content_security_policy, request_id

# So long a client may go on sending what nobody keeps. Closed at once, most would never see the answer.
_LINGER_SECONDS = 5.0


RequireCaller = Callable[[str | None, str], None]


class AddressTooLong(BadRequest):
    status = 414


class HeadersTooLarge(BadRequest):
    status = 431


class BoundedRequest(http_protocol.WebRequest):  # type: ignore[misc]  # not typed
    """The server below would also parse every form itself, on the one thread that serves everybody, for nobody; and
    refuse one that it cannot parse with an empty reply, before any of our code has seen it."""

    # Raises a :class:`DomainError` for credentials that are nobody's.
    require_caller: RequireCaller

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs, parsePOSTFormSubmission=False)
        self._most = self._taken = 0

    def __repr__(self) -> str:
        """Daphne logs it, and the path of a sign-in link is a way in."""
        return f"<{type(self).__name__} at {id(self):#x}>"

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - its name below
        """The headers are complete; ``length`` is None for a body that comes in chunks. Raises :class:`DomainError`."""
        if length != 0:
            self._check_host()
        path, usual = _path_of(self.channel._path), most_bytes("")
        authorization, session = self._credentials()
        shown = authorization is not None or bool(session)
        self._most = most_bytes(path) if shown else usual
        if length is not None and length > self._most:
            raise _too_large(self._most)
        super().gotLength(length)
        if self._most > usual and (length is None or length > usual):
            # No more is read until it is known whose it is; what was read already is less than a form may be.
            self.channel._networkProducer.pauseProducing()
            asked = deferToThread(self.require_caller, authorization, session)
            asked.addCallbacks(self._go_on, self._stop)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - its name below
        """Raises :class:`DomainError` when there is more than may come."""
        self._taken += len(data)
        if self._taken > self._most:
            raise _too_large(self._most)
        super().handleContentChunk(data)

    def _check_host(self) -> None:
        for host in self.requestHeaders.getRawHeaders(b"host", []):
            domain, _port = split_domain_port(host.decode("latin-1"))
            if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
                raise BadRequest("This server does not answer to that host name.")

    def _credentials(self) -> tuple[str | None, str]:
        """The ``Authorization`` header, and the key of the session, as they were sent."""
        authorization = self.getHeader("authorization")
        cookies = "; ".join(self.requestHeaders.getRawHeaders("cookie", []))
        return authorization, parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME, "")

    def _go_on(self, _nothing: object) -> None:
        # The client may have gone, or a short body been complete and answered.
        if not self.finished and self.channel is not None:
            self.channel._networkProducer.resumeProducing()

    def _stop(self, failure: Any) -> None:
        if not self.finished and self.channel is not None and not self.channel._handlingRequest:
            self.channel.refuse(failure_of(failure.value))
        self._go_on(None)


class BoundedChannel(http_protocol.http.HTTPChannel):  # type: ignore[misc]  # not typed
    """One connection. What is refused is answered, whatever else comes is thrown away, and the connection ends."""

    _refused = False

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - its name below
        if not self._refused:
            super().dataReceived(data)

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - its name below
        if self._receivedHeaderSize + len(line) > self.totalHeadersSize:
            self.lineLengthExceeded(line)
        else:
            self._or_refuse(super().lineReceived, line)

    def lineLengthExceeded(self, line: bytes) -> None:  # noqa: N802 - its name below
        """Of the address, or of a header: then the address is known."""
        if hasattr(self, "_path"):
            self.refuse(HeadersTooLarge("The headers are larger than 16 KiB."))
        else:
            _method, _blank, self._path = line.partition(b" ")
            self.refuse(AddressTooLong("The address is longer than 16 KiB."))

    def rawDataReceived(self, data: bytes) -> None:  # noqa: N802 - its name below
        self._or_refuse(super().rawDataReceived, data)

    def _or_refuse(self, take: Callable[[bytes], None], data: bytes) -> None:
        try:
            take(data)
        except DomainError as error:
            self.refuse(error)

    def refuse(self, error: DomainError) -> None:
        self._refused = True
        self.clearLineBuffer()
        answer = _answer(_path_of(self._path), self.requests[-1] if self.requests else None, error)
        head = [f"HTTP/1.1 {answer.status_code} {responses[answer.status_code]}"]
        head += [f"{name}: {value}" for name, value in answer.items()]
        head += ["Connection: close", f"Content-Length: {len(answer.content)}"]
        self.transport.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + answer.content)
        self.transport.loseWriteConnection()
        self.setTimeout(None)
        self._abortingCall = self.callLater(_LINGER_SECONDS, self.forceAbortClient)


def _path_of(target: bytes) -> str:
    return unquote_to_bytes(target.partition(b"?")[0]).decode("utf-8", "replace")


def _too_large(most: int) -> TooLarge:
    """In the words of the application, which looks again at what is within the room for a form."""
    file = most > most_bytes("")
    return TooLarge(f"The file is larger than {most // 2**20:,} MiB.") if file else TooLarge()


def _answer(path: str, asked: Any, error: DomainError) -> HttpResponse:
    """As Django would give it."""
    request = HttpRequest()
    request.path, request.method = path, "POST"
    for name in ("HX-Request", "X-Request-Id"):
        if asked is not None and (given := asked.getHeader(name)):
            request.META["HTTP_" + name.upper().replace("-", "_")] = given
    if path.startswith(("/api/", "/mcp")):
        answer: HttpResponse = error_response(error)
    else:
        message = f"{error.message} {_('Nothing was changed.')}"
        answer = error_page(request, error.status, title=_("This cannot be read"), message=message)
    decorate: Any = request_id(content_security_policy(cast("Any", SecurityMiddleware(lambda _: answer))))
    decorated: HttpResponse = decorate(request)
    return decorated


def _channel(_factory: object) -> Any:
    return http_protocol.http._GenericHTTPChannelProtocol(BoundedChannel())


def stay_within_bounds(require_caller: RequireCaller) -> None:
    """For the process that imports this before it serves; Daphne has no setting for it.

    Args:
        require_caller: called in a thread with the ``Authorization`` header and the key of the session of whoever
            brings a file; raises :class:`DomainError` for nobody's.
    """
    BoundedRequest.require_caller = staticmethod(require_caller)
    http_protocol.WebRequest = BoundedRequest
    http_protocol.HTTPFactory.protocol = _channel
