"""What a person decided since they sat down to the queue, for the sentence at its end."""

import time

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

_KEY = "sitting"
# Who does not decide for so long has got up.
PAUSE = 30 * 60


def count(request: HttpRequest, verb: str, number: int = 1) -> None:
    """``number`` more decisions of that verb; a negative one takes some back."""
    now, sitting = time.time(), request.session.get(_KEY)
    if sitting is None or now - sitting["last"] > PAUSE:
        sitting = {"since": now, "deeds": {}}
    deeds = dict(sitting["deeds"])
    deeds[verb] = max(0, deeds.get(verb, 0) + number)
    request.session[_KEY] = {"since": sitting["since"], "last": now, "deeds": deeds}


def told(request: HttpRequest) -> str:
    """``11 accepted, 2 rejected, 1 corrected in 3 min.``; empty when nothing was decided."""
    sitting = request.session.get(_KEY)
    if sitting is None or time.time() - sitting["last"] > PAUSE:
        return ""
    words = {"accept": _("accepted"), "reject": _("rejected"), "correct": _("corrected"), "forget": _("forgotten")}
    deeds = [f"{number} {words[verb]}" for verb, number in sitting["deeds"].items() if number and verb in words]
    if not deeds:
        return ""
    minutes = max(1, round((sitting["last"] - sitting["since"]) / 60))
    within = ngettext("in %(count)d min", "in %(count)d min", minutes) % {"count": minutes}
    return _("%(deeds)s %(within)s.") % {"deeds": ", ".join(deeds), "within": within}
