"""Who works with a data directory: one holder of ``up.lock``, known to everybody else.

The lock is on an open file and is gone the moment its holder dies. What is written in the file says who holds
it and which process groups it started, so that the next one can clear away what a killed one left behind.
"""

import contextlib
import errno
import fcntl
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from pawflow_web.children import end_group, wait_until
from pawflow_web.data_dir import make_data_dir
from pawflow_web.env import Env, SettingError

Role = Literal["up", "command"]
State = Literal["starting", "running", "stopping"]


@dataclass(frozen=True, slots=True)
class Holder:
    role: Role
    pid: int
    state: State
    host: str = ""
    port: int = 0
    groups: dict[str, int] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return Path(f"/proc/{self.pid}").exists()


class Lock:
    """The held lock. ``tell`` changes what the file says about us."""

    def __init__(self, env: Env, handle: int, role: Role) -> None:
        self._env = env
        self._handle = handle
        self._holder = Holder(role, os.getpid(), "starting")

    def tell(
        self,
        *,
        state: State | None = None,
        address: tuple[str, int] | None = None,
        groups: dict[str, int] | None = None,
    ) -> None:
        holder = self._holder
        host, port = address or (holder.host, holder.port)
        known = holder.groups if groups is None else dict(groups)
        self._holder = replace(holder, state=state or holder.state, host=host, port=port, groups=known)
        text = json.dumps(asdict(self._holder)).encode()
        os.pwrite(self._handle, text, 0)
        os.ftruncate(self._handle, len(text))

    def release(self) -> None:
        os.ftruncate(self._handle, 0)
        os.close(self._handle)


def acquire(
    env: Env,
    role: Role,
    *,
    yield_to: Callable[[Holder], bool],
    seconds: float,
    pause: Callable[[float], None],
) -> Lock | Holder:
    """The lock, or the holder for whom ``yield_to`` is true. Raises :class:`SettingError` when another holder
    keeps it for longer than ``seconds``."""
    make_data_dir(env)
    deadline = time.monotonic() + seconds
    while True:
        lock = _try_lock(env, role, pause)
        if lock is not None:
            return lock
        holder = read_holder(env)
        if holder is not None and holder.alive and yield_to(holder):
            return holder
        if time.monotonic() > deadline:
            who = f" (process {holder.pid})" if holder else ""
            raise SettingError(f"Another command{who} works with {env.data_dir}. Try again when it has ended.")
        pause(0.05)


def read_holder(env: Env) -> Holder | None:
    """Who last wrote into the lock file; None when it is empty."""
    try:
        return Holder(**json.loads(env.lock_file.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _try_lock(env: Env, role: Role, pause: Callable[[float], None]) -> Lock | None:
    try:
        handle = os.open(env.lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SettingError(f"{env.lock_file} cannot be opened: {error.strerror}.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            return None
        raise SettingError(f"{env.lock_file} cannot be locked: {error.strerror}.") from None
    earlier = read_holder(env)
    if earlier is not None:
        _clear_away(env, earlier, pause)
    lock = Lock(env, handle, role)
    lock.tell(state="starting")
    return lock


def _clear_away(env: Env, earlier: Holder, pause: Callable[[float], None]) -> None:
    """End the groups of a supervisor that was killed, and wait until they let go of its port."""
    for group in earlier.groups.values():
        if group > 1 and _is_ours(env, group):
            end_group(group)
            wait_until(lambda group=group: not _members(group), seconds=5.0, pause=pause)  # type: ignore[misc]


def _is_ours(env: Env, group: int) -> bool:
    """Numbers are used again: a group is one of ours only while a member carries our data directory and a
    kind of process in its environment."""
    place = f"PAWFLOW_DATA_DIR={env.data_dir}".encode()
    kinds = {f"PAWFLOW_PROCESS={kind}".encode() for kind in ("web", "worker", "prepare")}
    for member in _members(group):
        with contextlib.suppress(OSError):
            carried = set(Path(f"/proc/{member}/environ").read_bytes().split(b"\0"))
            if place in carried and carried & kinds:
                return True
    return False


def _members(group: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if os.getpgid(int(entry.name)) == group and (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found
