"""No process outlives the worker that forked it.

The queue forks a sentinel, which forks the rest. Killed hard, a parent leaves its children polling for ever
beside the next cluster; the system can tell each of them instead that its parent is gone.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """From now on, every child that this process or its children fork is killed when its parent dies."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    parents: list[int] = []

    def before() -> None:
        parents[:] = [os.getpid()]

    def in_child() -> None:
        signal.set_wakeup_fd(-1)  # the parent's: what wakes us must not wake it
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parents[0]:  # it died before the line above
            os._exit(1)

    os.register_at_fork(before=before, after_in_child=in_child)
