"""What may be kept of titles, names and comments: no secret, and no more than there was."""

import pytest

from pawflow_web.lib.scanner import scan
from pawflow_web.lib.storable import without_secrets
from tests.factories import GITHUB_TOKEN


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The bread is baked daily", "The bread is baked daily"),
        (f"see {GITHUB_TOKEN} there", "see [GitHub token removed] there"),
        ("api_key=abcd1234efgh here", "api_key=[removed] here"),
        ("password: hunter2x again", "password: … again"),
    ],
)
def test_what_stands_in_a_secrets_place_fits_into_it(text: str, kept: str) -> None:
    assert without_secrets(text, field="title") == kept
    assert len(kept) <= len(text)
    assert not [finding for finding in scan(kept) if finding.kind == "secret"]


@pytest.mark.parametrize("secret", ["password: hunter2x", "api_key=abcd1234", "postgres://u:p@h/d"])
def test_a_text_as_long_as_its_column_still_fits(secret: str) -> None:
    for text in (f"{secret} ".ljust(300, "x"), secret.rjust(300), f"{secret} " * 16):
        assert [finding for finding in scan(text) if finding.kind == "secret"]
        assert len(without_secrets(text, field="title")) <= len(text)
