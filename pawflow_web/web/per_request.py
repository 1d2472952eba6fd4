"""What is worked out once for a request and asked for in several places of its answer."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest

T = TypeVar("T")
_KEPT = "_pawflow_kept"


def per_request(request: HttpRequest, key: str, make: Callable[[], T]) -> T:
    """What ``make`` gave when ``key`` was first asked for during this request."""
    kept = _kept_of(request)
    if key not in kept:
        kept[key] = make()
    value: T = kept[key]
    return value


def forget_all(request: HttpRequest) -> None:
    """Something was changed: everything is worked out anew when it is asked for again."""
    _kept_of(request).clear()


def _kept_of(request: HttpRequest) -> dict[str, Any]:
    kept: dict[str, Any] = request.__dict__.setdefault(_KEPT, {})
    return kept
