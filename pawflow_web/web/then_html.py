"""A page of another day: its links stay in that day, and nothing on it writes.

Done to the finished markup and not in every template, so that no page and no fragment can forget it. The server
refuses such a write anyway; this is why nobody is offered one.
"""

from collections.abc import Callable, Sequence
from html import escape
from html.parser import HTMLParser

Attributes = Sequence[tuple[str, str | None]]
# Makes an address of ours stay in that day; None for one that is no page.
Stays = Callable[[str], str | None]

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
WRITES = frozenset({"hx-post", "hx-put", "hx-patch", "hx-delete", "formaction"})
# A link that leads out of that day on purpose, and a form that has the two fields itself.
LEAVES = "data-now"
OWN_FIELDS = "data-own-time"


def of_another_day(html: str, stays: Stays, fields: Attributes, *, keeps: Sequence[str] = ()) -> str:
    """The markup without forms and buttons that write, its links and its searching forms with the day.

    Args:
        stays: what becomes of an address.
        fields: name and value of the hidden fields that a searching form gets.
        keeps: addresses of forms that may write, because what they write is no belief.
    """
    writer = _Writer(stays, fields, frozenset(keeps))
    writer.feed(html)
    writer.close()
    return "".join(writer.out)


class _Writer(HTMLParser):
    def __init__(self, stays: Stays, fields: Attributes, keeps: frozenset[str]) -> None:
        super().__init__(convert_charrefs=False)
        self.out: list[str] = []
        self._stays = stays
        self._fields = fields
        self._keeps = keeps
        self._gone: set[str] = set()
        # the element that is being left out, and how many of its name are open inside it
        self._leaving = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self._leaving:
            self._depth += tag == self._leaving
            return
        if self._writes(tag, given):
            if given.get("id") and tag == "form":
                self._gone.add(str(given["id"]))
            if tag not in VOID:
                self._leaving, self._depth = tag, 1
            return
        self.out.append(self._tag(tag, attrs, given))
        if tag == "form" and OWN_FIELDS not in given and given.get("method", "get") == "get":
            self.out += [f'<input type="hidden" name="{escape(n)}" value="{escape(v or "")}">' for n, v in self._fields]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._leaving:
            self.out.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if not self._leaving:
            self.out.append(f"</{tag}>")
        elif tag == self._leaving:
            self._depth -= 1
            self._leaving = self._leaving if self._depth else ""

    def handle_data(self, data: str) -> None:
        self._keep(data)

    def handle_entityref(self, name: str) -> None:
        self._keep(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._keep(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        self._keep(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._keep(f"<!{decl}>")

    def _keep(self, text: str) -> None:
        if not self._leaving:
            self.out.append(text)

    def _writes(self, tag: str, given: dict[str, str | None]) -> bool:
        if tag == "form":
            return given.get("method") == "post" and given.get("action") not in self._keeps
        return bool(WRITES & given.keys()) or given.get("form") in self._gone

    def _tag(self, tag: str, attrs: Attributes, given: dict[str, str | None]) -> str:
        name = "href" if tag == "a" else "hx-get"
        changed = {
            which: address
            for which in {name, "hx-get"}
            # What a form asks for, its fields say.
            if tag != "form" and given.get(which) and (address := self._stays(str(given[which]))) is not None
        }
        if not changed or LEAVES in given:
            return self.get_starttag_text() or ""
        parts = [tag, *(_attribute(which, changed.get(which, value)) for which, value in attrs)]
        return f"<{' '.join(parts)}>"


def _attribute(name: str, value: str | None) -> str:
    return name if value is None else f'{name}="{escape(value)}"'
