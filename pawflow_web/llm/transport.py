"""HTTP to a server that is not trusted: its replies end where they grow too large or take too long altogether."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore2
import httpx2

CONNECT_S = 2.0
_CONNECTIONS = 20
_KEPT_S = 5.0


class TooLarge(httpx2.ReadError):
    """The reply is larger than any that we could have asked for, or might be: it is compressed."""


def client(*, bytes_most: int) -> httpx2.Client:
    """Never follows a redirect, which would lead our key elsewhere."""
    return httpx2.Client(
        transport=_Bounded(bytes_most), follow_redirects=False, headers={"Accept-Encoding": "identity"}
    )


def within(seconds: float) -> httpx2.Timeout:
    """So long for all of a request, from asking to the last byte of the reply."""
    return httpx2.Timeout(seconds, connect=min(CONNECT_S, seconds))


class _Bounded(httpx2.BaseTransport):
    """The time to read is the time for all of it, however steadily headers and body trickle in."""

    def __init__(self, bytes_most: int) -> None:
        self._bytes_most = bytes_most
        self._inner = _Transport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.extensions = {**request.extensions, "timeout": _moments(request.extensions["timeout"])}
        response = self._inner.handle_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise TooLarge("compressed")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_BoundedStream(response, self._bytes_most),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


def _moments(seconds: dict[str, float]) -> dict[str, float]:
    """When the time for each step is over. The pool's own is for waiting and stays: it is no step of the network."""
    now = time.monotonic()
    return {step: span if step == "pool" else now + span for step, span in seconds.items()}


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, bytes_most: int) -> None:
        self._response = response
        self._bytes_most = bytes_most

    def __iter__(self) -> Iterator[bytes]:
        left = self._bytes_most
        for part in self._response.iter_raw():
            left -= len(part)
            if left < 0:
                raise TooLarge("too large")
            yield part

    def close(self) -> None:
        self._response.close()


class _Transport(httpx2.HTTPTransport):
    """The usual one over a network of ours, which its own constructor has no place for."""

    def __init__(self) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            max_connections=_CONNECTIONS,
            keepalive_expiry=_KEPT_S,
            network_backend=_Network(),
        )


class _Network(httpcore2.NetworkBackend):
    """A network whose timeouts are moments of ``time.monotonic()``. The pool hands on what it was given, once for each
    piece that arrives; a span would begin anew with each."""

    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(host, port, left, local_address, socket_options or ()))


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(moment: float | None, late: type[httpcore2.TimeoutException]) -> float | None:
    """Seconds until then; nobody asked for an end where it is None. Raises ``late`` when it is over."""
    if moment is None:
        return None
    left = moment - time.monotonic()
    if left <= 0:
        raise late("too slow")
    return left
