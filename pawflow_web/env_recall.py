"""The settings of recall over sessions: the names of the contract that it keeps, as ``RECALL_*``.

Numbers beyond their range are moved to its end, as that contract says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from pawflow_web.env_values import SettingError, SettingHelp, switch

MIB = 2**20
RECALL_SETTINGS = (
    SettingHelp("RECALL_MAX_SESSIONS", "500", "most sessions that memory_sessions lists at once"),
    SettingHelp("RECALL_MAX_ENTRY_CHARS", "whole texts", "characters of an entry that are searched"),
    SettingHelp("RECALL_INDEX_THINKING", "off", "thoughts of models are searched and shown"),
    SettingHelp("RECALL_INDEX_TOOL_OUTPUT", "on", "what tools answered is searched and shown"),
    SettingHelp(
        "RECALL_HOT_SESSIONS", "all", "so many of the newest sessions answer with entries, older ones as a whole"
    ),
    SettingHelp("RECALL_KEEP_DELETED_SOURCES", "off", "sessions stay when their file goes from a watched folder"),
    SettingHelp("RECALL_REGEX_MAX_PATTERN_BYTES", "1024", "longest regular expression"),
    SettingHelp("RECALL_REGEX_MAX_HAYSTACK_TERMS", "1000000", "most entries that one is held against"),
    SettingHelp("RECALL_REGEX_MAX_HAYSTACK_BYTES", "134217728", "most bytes of text that one is held against"),
    SettingHelp("RECALL_REGEX_TIMEOUT_MS", "10000", "longest time that one may take"),
)
# name -> default, least, most
_NUMBERS = {
    "RECALL_MAX_SESSIONS": (500, 1, 100_000),
    "RECALL_REGEX_MAX_PATTERN_BYTES": (1024, 1, 65_536),
    "RECALL_REGEX_MAX_HAYSTACK_TERMS": (1_000_000, 1, 1_000_000),
    "RECALL_REGEX_MAX_HAYSTACK_BYTES": (128 * MIB, 1024, 128 * MIB),
    "RECALL_REGEX_TIMEOUT_MS": (10_000, 10, 10_000),
}
_ENTRY_CHARS = (100, 1_000_000)
_HOT_MOST = 100_000
_ALL = "all"


@dataclass(frozen=True, slots=True)
class RecallEnv:
    """``max_entry_chars``: None for whole texts. ``hot_sessions``: None for all."""

    max_sessions: int
    max_entry_chars: int | None
    index_thinking: bool
    index_tool_output: bool
    hot_sessions: int | None
    regex_pattern_bytes: int
    regex_haystack_terms: int
    regex_haystack_bytes: int
    regex_timeout_ms: int
    keep_deleted_sources: bool

    @classmethod
    def load(cls, source: Mapping[str, str]) -> Self:
        """Raises :class:`SettingError` naming the variable."""
        numbers = {
            name: _number(source, name, default, least, most) for name, (default, least, most) in _NUMBERS.items()
        }
        hot = source.get("RECALL_HOT_SESSIONS") or _ALL
        longest = source.get("RECALL_MAX_ENTRY_CHARS") or ""
        return cls(
            max_sessions=numbers["RECALL_MAX_SESSIONS"],
            max_entry_chars=_clamped("RECALL_MAX_ENTRY_CHARS", longest, *_ENTRY_CHARS) if longest else None,
            index_thinking=switch(source, "RECALL_INDEX_THINKING"),
            index_tool_output=_on_unless(source, "RECALL_INDEX_TOOL_OUTPUT"),
            hot_sessions=None if hot == _ALL else _clamped("RECALL_HOT_SESSIONS", hot, 0, _HOT_MOST),
            regex_pattern_bytes=numbers["RECALL_REGEX_MAX_PATTERN_BYTES"],
            regex_haystack_terms=numbers["RECALL_REGEX_MAX_HAYSTACK_TERMS"],
            regex_haystack_bytes=numbers["RECALL_REGEX_MAX_HAYSTACK_BYTES"],
            regex_timeout_ms=numbers["RECALL_REGEX_TIMEOUT_MS"],
            keep_deleted_sources=switch(source, "RECALL_KEEP_DELETED_SOURCES"),
        )

    @property
    def policy(self) -> str:
        """What decides over the words of an index: another one needs another index."""
        return f"entry:{self.max_entry_chars};thinking:{self.index_thinking};tool-output:{self.index_tool_output}"


def _on_unless(source: Mapping[str, str], name: str) -> bool:
    """A switch that is on where nothing is said."""
    return switch({name: source.get(name) or "on"}, name)


def _number(source: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    given = source.get(name) or ""
    return _clamped(name, given, least, most) if given else default


def _clamped(name: str, given: str, least: int, most: int) -> int:
    try:
        return min(max(int(given), least), most)
    except ValueError:
        raise SettingError(f"{name} is {given[:40]!r}; it must be a whole number.") from None
