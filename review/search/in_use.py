"""How many beliefs of an owner are in use: every page shows it, and counting a hundred thousand takes 12 ms."""

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.models import Status

# Counted again only when the owner's clock has moved, which every change of a status does. The planner evaluates the
# inner statement when its branch is taken.
_COUNT = f"""
SELECT c.seq, CASE WHEN c.seq IS DISTINCT FROM %(seq)s::bigint THEN (
  SELECT count(*) FROM review_governanceitem WHERE user_id = %(user)s AND status = '{Status.ACTIVE}'
) END
FROM identity_userclock AS c WHERE c.user_id = %(user)s
"""
_OWNERS_MOST = 1000

# owner -> number of their last change, and the count then
_known: dict[int, tuple[int, int]] = {}


def count_in_use(person: Principal) -> int:
    """As of this moment. Only for a person, who sees all that is theirs."""
    if not person.is_person:
        raise ValueError("An agent sees a part of what is in use.")
    user_id = person.user_id
    seq, count = _known.get(user_id, (None, 0))
    for now, counted in execute(_COUNT, {"seq": seq, "user": user_id}):
        if counted is None:
            return count
        if len(_known) >= _OWNERS_MOST:
            _known.clear()
        _known[user_id] = (now, counted)
        return int(counted)
    return 0
