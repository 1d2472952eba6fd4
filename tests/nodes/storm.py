"""Clients that write all the time, remember what was acknowledged, and expect exactly that in the end."""

import http.client
import json
import random
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.live import Reply
from tests.nodes.installation import Installation

# A client tries an act again until it is answered; after one in so many tries that may have counted, it leaves the act
# to be settled at the end.
GIVES_UP_ONE_IN = 8
PATIENCE_S = 120.0
SYLLABLES = [first + vowel for first in "bdfghklmnprstvz" for vowel in "aeiou"]


@dataclass
class Belief:
    """What must be true of one belief, from what was acknowledged."""

    text: str
    ref: str = ""
    status: str = ""
    tags: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    revision: int = 1

    @property
    def row(self) -> tuple[Any, ...]:
        return (self.ref, self.text, self.status, self.tags, self.events)


@dataclass
class Act:
    """One request with its key, the same however often it is sent, and what it does once it is answered."""

    verb: str
    method: str
    path: str
    token: str
    body: dict[str, Any] | None
    learn: Callable[[Any], None]
    key: str = field(default_factory=lambda: secrets.token_hex(8))
    reply: str = ""

    @property
    def raw(self) -> str | None:
        return None if self.body is None else json.dumps(self.body)

    @property
    def headers(self) -> dict[str, str]:
        kind = {} if self.body is None else {"Content-Type": "application/json"}
        return {"Authorization": f"Bearer {self.token}", "Idempotency-Key": self.key, **kind}


class Client(threading.Thread):
    """Acts on beliefs of its own, on whichever node answers."""

    def __init__(self, nodes: Installation, seed: int, over: threading.Event) -> None:
        super().__init__(name=f"client {seed}", daemon=True)
        self.nodes = nodes
        self.over = over
        self.random = random.Random(seed)
        self.beliefs: list[Belief] = []
        self.open: list[Act] = []
        self.done: list[Act] = []
        self.troubles: Counter[str] = Counter()
        self.acts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.replayed = 0
        # beliefs of acts that nobody answered are left alone until they are settled
        self._busy: set[int] = set()
        # whether the last try without an answer may have reached a process
        self._arrived = False

    def run(self) -> None:
        try:
            while not self.over.is_set() and not self.wrong:
                self._act()
        except Exception as error:
            self.wrong.append(f"{type(error).__name__}: {error}")

    # --- what it does ---------------------------------------------------------------------------------------------

    def _act(self) -> None:
        about, act = self._chosen()
        answer = self._sent(act)
        if answer is None:
            self.open.append(act)
            self._busy.add(id(about))
            return
        self.settle(act, answer)
        if act.verb == "remember" and about.status == "active" and self.random.random() < 0.3:
            self._looked_for(about)

    def _chosen(self) -> tuple[Belief, Act]:
        fit = {"active": ("correct", "reject", "forget", "edit"), "needs_review": ("accept", "reject", "edit")}
        known = [belief for belief in self.beliefs if belief.status in fit and id(belief) not in self._busy]
        if not known or self.random.random() < 0.45:
            return self._remember(self.random.choice(["remember", "propose"]))
        belief = self.random.choice(known)
        make = getattr(self, f"_{self.random.choice(fit[belief.status])}")
        return belief, make(belief)

    def _words(self) -> str:
        words = ["".join(self.random.choices(SYLLABLES, k=4)) for _ in range(6)]
        return " ".join(words).capitalize()

    def _remember(self, verb: str) -> tuple[Belief, Act]:
        belief = Belief(self._words())
        token = self.nodes.agent if verb == "remember" else self.nodes.automation

        def learn(reply: Any) -> None:
            belief.ref, belief.status, belief.revision = reply["ref"], reply["status"], reply["revision"]
            belief.events.append("created")
            self.beliefs.append(belief)

        return belief, Act(verb, "POST", "/tools/remember", token, {"text": belief.text}, learn)

    def _correct(self, belief: Belief) -> Act:
        newer = Belief(self._words(), events=["created"])

        def learn(reply: Any) -> None:
            moved(belief, "superseded")
            newer.ref, newer.status = reply["item"]["ref"], reply["item"]["status"]
            newer.tags, newer.revision = reply["item"]["tags"], reply["item"]["revision"]
            self.beliefs.append(newer)

        return self._decision("correct", belief, {"text": newer.text}, learn)

    def _accept(self, belief: Belief) -> Act:
        def learn(reply: Any) -> None:
            moved(belief, "active")
            belief.revision = reply["item"]["revision"]

        return self._decision("accept", belief, {}, learn)

    def _reject(self, belief: Belief) -> Act:
        return self._decision("reject", belief, {}, lambda _: moved(belief, "rejected"))

    def _forget(self, belief: Belief) -> Act:
        path = f"/items/{belief.ref}"
        return Act("forget", "DELETE", path, self.nodes.person, None, lambda _: moved(belief, "stale"))

    def _edit(self, belief: Belief) -> Act:
        tags = [f"tag{self.random.randrange(10**6)}"]

        def learn(reply: Any) -> None:
            belief.tags, belief.revision = tags, reply["revision"]
            belief.events.append("edit")

        body = {"revision": belief.revision, "tags": tags}
        return Act("edit", "PATCH", f"/items/{belief.ref}", self.nodes.person, body, learn)

    def _decision(self, verb: str, belief: Belief, body: dict[str, Any], learn: Callable[[Any], None]) -> Act:
        body = {**body, "revision": belief.revision}
        return Act(verb, "POST", f"/review/{belief.ref}/{verb}", self.nodes.person, body, learn)

    def _looked_for(self, belief: Belief) -> None:
        """Acknowledged is found, by whichever node answers."""
        body = {"query": belief.text.split()[0]}
        act = Act("recall", "POST", "/tools/recall", self.nodes.agent, body, lambda _: None)
        reply = self._sent(act)
        if reply is not None and belief.ref not in [item["ref"] for item in reply.json["items"]]:
            self.wrong.append(f"{belief.ref} was acknowledged and is not found: {reply.json['coverage']}")

    # --- how it is sent -------------------------------------------------------------------------------------------

    def _sent(self, act: Act) -> Reply | None:
        """The answer of the first node that gives one; None where the client gave up before."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            reply = self.tried(act)
            if reply is not None:
                return reply
            if self._arrived and self.random.randrange(GIVES_UP_ONE_IN) == 0:
                return None
            if time.monotonic() > deadline:
                raise AssertionError(f"nobody answered {act.verb} in {PATIENCE_S:.0f} s: {self.troubles}")
            time.sleep(0.05)

    def tried(self, act: Act) -> Reply | None:
        live = self.random.choice(self.nodes.nodes).live
        try:
            reply = live.send(act.method, f"/api/v1{act.path}", act.raw, act.headers)
        except (OSError, http.client.HTTPException) as error:
            self._arrived = not isinstance(error, ConnectionRefusedError)
            self.troubles[type(error).__name__] += 1
            return None
        if reply.status < 500:
            return reply
        self._arrived = True
        self.troubles[f"{reply.status} {reply.error['code']}"] += 1
        return None

    def settle(self, act: Act, reply: Reply) -> None:
        if reply.status != 200:
            self.wrong.append(f"{act.verb} {act.path} answered {reply.status}: {reply.body!r}")
            return
        self.replayed += "idempotent-replayed" in reply.headers
        self.acts[act.verb] += 1
        act.reply = reply.body.decode()
        act.learn(reply.json)
        self.done.append(act)


def moved(belief: Belief, status: str) -> None:
    belief.status = status
    belief.events.append("transition")
