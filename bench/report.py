"""What a run says: on which machine, and the figures as rows or as words."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django
from django.db import connection


def machine() -> dict[str, Any]:
    """Where it was measured, with the load of the last minute."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version'), current_setting('fsync'), "
                       "current_setting('shared_buffers')")  # fmt: skip
        server, fsync, buffers = cursor.fetchone()
    return {
        "processor": _field(Path("/proc/cpuinfo"), "model name"),
        "cores": os.cpu_count(),
        "memory": _field(Path("/proc/meminfo"), "MemTotal"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "django": django.get_version(),
        "postgresql": server,
        "fsync": fsync,
        "shared_buffers": buffers,
        "load": round(os.getloadavg()[0], 2),
    }


def percentile_ms(taken: Sequence[float], percent: int) -> float:
    """The smallest time that ``percent`` of the runs did not exceed, in milliseconds."""
    ordered = sorted(taken)
    return round(ordered[max(0, -(-len(ordered) * percent // 100) - 1)] * 1000, 1)


def bytes_under(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def table(report: dict[str, Any]) -> str:
    """The report for a person."""
    lines = [f"{'name':20} owners clients   p50 ms   p95 ms  runs  queries"]
    lines += [
        f"{row['name']:20} {row['owners']:6} {row['clients']:7} {row['p50_ms']:8.1f} {row['p95_ms']:8.1f} "
        f"{row['runs']:5} {row['queries'] if row['queries'] is not None else '':>8}"
        for row in report["results"]
    ]
    facts = {**report["build"], **report["sizes"], **report.get("resident", {}), **report["machine"]}
    return "\n".join([*lines, "", *(f"{name}: {value}" for name, value in facts.items())])


def _field(file: Path, name: str) -> str:
    try:
        rows = (line.partition(":") for line in file.read_text().splitlines())
        return next((value.strip() for key, _, value in rows if key.strip() == name), "")
    except OSError:
        return ""
