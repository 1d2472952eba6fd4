"""What a context says of the reader's own diary."""

from zoneinfo import ZoneInfo

from django.db.models.functions import Left

from memory.diary.reflection import COUNTED_MOST, Due, due_of
from memory.models import DiaryEntry, DiaryType
from memory.models.diary import NEWEST_FIRST, PREFIX
from pawflow_web.lib.blocks import Ask, Content, Group, Line

TITLE = "Your diary (past observations)"
MOST_CHARS = 600
ENTRIES, ENTRY_CHARS = 10, 100
FOOT = "diary_read gives the rest."
# Before blanks are folded; who begins with more than that of them has little to say.
_READ_CHARS = ENTRY_CHARS * 5

REFLECTION_TITLE = "Reflection due"
REFLECTION_CHARS = 600


def latest_entries(ask: Ask) -> Content | None:
    """The last ten that may be shown, newest first, each as far as a line goes; None without any."""
    if ask.principal.agent_id is None:
        return None
    rows = DiaryEntry.objects.filter(agent=ask.principal.agent_id, admitted=True)
    if ask.at is not None:
        rows = rows.filter(created_at__lte=ask.at)
    found = rows.order_by(*NEWEST_FIRST).values_list("ref", "type", Left("text", _READ_CHARS + 1))
    shown = [(ref, sort, _on_one_line(text)) for ref, sort, text in found[: ENTRIES + 1]]
    if not shown:
        return None
    lines = tuple(_line(ref, sort, words) for ref, sort, words in shown[:ENTRIES])
    partly = len(shown) > ENTRIES or any(len(words) > ENTRY_CHARS for _, _, words in shown)
    return Content((Group("", lines),), foot=FOOT, foot_always=partly)


def reflection_due(ask: Ask) -> Content | None:
    """The request for one reflection, while it is due and not put yet."""
    if ask.principal.agent_id is None or ask.at is not None:
        return None
    due = due_of(ask.principal.agent_id)
    if due is None or due.asked:
        return None
    return Content((Group("", (Line(_request(due, ask.principal.zone)),)),), stored=False)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _line(ref: str, sort: str, words: str) -> Line:
    cut = words if len(words) <= ENTRY_CHARS else f"{words[: ENTRY_CHARS - 1].rstrip()}…"
    return Line(cut, before="- " if sort == DiaryType.OBSERVATION else f"- {sort}: ", ref=f"{PREFIX}{ref}")


def _request(due: Due, zone: ZoneInfo) -> str:
    number = f"{due.count} entries" if due.count < COUNTED_MOST else f"{COUNTED_MOST} entries or more"
    day = due.since.astimezone(zone)
    since = f"{day.day} {day:%B %Y}"
    began = f"since {since} and no reflection yet" if due.first else f"since your reflection of {since}"
    return (
        f"Your diary has {number} {began}. Write exactly one now: diary_write with type reflection. Not a summary: say "
        "what the entries mean together, and what you will do differently. Then check whether it deserves a kg_add or "
        "a skill. This is not asked again for some hours."
    )
