"""The words that people read for the codes that the API and the database use. One place for each.

The voice is a careful archivist's: plain, short, exact; who did what and when; no exclamation marks.
"""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Word(NamedTuple):
    """What a code is called, its glyph in the icon sprite, and what it means to a person."""

    shown: str | Promise
    icon: str
    sentence: str | Promise


STATUS: dict[str, Word] = {
    "candidate": Word(
        _("Proposed"),
        "dot",
        _("A procedure seen once; it waits for a second time or for you, and no agent reads it."),
    ),
    "active": Word(_("In use"), "check", _("Your agents may read this now.")),
    "needs_review": Word(_("Needs review"), "ask", _("It waits for you; no agent reads it until you accept.")),
    "stale": Word(
        _("Stale"),
        "clock",
        _("It aged out or was forgotten; agents no longer read it, you can bring it back."),
    ),
    "superseded": Word(
        _("Replaced"),
        "swap",
        _("A newer belief took its place; kept so that you can see what was believed before."),
    ),
    "rejected": Word(_("Rejected"), "cross", _("You said no; no agent reads it, and it is refused if offered again.")),
}

READER: dict[str, Word] = {
    "global": Word(_("everyone"), "globe", _("Every agent of yours may read it.")),
    "agent": Word(_("one agent"), "agent", _("Only this agent reads it.")),
    "conversation": Word(_("this conversation"), "chat", _("Only this conversation reads it.")),
    "private": Word(_("private"), "person", _("Only this agent in this conversation reads it.")),
}

PRIVACY: dict[str, Word] = {
    "sensitive": Word(_("Sensitive"), "half", _("Only agents you allow read it.")),
    "secret": Word(_("Secret"), "lock", _("It never leaves here and is shown masked.")),
}

ORIGIN: dict[str, Word] = {
    "user_channel": Word(_("your own words"), "person", _("You said it yourself.")),
    "automation": Word(_("an automation"), "agent", _("A program said it on its own.")),
    "extractor": Word(_("a model"), "agent", _("A model read it out of what was said.")),
    "importer": Word(_("an import"), "import", _("It came with a file.")),
}

KIND: dict[str, str | Promise] = {
    "note": _("memory"),
    "fact": _("fact"),
    "procedure": _("skill draft"),
}

# Why a belief has the status it has, in a word for lists; the sentence is the gate's own.
REASON: dict[str, Word] = {
    "user_channel": Word(_("Your own words"), "person", ""),
    "automation_review": Word(_("From an automation"), "agent", ""),
    "origin_unknown": Word(_("Origin unknown"), "ask", ""),
    "import_review": Word(_("Imported"), "import", ""),
    "injection_flagged": Word(_("Flagged"), "warn", ""),
    "scanner_unavailable": Word(_("Not scanned"), "warn", ""),
    "secret": Word(_("Secret"), "lock", ""),
    "sensitive_review": Word(_("Sensitive"), "half", ""),
    "contradicts_active": Word(_("Contradicts"), "swap", ""),
    "near_tombstone": Word(_("Like a refusal"), "warn", ""),
    "extractor_confident": Word(_("From a model"), "agent", ""),
    "extractor_review": Word(_("From a model"), "agent", ""),
    "extractor_below_floor": Word(_("From a model"), "agent", ""),
    "procedure_candidate": Word(_("Seen once"), "skill", ""),
    "restated": Word(_("Said again"), "check", ""),
    "accepted": Word(_("Accepted"), "check", ""),
    "corrected": Word(_("Corrected"), "edit", ""),
    "rejected": Word(_("Rejected"), "cross", ""),
    "forgotten": Word(_("Forgotten"), "clock", ""),
    "expired": Word(_("Expired"), "clock", ""),
    "superseded": Word(_("Replaced"), "swap", ""),
    "feedback_below_floor": Word(_("Not useful"), "clock", ""),
    "flagged": Word(_("Flagged"), "warn", ""),
    "archive_approved": Word(_("Archived"), "folder", ""),
    "consolidated": Word(_("Merged"), "swap", ""),
    "undone": Word(_("Undone"), "undo", ""),
    "restored": Word(_("Restored"), "undo", ""),
}


def word_of(words: dict[str, Word], code: str) -> Word:
    """The word of a code; a code without one is shown as it is rather than hidden."""
    return words.get(code) or Word(code.replace("_", " "), "dot", "")
