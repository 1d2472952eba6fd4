"""How long a text is for a model, near enough to keep a budget by."""

import re

from pawflow_web.lib.characters import HANGUL

# Han, Kana and Bopomofo, with the marks and full-width forms that stand among them.
_ONE_EACH = re.compile(
    f"[{HANGUL}\u2e80-\u2fdf\u3000-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)


def estimate_tokens(text: str) -> int:
    """Four UTF-8 bytes are one token, each Chinese, Japanese or Korean character is one by itself; rounded up."""
    if text.isascii():
        return -(-len(text) // 4)
    dense = _ONE_EACH.findall(text)
    rest = len(text.encode("utf-8", "surrogatepass")) - sum(len(character.encode()) for character in dense)
    return len(dense) + -(-rest // 4)
