"""What an agent's context says of its scratch notes: that there are some and about what, never what they say."""

from datetime import timedelta

from django.db.models import Case, Count, DurationField, ExpressionWrapper, Min, Q, Value, When, Window

from memory.desk.places import Place
from memory.models import ScratchNote
from memory.models.scratch import SHOWN_OF_NOTE
from memory.scratch.reading import PREFIX
from pawflow_web.lib.blocks import Ask, Content, Group, Line
from pawflow_web.lib.db import StatementNow

TITLE = "Scratch notes"
MOST_CHARS = 1400
TOPICS_MOST = 5
HOW_TO_READ = (
    'Their text is not shown: scratchpad(action="list", query=...) or scratchpad(action="get", note_id=...) reads it. '
    "Update a note rather than write a second one, and delete what is of no more use."
)
_FLAGGED = Q(flags__has_any_keys=SHOWN_OF_NOTE)
_HOUR = timedelta(hours=1)


def scratch_hint(ask: Ask) -> Content | None:
    """How many notes the caller's list holds in its conversation, when the first is gone, and up to five topics, the
    last changed first. Topics in which something was found stay out. Of another day nothing is known."""
    if ask.at is not None:
        return None
    left = ExpressionWrapper(Window(Min("expires_at")) - StatementNow(), output_field=DurationField())
    rows = list(
        ScratchNote.objects.in_list(Place.of(ask.principal))
        .current()
        .annotate(
            number=Window(Count("pk")),
            left=left,
            is_flagged=Case(When(_FLAGGED, then=Value(1)), default=Value(0)),
        )
        .order_by("is_flagged", "-updated_at", "-id")
        .values("ref", "topic", "number", "left", "is_flagged")[:TOPICS_MOST]
    )
    if not rows:
        return None
    topics = [_line(row["topic"], row["ref"]) for row in rows if not row["is_flagged"]]
    return Content(
        (Group("", (Line(_counted(rows[0]["number"], rows[0]["left"])), *topics)),), foot=HOW_TO_READ, foot_always=True
    )


def _counted(number: int, left: timedelta) -> str:
    hours = left // _HOUR
    when = f"in {hours} h" if hours else "in less than an hour"
    if number == 1:
        return f"1 note, which expires {when}."
    return f"{number} notes; the first expires {when}."


def _line(topic: str, ref: str) -> Line:
    reference = f"{PREFIX}{ref}"
    return Line(topic, before="- ", after=f" {reference}", ref=reference)
