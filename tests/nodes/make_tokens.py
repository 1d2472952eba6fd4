"""``python -m tests.nodes.make_tokens OWNER``: a token of the owner, of an agent of theirs and of an automation, and
the owner's row id, as JSON."""

import json
import sys

import django

django.setup()

from pawflow_web.identity.models import User  # noqa: E402
from tests.factories import AUTOMATION, make_person_token, make_token  # noqa: E402


def main(owner: str) -> None:
    user = User.objects.get(username=owner)
    made = {
        "person": make_person_token(user),
        "agent": make_token(user),
        "automation": make_token(user, agent="nightly", origin=AUTOMATION),
        "user_id": user.pk,
    }
    sys.stdout.write(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1])
