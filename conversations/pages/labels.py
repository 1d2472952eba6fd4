"""What codes of sessions are called on the pages."""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from conversations.models import TOLD

# Where a session comes from.
KINDS: dict[str, str | Promise] = {
    TOLD: _("Told turn by turn"),
    "pi": "Pi",
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "chatgpt": "ChatGPT",
    "claude-ai": "Claude.ai",
}

# Whose an entry is.
ROLES: dict[str, str | Promise] = {
    "user": _("Person"),
    "assistant": _("Assistant"),
    "toolResult": _("Result of a tool"),
    "bashExecution": _("Command of the person"),
    "fabricOperation": _("Operation"),
    "fabricRun": _("Run of a program"),
    "fabricPhase": _("Phase of a program"),
    "system": _("Instructions"),
    "custom": _("Put in by a program"),
    "compaction": _("Summary of what went before"),
    "compactionSummary": _("Summary of what went before"),
    "branchSummary": _("Summary of a branch that was left"),
    "branchUser": _("Person, on a branch that was left"),
    "branchCustomMessage": _("Put in by a program, on a branch that was left"),
}

OUTCOMES: dict[str, str | Promise] = {
    "succeeded": _("Succeeded"),
    "failed": _("Failed"),
    "aborted": _("Aborted"),
    "timed_out": _("Timed out"),
}

# Why an answer, or a session, is not all that there is: to stand behind "Not complete:".
REASONS: dict[str, str | Promise] = {
    "index_behind": _("the newest entries are still being indexed"),
    "index_building": _("the index is being built"),
    "candidate_item_budget": _("more was found than can be ranked"),
    "candidate_entry_budget": _("more entries may hold these words than can be read in time"),
    "max_entry_chars": _("of very long entries only the beginning is searched"),
    "regex_max_haystack_terms": _("the expression was held against as many entries as are allowed"),
    "regex_max_haystack_bytes": _("the expression was held against as much text as is allowed"),
    "regex_timeout": _("the expression took too long"),
    "regex_pattern_too_large": _("the expression is too long"),
    "regex_worker_error": _("the search for expressions broke off"),
    "invalid_regex": _("the expression cannot be read"),
    "cold_structural_filter_requires_hydration": _("older sessions must be opened to apply the filters"),
    "cold_all_terms_requires_hydration": _("older sessions must be opened to see that one entry holds all the words"),
    "cold_phrase_requires_hydration": _("older sessions must be opened to look for a phrase"),
    "never_searched": _("this conversation is encrypted or temporary, and never searched"),
    "bad_lines": _("some lines could not be read"),
    "invalid_parent_graph": _("the branches of a session lead in a circle"),
    "dangling_parent": _("a session continues something that is not in its file"),
    "duplicate_entry_id": _("two entries have the same name"),
    "duplicate_operation_address": _("two operations have the same address"),
    "duplicate_branch_fact_address": _("two facts of a branch have the same address"),
}


def role_of(role: str | None) -> str:
    """Whose it is, in words; a role that nobody knows as it is."""
    return str(ROLES.get(role or "", role or ""))


def kind_of(kind: str) -> str:
    return str(KINDS.get(kind, kind))


def reasons_of(codes: Sequence[str]) -> str:
    """The reasons in words, with semicolons between, each once."""
    return "; ".join(dict.fromkeys(str(REASONS.get(code, code.replace("_", " "))) for code in codes))
