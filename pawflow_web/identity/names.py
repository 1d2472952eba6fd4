"""What owners and agents may be called. Read by the environment too, before there are models."""

import re

from pawflow_web.lib.errors import Invalid

NAME_PATTERN = r"[A-Za-z0-9._-]{1,64}"
NAME_RULE = "1 to 64 of letters, digits, dot, underscore and hyphen, and not dots alone"


def is_name(text: str) -> bool:
    """Dots alone are ways through an address, so no page could be asked for what is called so."""
    return re.fullmatch(NAME_PATTERN, text) is not None and bool(text.strip("."))


def check_name(text: str, *, field: str) -> str:
    """The same text. Raises :class:`Invalid`, naming ``field``, when nobody may be called so."""
    if not is_name(text):
        raise Invalid(
            f"{ascii(text)[:80]} is not a name: it must be {NAME_RULE}.", fields={field: f"must be {NAME_RULE}"}
        )
    return text
