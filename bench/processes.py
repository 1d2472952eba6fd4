"""What the processes of a run need: memory and processor time."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from django.db import connection

_PROC = Path("/proc")
# Of each page as much as its share among those that have it.
_SHARE = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


def resident_mib() -> dict[str, float | None]:
    """MiB that the web process and the worker below this process hold in memory, and the database server where it is on
    this machine. What several processes share is counted once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    below = _below(os.getpid())
    return {
        "web": _sum(_with_children(below, b"daphne")),
        "worker": _sum(_with_children(below, b"worker")),
        "database": _sum(_server(backend)),
    }


def web_seconds() -> float:
    """Seconds that processors worked for the web process below this one until now, to a hundredth."""
    ticks = 0
    for pid in _with_children(_below(os.getpid()), b"daphne"):
        words = _read(pid, "stat").rpartition(b")")[2].split()
        ticks += sum(map(int, words[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _server(backend: int) -> list[int]:
    parent = _parent(backend)
    if _read(backend, "comm").strip() != b"postgres" or parent is None:
        return []
    return [parent, *_below(parent)]


def _with_children(among: list[int], word: bytes) -> list[int]:
    """The processes whose command has the word as an argument, and those below them."""
    named = [pid for pid in among if word in _read(pid, "cmdline").split(b"\0")]
    return sorted({one for pid in named for one in (pid, *_below(pid))})


def _sum(processes: list[int]) -> float | None:
    """MiB; None where there is none to look at."""
    found = [_SHARE.search(_read(pid, "smaps_rollup")) for pid in processes]
    sizes = [int(one[1]) for one in found if one is not None]
    return round(sum(sizes) / 1024, 1) if sizes else None


def _below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for one in _pids():
        children.setdefault(_parent(one) or 0, []).append(one)
    found = list(children.get(pid, []))
    for one in found:
        found += children.get(one, [])
    return found


def _parent(pid: int) -> int | None:
    words = _read(pid, "stat").rpartition(b")")[2].split()
    return int(words[1]) if len(words) > 1 else None


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())


def _read(pid: int, name: str) -> bytes:
    """Empty for a process that has ended, or that is none of ours to look at."""
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / name).read_bytes()
    return b""
