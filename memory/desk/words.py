"""Words of tasks and notes on their way in: cleaned, bounded, without secrets, and what was found in them."""

import json
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.storable import looked_through
from pawflow_web.lib.text import clean, is_blank

# Between the words of one row; it stands in no text that was cleaned.
_BETWEEN = "\x1f"
# Deeper than anything that is written by hand; what reads it back must not run out of stack.
NESTED_MOST = 16

Flags = dict[str, list[str]]


@dataclass(slots=True)
class Said:
    """What a write says: the columns that it sets, and what was found in each text that it gives."""

    values: dict[str, Any] = field(default_factory=dict)
    found: Flags = field(default_factory=dict)

    def text(self, name: str, value: str, *, most: int, lines: bool = False) -> None:
        """Words without blanks around them; on one line unless ``lines``. Raises :class:`Invalid` as the others do."""
        text = clean(value, field=name).strip() if lines else " ".join(clean(value, field=name).split())
        if len(text) > most:
            raise Invalid(
                f"{name} has {len(text)} characters; the most is {most}.",
                fields={name: f"must have at most {most} characters"},
            )
        self.values[name], self.found[name] = _looked(name, text)

    def needed_text(self, name: str, value: str, *, most: int, lines: bool = False) -> None:
        """The same of words that must be there."""
        if is_blank(value):
            raise Invalid(f"{name} holds nothing visible.", fields={name: "must hold something visible"})
        self.text(name, value, most=most, lines=lines)

    def words(self, name: str, values: Collection[str]) -> None:
        """Several texts that are looked through one by one, already bounded."""
        looked = [_looked(name, value) for value in values]
        self.values[name] = list(dict.fromkeys(text for text, _rules in looked))
        self.found[name] = sorted({rule for _text, rules in looked for rule in rules})

    def json(self, name: str, value: Mapping[str, Any], *, most: int) -> None:
        """An object, kept as the text that it is written as; at most so many bytes."""
        if _is_deeper(value, NESTED_MOST):
            raise Invalid(
                f"{name} is nested more than {NESTED_MOST} deep.",
                fields={name: f"must not be nested more than {NESTED_MOST} deep"},
            )
        size = len(_written(value).encode())
        if size > most:
            raise Invalid(
                f"{name} has {size} bytes as JSON; the most is {most}.",
                fields={name: f"must have at most {most} bytes"},
            )
        found: set[str] = set()
        self.values[name] = _written(_without_secrets(value, name, found))
        self.found[name] = sorted(found)


def flags_after(before: Flags, found: Flags) -> Flags:
    """What is known of a row's words when those in ``found`` take the place of what they were."""
    after = {name: rules for name, rules in before.items() if name not in found}
    return after | {name: rules for name, rules in found.items() if rules}


def searchable(*texts: str) -> str:
    """What a search compares: the same words in whatever letters and widths are the same."""
    return folded(_BETWEEN.join(texts))


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _looked(name: str, text: str) -> tuple[str, list[str]]:
    """The text without its secrets, and the rules that found them or orders to agents in it.

    Raises :class:`Invalid` where so much is found that the scanner tells no more: a secret may stand behind it.
    """
    rules: set[str] = set()
    while True:
        looked = looked_through(text, field=name)
        text = looked.text
        rules |= {finding.rule for finding in (*looked.others, *looked.secrets) if finding.kind != "personal"}
        if not looked.unfinished:
            return text, sorted(rules)
        if not looked.secrets:
            raise Invalid(
                f"{name} holds more that has to be looked at than can be told. Keep less of it.",
                fields={name: "holds too much that has to be looked at"},
            )


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_deeper(value: Any, depth: int) -> bool:
    if not isinstance(value, Mapping | list):
        return False
    inside = value.values() if isinstance(value, Mapping) else value
    return depth == 0 or any(_is_deeper(inner, depth - 1) for inner in inside)


def _without_secrets(value: Any, name: str, found: set[str]) -> Any:
    if isinstance(value, str):
        text, rules = _looked(name, clean(value, field=name))
        found.update(rules)
        return text
    if isinstance(value, list):
        return [_without_secrets(inner, name, found) for inner in value]
    if isinstance(value, Mapping):
        return {
            _without_secrets(key, name, found): _without_secrets(inner, name, found) for key, inner in value.items()
        }
    return value
