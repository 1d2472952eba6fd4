"""What ``/ready`` looks at. Each part that the product cannot do without says how it is."""

import time
from collections.abc import Callable

import structlog
from django.db import connection

from pawflow_web.lib.registry import Registry

log = structlog.get_logger(__name__)

Check = Callable[[], bool]


class ReadinessChecks(Registry[Check]):
    def register(self, name: str) -> Callable[[Check], Check]:
        """Decorator: the check returns whether its part works; an exception counts as no."""

        def add(check: Check) -> Check:
            self.add(name, check)
            return check

        return add

    def run(self) -> dict[str, bool]:
        return {name: self._passes(name, check) for name, check in self.items()}

    @staticmethod
    def _passes(name: str, check: Check) -> bool:
        try:
            return check()
        except Exception as error:  # whatever it is, the part is away
            log.warning("not_ready", check=name, error=type(error).__name__)
            return False


readiness = ReadinessChecks("readiness check")


# How long a full disk is believed in: nobody looks whether there is room again but by writing.
_FULL_SECONDS = 60.0
_full_at: float | None = None


def disk_is_full() -> None:
    """Say that the database refused a write for want of room."""
    global _full_at
    _full_at = time.monotonic()


@readiness.register("database")
def database_works() -> bool:
    """It answers, and no write of this process was refused for want of room a moment ago."""
    if _full_at is not None and time.monotonic() - _full_at < _FULL_SECONDS:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone())
