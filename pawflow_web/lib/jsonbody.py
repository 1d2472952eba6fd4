"""JSON from outside, made safe before anything reads it.

Python's parser lets through what JSON does not know (``NaN``) and what PostgreSQL cannot store (lone
surrogates, NUL); both surfaces that take JSON run it through here first.
"""

import json
import math
from typing import Any

from pawflow_web.lib.errors import BadRequest, Invalid
from pawflow_web.lib.text import clean, whole


def load_object(raw: bytes, *, mend: bool = False) -> dict[str, Any]:
    """The JSON object in ``raw``; an empty body is an empty object.

    Args:
        mend: half a character becomes the sign for one, for whoever keeps ``raw`` itself.

    Raises:
        BadRequest: not UTF-8, not JSON, nested too deeply, or not an object.
        Invalid: a lone surrogate or a number that is not finite, named by its path.
    """
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_constant=float)
    except UnicodeDecodeError:
        raise BadRequest("The body is not UTF-8.") from None
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    except ValueError:
        raise BadRequest("The body is not JSON.") from None
    if not isinstance(value, dict):
        raise BadRequest("The body must be a JSON object.")
    try:
        return clean_object(mended(value) if mend else value)
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None


def clean_object(value: dict[str, Any]) -> dict[str, Any]:
    """The same object without control characters. Raises :class:`Invalid` as :func:`load_object` does."""
    try:
        cleaned: dict[str, Any] = _clean(value, "")
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    return cleaned


def _clean(value: Any, path: str) -> Any:
    if isinstance(value, str):
        return clean(value, field=path or "body")
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(f"{path} is not a finite number.", fields={path: "must be a finite number"})
    if isinstance(value, dict):
        return {
            clean(key, field=path or "body"): _clean(inner, f"{path}.{_shown(key)}" if path else _shown(key))
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_clean(inner, f"{path}.{index}") for index, inner in enumerate(value)]
    return value


def mended(value: Any) -> Any:
    """Parsed JSON with the sign for a character that cannot be shown in place of each half one."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {whole(key): mended(inner) for key, inner in value.items()}
    return [mended(inner) for inner in value] if isinstance(value, list) else value


def _shown(key: str) -> str:
    return key if key.isascii() and len(key) <= 80 else ascii(key)[1:80]
