"""``python -m tests.nodes.write_many TOKEN MANY AT_ONCE``: remember so many things one by one. After each ``AT_ONCE``
the last one's word and reference are a line of JSON, and a line is waited for."""

import json
import random
import sys

import django

django.setup()

from memory.notes.services import remember_note  # noqa: E402
from pawflow_web.identity.auth import principal_of_token  # noqa: E402
from tests.nodes.storm import SYLLABLES  # noqa: E402


def main(token: str, many: int, at_once: int) -> None:
    principal = principal_of_token(f"Bearer {token}")
    chosen = random.Random(many)
    for number in range(1, many + 1):
        text = " ".join("".join(chosen.choices(SYLLABLES, k=3)) for _ in range(8)) + f" mark{number}"
        item = remember_note(principal=principal, text=text).admission.item
        if number % at_once == 0:
            sys.stdout.write(json.dumps([f"mark{number}", item.ref if item else ""]) + "\n")
            sys.stdout.flush()
            sys.stdin.readline()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
