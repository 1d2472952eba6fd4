"""The process that compiles and matches: this file run as a program, with nothing of the product around it.

It reads frames and answers each with one: a letter and the length of what follows. It ends when its input does.

``p``: begins a query. Seconds that one frame may take, bytes of address space, the pattern in UTF-8.
``t``: texts. How many, their lengths in bytes, all their UTF-8.
Answers are ``e``, what is wrong with the pattern, or ``m``, a byte for each text: 1 where it is found.
"""

import resource
import signal
import struct
import sys
from itertools import accumulate, pairwise
from typing import Any, BinaryIO

import re2

FRAME = struct.Struct("<cQ")
QUERY = struct.Struct("<dQ")
COUNT = struct.Struct("<I")
LENGTHS = "<{}Q"
# The exit status after memory ran out.
NO_MEMORY = 12


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the requests end."""
    seconds, pattern = 0.0, None
    while head := requests.read(FRAME.size):
        kind, size = FRAME.unpack(head)
        payload = memoryview(requests.read(size))
        if kind == b"p":
            seconds, memory = QUERY.unpack_from(payload)
            _limit_memory(memory)
        # Should the server die meanwhile, nobody else would end what takes too long.
        signal.setitimer(signal.ITIMER_REAL, seconds)
        answer, reply = b"m", b""
        if kind == b"t":
            reply = _found(pattern, payload)
        else:
            try:
                pattern = _compiled(bytes(payload[QUERY.size :]), memory)
            except re2.error as error:
                answer, reply = b"e", error.args[0]
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(FRAME.pack(answer, len(reply)) + reply)
        answers.flush()


def _limit_memory(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _compiled(pattern: bytes, memory: int) -> Any:
    # RE2 would keep the patterns of all queries before.
    re2.purge()
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    options.max_mem = memory // 4
    return re2.compile(pattern, options)


def _found(pattern: Any, payload: memoryview) -> bytes:
    (count,) = COUNT.unpack_from(payload)
    lengths = struct.unpack_from(LENGTHS.format(count), payload, COUNT.size)
    begin = COUNT.size + struct.calcsize(LENGTHS.format(count))
    places = pairwise(accumulate(lengths, initial=begin))
    return bytes(pattern.search(payload[start:end]) is not None for start, end in places)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except MemoryError:
        sys.exit(NO_MEMORY)
