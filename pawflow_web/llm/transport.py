"""HTTP to a server that is not trusted: its replies end where they grow too large or take too long altogether."""

import time
from collections.abc import Iterator

import httpx2

CONNECT_S = 2.0


class TooLarge(httpx2.ReadError):
    """The reply is larger than any that we could have asked for, or might be: it is compressed."""


def client(*, bytes_most: int) -> httpx2.Client:
    """Never follows a redirect, which would lead our key elsewhere."""
    return httpx2.Client(
        transport=_Bounded(bytes_most), follow_redirects=False, headers={"Accept-Encoding": "identity"}
    )


def within(seconds: float) -> httpx2.Timeout:
    return httpx2.Timeout(seconds, connect=min(CONNECT_S, seconds))


class _Bounded(httpx2.BaseTransport):
    """The time to read is the time for all of it, however steadily it trickles in."""

    def __init__(self, bytes_most: int) -> None:
        self._bytes_most = bytes_most
        self._inner = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        deadline = time.monotonic() + request.extensions["timeout"]["read"]
        response = self._inner.handle_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise TooLarge("compressed")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_BoundedStream(response, deadline, self._bytes_most),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, deadline: float, bytes_most: int) -> None:
        self._response = response
        self._bytes_most = bytes_most
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        left = self._bytes_most
        for part in self._response.iter_raw():
            left -= len(part)
            if left < 0:
                raise TooLarge("too large")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("too slow")
            yield part

    def close(self) -> None:
        self._response.close()
