"""What may be stored of a text, and whether there is anything to see in it."""

import re

from pawflow_web.lib.characters import IGNORABLE
from pawflow_web.lib.errors import Invalid

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_VISIBLE = re.compile(f"[^\\s\u2800\x00-\x1f\x7f-\x9f{IGNORABLE}]")


def clean(text: str, *, field: str = "text") -> str:
    r"""What may be stored of ``text``: line ends become ``\n``; NUL and control characters other than tab and
    line feed are removed. Raises :class:`Invalid` for half a character (a lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = ascii(text[error.start])
        raise Invalid(
            f"{field} holds half a character ({half} at position {error.start}); send complete characters.",
            fields={field: f"holds half a character, {half}"},
        ) from None
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def whole(text: str) -> str:
    """The text with the sign for a character that cannot be shown in place of each half one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing at all."""
    return _VISIBLE.search(text) is None
