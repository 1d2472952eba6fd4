"""Where the server stores words without secrets: no column and no name of the graph keeps one."""

from dataclasses import replace
from typing import Any

import pytest

from graph.models import Triple
from pawflow_web.lib.errors import Invalid
from review.lifecycle import correct
from tests.factories import GITHUB_TOKEN
from tests.graph.facts import add, fact, names, objects
from tests.review.beliefs import Parties


@pytest.fixture
def _redacting(settings: Any) -> None:
    settings.ENV = replace(settings.ENV, secrets_policy="redact")


REMOVED = "[GitHub token removed]"


@pytest.mark.usefixtures("_redacting")
def test_the_parts_are_those_of_the_line_that_is_kept(parties: Parties) -> None:
    item = fact(parties.coder, "Lotta", "opens", f"vault {GITHUB_TOKEN}")
    row = item.triple

    assert item.text == f"Lotta → opens → vault {REMOVED}"
    assert (row.subject_name, row.predicate, row.object_name) == ("Lotta", "opens", f"vault {REMOVED}")
    assert (item.status, item.privacy) == ("active", "normal")
    assert names(parties.user.pk) == {"Lotta", f"vault {REMOVED}"}
    assert add(parties.coder, "lotta", "opens", f"vault {GITHUB_TOKEN}").admission.outcome == "duplicate"
    said = fact(parties.coder, GITHUB_TOKEN, f"made of {GITHUB_TOKEN}", "Lotta")
    assert said.text == f"{REMOVED} → made_of_[github_token_removed] → Lotta"


@pytest.mark.usefixtures("_redacting")
def test_so_are_those_of_a_correction(parties: Parties) -> None:
    old = fact(parties.coder, "Lotta", "opens", "the gate")
    done = correct(principal=parties.person, reference=old.ref, text=f"Lotta → opens → vault {GITHUB_TOKEN}")

    assert Triple.objects.get(item=done.item).object_name == f"vault {REMOVED}"
    assert objects(parties.coder, "Lotta", current=True) == {f"vault {REMOVED}"}


@pytest.mark.usefixtures("_redacting")
def test_what_cannot_be_taken_out_is_refused(parties: Parties) -> None:
    with pytest.raises(Invalid) as refused:
        add(parties.coder, "Lotta", "opens", GITHUB_TOKEN + GITHUB_TOKEN)
    assert refused.value.code == "secret_refused"
    assert not Triple.objects.exists()
    assert fact(parties.coder, "Lotta", "opens", f"{GITHUB_TOKEN} {GITHUB_TOKEN}").text.endswith(f"{REMOVED} {REMOVED}")


def test_elsewhere_it_is_sealed_whole(parties: Parties) -> None:
    item = fact(parties.coder, "Lotta", "opens", f"vault {GITHUB_TOKEN}")
    row = Triple.objects.get(item=item)
    assert (item.privacy, row.object_name, row.subject_name) == ("secret", "", "")
