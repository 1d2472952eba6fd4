"""The product in a process of its own, told what to do line by line: ``python -m tests.review.in_another_process``."""

import json
import sys
import threading
import time
from typing import Any

import django

django.setup()

from django.db import close_old_connections, connection  # noqa: E402

from memory.notes.services import remember_note  # noqa: E402
from pawflow_web.identity.auth import principal_of_token  # noqa: E402
from pawflow_web.lib.db import execute  # noqa: E402
from pawflow_web.lib.errors import DomainError  # noqa: E402
from review import lifecycle  # noqa: E402
from review.lifecycle import erasing  # noqa: E402


def say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def accept(order: dict[str, Any]) -> dict[str, Any]:
    person = principal_of_token(f"Bearer {order['token']}")
    try:
        done = lifecycle.accept(principal=person, reference=order["ref"])
    except DomainError as error:
        return {"status": error.status, "fields": error.fields}
    return {"status": 200, "item": done.item.status}


def undo(order: dict[str, Any]) -> dict[str, Any]:
    person = principal_of_token(f"Bearer {order['token']}")
    try:
        done = lifecycle.undo(principal=person, reference=order["ref"])
    except DomainError as error:
        return {"status": error.status, "code": error.code}
    return {"status": 200, "item": done.item.status}


def purge(order: dict[str, Any]) -> dict[str, Any]:
    person = principal_of_token(f"Bearer {order['token']}")
    try:
        erasing.purge(principal=person, reference=order["ref"], confirm=order["ref"])
    except DomainError as error:
        return {"status": error.status}
    return {"status": 200}


def crowd(order: dict[str, Any]) -> dict[str, Any]:
    """As many writers of one owner as the pool has connections, while that owner's clock is held elsewhere; then
    one writer of another owner."""
    arrived = threading.Semaphore(0)
    outcomes: list[str] = []

    def write(number: int) -> None:
        busy = principal_of_token(f"Bearer {order['busy']}")
        arrived.release()
        try:
            remember_note(principal=busy, text=f"Busy fact {number}")
            outcomes.append("stored")
        except DomainError as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for _ in threads:
        arrived.acquire()
    started = time.monotonic()
    quiet = principal_of_token(f"Bearer {order['quiet']}")
    remember_note(principal=quiet, text="Quiet fact")
    seconds = time.monotonic() - started
    waiting = execute(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    connection.close()
    say({"quiet": seconds, "waiting": waiting[0][0]})
    for thread in threads:
        thread.join()
    return {"outcomes": outcomes}


def main() -> None:
    say({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        close_old_connections()
        say({"accept": accept, "undo": undo, "purge": purge, "crowd": crowd}[order["does"]](order))


if __name__ == "__main__":
    main()
