"""Public references. Opaque on purpose: they hold nothing of what they name."""

import re
import secrets

_REF = re.compile(r"#?([0-9a-f]{12})")
_NUMBER = re.compile(r"#([1-9][0-9]{0,17})")


def new_ref() -> str:
    """12 lower-case hex digits (48 bits): public, unguessable enough to be unique, never a permission."""
    return secrets.token_hex(6)


def parse_ref(text: str) -> str | None:
    """``3fa4c1d2e5b6`` or ``#3fa4c1d2e5b6`` -> the 12 digits; anything else -> None."""
    match = _REF.fullmatch(text.strip())
    return match.group(1) if match else None


def parse_number(text: str) -> int | None:
    """``#42`` -> 42, an owner's short number of an item; anything else -> None.

    Twelve decimal digits behind ``#`` read as a reference, which is why :func:`parse_ref` is asked first.
    """
    match = _NUMBER.fullmatch(text.strip())
    return int(match.group(1)) if match else None
