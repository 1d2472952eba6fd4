"""Programs started as sessions of their own that do not outlive the process that started them."""

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_PR_SET_PDEATHSIG = 1
# Looked up once, before any fork: between fork and exec nothing may be imported.
_prctl = ctypes.CDLL(None, use_errno=True).prctl


def start_child(
    command: Sequence[str | Path],
    *,
    death_signal: signal.Signals,
    environment: Mapping[str, str],
    output: int | IO[bytes],
    errors: int | IO[bytes] | None = None,
    cwd: Path = Path("/"),
    keep: Sequence[int] = (),
    **switch: Any,
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own. The kernel sends it ``death_signal`` when we die, however that
    happens; programs that it forks itself are not bound that way, which is why :func:`end_group` exists.

    ``output`` takes both of its streams unless ``errors`` is given, ``keep`` are descriptors it inherits,
    ``switch`` changes its user.
    """
    parent = os.getpid()

    def bind_to_parent() -> None:
        # Runs after the switch of user, which would clear it again.
        _prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if os.getppid() != parent:
            os._exit(1)

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output if errors is None else errors,
        cwd=cwd,
        env=environment,
        umask=0o077,
        pass_fds=keep,
        start_new_session=True,
        preexec_fn=bind_to_parent,
        **switch,
    )


def stop_child(process: subprocess.Popen[bytes], *steps: tuple[signal.Signals, float]) -> None:
    """Send each signal in turn and wait that many seconds after it, until the program has ended."""
    for number, seconds in steps:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return


def end_group(group: int) -> None:
    """Kill whatever is left of a session that we started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def wait_until(done: Callable[[], bool], *, seconds: float, pause: Callable[[float], None], step: float = 0.02) -> bool:
    """Ask again every ``step`` seconds, for at most ``seconds``; whether it came true."""
    for _ in range(max(1, round(seconds / step))):
        if done():
            return True
        pause(step)
    return done()
