"""Reading a fixture, or bytes, as a session of any format."""

from collections.abc import Sequence
from pathlib import Path

from conversations.sessions.entries import Bad, Entry, Format, Node, Policy, Record, State
from conversations.sessions.formats.registry import format_of
from conversations.sessions.lineage import lineage_of

FIXTURES = Path(__file__).parent / "fixtures"
ALL = Policy(thinking=True, tool_output=True)


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def sessions(kind: str, source: bytes, policy: Policy | None = None) -> "list[ReadSession]":
    """Every session of a source."""
    known = format_of(kind)
    return [ReadSession(known, source[part.start : part.end], policy) for part in known.parts(source)]


def only_session(kind: str, source: bytes, policy: Policy | None = None) -> "ReadSession":
    (session,) = sessions(kind, source, policy)
    return session


class ReadSession:
    def __init__(self, known: Format, source: bytes, policy: Policy | None = None) -> None:
        self.known = known
        self.policy = policy or Policy()
        self.records: list[Record] = []
        self.entries: list[Entry] = []
        self.nodes: list[tuple[int, Node | None]] = []
        self.bad: list[str] = []
        reader = known.reader(self.policy)
        for record in known.records(source):
            if isinstance(record, Bad):
                self.bad.append(record.code)
                continue
            read = reader.read(record)
            self.records.append(record)
            self.entries += read.entries
            self.nodes.append((record.ordinal, read.node))
        self.state = reader.state

    @property
    def active(self) -> list[Entry]:
        on_branch = lineage_of(self.nodes, self.state.leaf).active
        return [entry for entry in self.entries if entry.ordinal in on_branch]

    @property
    def turns(self) -> list[str]:
        """What the person said, on all branches."""
        return [entry.text for entry in self.entries if entry.prose and entry.role == "user"]

    def of_role(self, role: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.role == role]

    def alone(self, record: Record) -> Sequence[Entry]:
        """The entries of one record, read with nothing known but the calls of its entries."""
        ours = [entry for entry in self.entries if entry.ordinal == record.ordinal]
        state = State(calls={call: tool for entry in ours for call, tool in entry.calls})
        return self.known.reader(self.policy, state).read(record).entries
