"""Recall from a Python program: calls as the server gives them, and a walk through whole sessions.

The standard library is all it needs. Predicates and reductions are Python, and stay on this side.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Json = dict[str, Any]
# Gets a whole record and how many came before it; exactly False ends the walk.
Visitor = Callable[[Json, int], object]


@dataclass(frozen=True, slots=True)
class Walked:
    """How a walk ended. ``error``: what the server said, with ``code`` and ``message``."""

    visited: int
    stopped: bool = False
    error: Json | None = None


def _refused(error: HTTPError) -> "Refused":
    with error:
        try:
            said = json.load(error)["error"]
            return Refused(error.code, str(said["code"]), str(said["message"]))
        except (ValueError, LookupError, TypeError):
            return Refused(error.code, "", f"The server answered {error.code}.")


class Broken(Exception):
    """The server's pages do not continue one another."""


class Refused(Exception):
    """The server does not take a call; the message is the server's.

    ``status``: of HTTP. ``code``: what the server calls it, empty where it said nothing.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Recall:
    """The recall of one server for the holder of a token."""

    def __init__(self, server: str, token: str, *, timeout: float = 60.0) -> None:
        self._address = f"{server.rstrip('/')}/api/v1/call"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._timeout = timeout

    def call(self, call: Mapping[str, Any]) -> Json:
        """Run a call such as ``follow`` or ``next``. Raises :class:`Refused`, or :class:`urllib.error.URLError` where
        there is no server."""
        request = Request(self._address, json.dumps(call).encode(), self._headers)  # noqa: S310 - the caller's server
        try:
            with urlopen(request, timeout=self._timeout) as reply:  # noqa: S310
                answer: Json = json.load(reply)
        except HTTPError as error:
            raise _refused(error) from None
        return answer

    def walk(self, selector: Mapping[str, Any], visitor: Visitor) -> Walked:
        """Give the visitor every record that the selector names, whole and in order.

        Args:
            selector: arguments of ``memory.expand``; with a session alone, all of it.

        Raises:
            ValueError: the selector begins within a text.
            Broken: the server's pages do not continue one another.
        """
        if selector.get("textOffset"):
            raise ValueError("A walk begins with a whole record: leave textOffset out.")
        visited = 0
        for record in self._records(dict(selector)):
            if "error" in record and "index" not in record:
                return Walked(visited, error=record["error"])
            visited += 1
            if visitor(record, visited - 1) is False:
                return Walked(visited, stopped=True)
        return Walked(visited)

    def _records(self, selector: Json) -> Iterator[Json]:
        """Whole records; an error of the server comes as the last one."""
        named = ("indices", "entryIds", "operationAddresses", "entryRange")
        if not any(selector.get(name) for name in named):
            known = self._expand(selector)
            if known.get("error"):
                yield {"error": known["error"]}
                return
            if not known["entryCount"]:
                return
            bound = {"expectedSourceHash": "sourceHash", "expectedLineageFingerprint": "lineageFingerprint"}
            selector |= {name: known[origin] for name, origin in bound.items()}
            selector["entryRange"] = {"first": 0, "last": known["entryCount"] - 1}
        yield from self._pages({"ref": "memory.expand", "args": selector})

    def _pages(self, call: Json | None) -> Iterator[Json]:
        part: Json | None = None
        while call is not None:
            answer = self.call(call)
            if answer.get("error"):
                yield {"error": answer["error"]}
                return
            for entry in answer["entries"]:
                part = _continued(part, entry)
                if part["textRange"]["end"] == part["textRange"]["total"]:
                    yield part
                    part = None
            if answer["next"] == call:
                raise Broken("The next page is this one.")
            call = answer["next"]
        if part is not None:
            raise Broken(f"Entry {part['index']} has no end.")

    def _expand(self, selector: Json) -> Json:
        return self.call({"ref": "memory.expand", "args": selector})


def _continued(part: Json | None, entry: Json) -> Json:
    """A record with what is there of its text so far."""
    reach = entry["textRange"]
    if len(entry["text"]) != reach["end"] - reach["start"]:
        raise Broken(f"Entry {entry['index']}: the text is not as long as its range.")
    if part is None:
        if reach["start"]:
            raise Broken(f"Entry {entry['index']} begins at {reach['start']}.")
        return {**entry, "textRange": dict(reach)}
    if (entry["index"], reach["start"], reach["total"]) != (
        part["index"],
        part["textRange"]["end"],
        part["textRange"]["total"],
    ):
        raise Broken(f"Entry {entry['index']} does not go on from {part['textRange']['end']}.")
    whole = {**reach, "start": 0, "complete": reach["end"] == reach["total"]}
    return {**part, "text": part["text"] + entry["text"], "textRange": whole}
