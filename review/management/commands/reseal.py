"""``manage.py reseal``."""

from typing import Any

from pawflow_web.lib.commands import JsonCommand
from review.lifecycle.sealing import reseal_all


class Command(JsonCommand):
    help = (
        "Seal all secret words and encrypted turns under the newest of PAWFLOW_CONTENT_KEYS. Example: manage.py reseal"
    )

    _ok = True

    def answer(self, **options: Any) -> dict[str, Any]:
        done = reseal_all()
        self._ok = not done.unreadable
        return {
            "resealed": done.beliefs,
            "replies": done.replies,
            "steps": done.steps,
            "unreadable": list(done.unreadable),
        }

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        said = (
            f"{answer['resealed']} beliefs, {answer['replies']} kept replies and {answer['steps']} steps of turns"
            " were sealed anew."
        )
        if answer["unreadable"]:
            said += f" No key here opens {', '.join(f'#{ref}' for ref in answer['unreadable'])}."
        return said

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if not self._ok:
            raise SystemExit(1)
