"""Requests that wait inside the page until the test lets them go.

Playwright's routes hold them in the browser, where under load one has been seen to go through.
"""

from playwright.sync_api import Page

_HOLD = """(part) => {
  const { open, send } = XMLHttpRequest.prototype;
  let held = null;
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.address = String(url);
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (held || !this.address.includes(part)) return send.call(this, body);
    held = () => send.call(this, body);
  };
  window.letGo = () => held();
}"""


def hold_first(page: Page, part: str) -> None:
    """The first request by script whose address contains ``part`` waits for :func:`let_go`; until the next page."""
    page.evaluate(_HOLD, part)


def let_go(page: Page) -> None:
    page.evaluate("window.letGo()")
