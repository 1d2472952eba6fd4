"""The words that people read for the codes of beliefs that the API and the database use. One place for each.

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
    "active": Word(_("In use"), "check", _("It is in use.")),
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
    "sensitive": Word(_("Sensitive"), "half", _("Only agents that you allow read it.")),
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

# Why a belief has the status it has: in a word for lists, and in a clause that goes on after "Why:".
REASON: dict[str, Word] = {
    "user_channel": Word(_("Your own words"), "person", _("your own words, nothing against it")),
    "automation_review": Word(_("From an automation"), "agent", _("from an automation, so it waits")),
    "origin_unknown": Word(_("Origin unknown"), "ask", _("nobody said where it comes from, so it waits")),
    "import_review": Word(_("Imported"), "import", _("imported, so it waits")),
    "injection_flagged": Word(_("Flagged"), "warn", _("reads like an instruction to the agent")),
    "scanner_unavailable": Word(_("Not scanned"), "warn", _("the scanner failed, so it waits")),
    "secret": Word(_("Secret"), "lock", _("looks like a secret, so no agent reads it")),
    "sensitive_review": Word(_("Sensitive"), "half", _("looks personal, so it waits")),
    "contradicts_active": Word(_("Contradicts"), "swap", _("contradicts a belief in use")),
    "near_tombstone": Word(_("Like a refusal"), "warn", _("close to something you rejected")),
    "extractor_confident": Word(_("From a model"), "agent", _("a model is confident that it was meant")),
    "extractor_review": Word(_("From a model"), "agent", _("a model thinks so, but not surely enough")),
    "extractor_below_floor": Word(_("From a model"), "agent", _("a model was too unsure")),
    "procedure_candidate": Word(_("Seen once"), "skill", _("a procedure seen once")),
    "restated": Word(_("Said again"), "check", _("said again by you")),
    "accepted": Word(_("Accepted"), "check", _("you accepted it")),
    "corrected": Word(_("Corrected"), "edit", _("you corrected it")),
    "rejected": Word(_("Rejected"), "cross", _("you rejected it")),
    "forgotten": Word(_("Forgotten"), "clock", _("forgotten")),
    "expired": Word(_("Expired"), "clock", _("its time was over")),
    "superseded": Word(_("Replaced"), "swap", _("a newer belief took its place")),
    "feedback_below_floor": Word(_("Not useful"), "clock", _("agents found it unhelpful")),
    "flagged": Word(_("Flagged"), "warn", _("somebody flagged it")),
    "archive_approved": Word(_("Archived"), "folder", _("you agreed to archive it")),
    "consolidated": Word(_("Merged"), "swap", _("merged into another belief")),
    "undone": Word(_("Undone"), "undo", _("its decision was taken back")),
    "restored": Word(_("Restored"), "undo", _("brought back for another look")),
    "agent_erased": Word(_("Agent gone"), "agent", _("the only agent that read it was erased")),
}

# In what two beliefs may contradict each other, as review.contradictions.clashes tells it.
DIFFERENCE: dict[str, str | Promise] = {
    "number": _("the numbers differ"),
    "negation": _("one says that it is not so"),
    "opposite": _("they say opposite things"),
    "order": _("they put it the other way round"),
    "value": _("two values of one thing"),
}


def word_of(words: dict[str, Word], code: str) -> Word:
    """The word of a code; a code without one is shown as it is rather than hidden."""
    return words.get(code) or Word(code.replace("_", " "), "dot", "")


def why(reason: str) -> str:
    """Why a belief has the status it has, in the gate's own clause."""
    return str(REASON[reason].sentence) if reason in REASON else reason.replace("_", " ")
