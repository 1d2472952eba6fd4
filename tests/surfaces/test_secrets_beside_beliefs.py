"""Titles, names and comments have no privacy of their own, so they keep no secret."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from conversations.models import Conversation, Project
from pawflow_web.identity.models import IdempotentReply, User
from pawflow_web.identity.services import create_sign_in_link
from review.limits import COMMENT_MOST
from review.models import ArchiveRequest, Feedback, JournalPayload
from tests.factories import GITHUB_TOKEN, make_owner, make_person_token

pytestmark = pytest.mark.django_db

# As a scanner knows it; it opens nothing.


@pytest.fixture
def alice() -> User:
    return make_owner("alice")


def send(client: Client, token: str, method: str, path: str, body: dict[str, Any], **headers: str) -> Any:
    return getattr(client, method)(
        f"/api/v1{path}", body, content_type="application/json", headers={"Authorization": f"Bearer {token}", **headers}
    )


def test_they_are_taken_out_of_titles_names_and_comments(client: Client, alice: User) -> None:
    token = make_person_token(alice)
    assert (
        send(client, token, "post", "/conversations", {"title": f"Deploy with {GITHUB_TOKEN} today"}).status_code == 201
    )
    project = {"name": f"Shop {GITHUB_TOKEN}", "description": f"key {GITHUB_TOKEN}"}
    assert send(client, token, "post", "/projects", project).status_code == 201
    ref = send(client, token, "post", "/tools/remember", {"text": "Likes tea", "scope": "global"}).json()["ref"]
    assert (
        send(client, token, "post", f"/review/{ref}/reject", {"reason": f"wrong, see {GITHUB_TOKEN}"}).status_code
        == 200
    )
    kept = [*Conversation.objects.values_list("title"), *Project.objects.values_list("name", "slug", "description")]
    kept += JournalPayload.objects.exclude(note="").values_list("note")
    assert len(kept) == 3
    assert GITHUB_TOKEN.lower() not in repr(kept).lower()
    assert "Deploy with" in repr(kept)
    assert "wrong, see" in repr(kept)


def test_what_stands_in_their_place_fits_where_they_were(client: Client, alice: User) -> None:
    """Each field filled to its end: what is taken out is never shorter than what takes its place."""
    token = make_person_token(alice)
    ref = send(client, token, "post", "/tools/remember", {"text": "Likes tea", "scope": "global"}).json()["ref"]
    sent = [
        ("/conversations", {"title": _filled(300)}),
        ("/projects", {"name": _filled(200), "description": _filled(2000)}),
        ("/tools/memory_feedback", {"ref": ref, "helpful": True, "note": _filled(COMMENT_MOST)}),
        ("/tools/memory_archive_suggestion", {"ref": ref, "reason": _filled(COMMENT_MOST)}),
    ]
    answered = [send(client, token, "post", path, body).status_code for path, body in sent]
    assert answered == [201, 201, 200, 200]
    kept = [Conversation.objects.get().title, *Project.objects.values_list("name", "description").get()]
    kept += [Feedback.objects.get().note, ArchiveRequest.objects.get().reason]
    assert "hunter2x" not in repr(kept)
    assert all("and tea" in text for text in kept)


def _filled(length: int) -> str:
    return "x " * ((length - 26) // 2) + "password: hunter2x and tea"


def test_where_none_is_stored_they_are_refused(client: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = make_person_token(alice)
    with monkeypatch.context() as patched:
        patched.setattr(settings, "ENV", replace(settings.ENV, secrets_policy="refuse"))
        refused = send(client, token, "post", "/projects", {"name": "Shop", "description": GITHUB_TOKEN})
        fine = send(client, token, "post", "/projects", {"name": "Shop", "description": "sells tea"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "secret_refused")
    assert fine.status_code == 201


def test_names_of_clients_are_refused_or_kept_as_digests(client: Client, alice: User) -> None:
    token = make_person_token(alice)
    named = send(client, token, "post", "/conversations", {"external_id": GITHUB_TOKEN})
    assert (named.status_code, named.json()["error"]["code"]) == (422, "secret_refused")
    body = {"text": "Likes tea", "scope": "global"}
    for _ in range(2):
        done = send(client, token, "post", "/tools/remember", body, **{"Idempotency-Key": GITHUB_TOKEN})
        assert done.status_code == 200
    assert done["Idempotent-Replayed"] == "true"
    assert GITHUB_TOKEN not in IdempotentReply.objects.get().key


def test_a_sign_in_link_is_in_no_log(client: Client, alice: User, caplog: pytest.LogCaptureFixture) -> None:
    link = create_sign_in_link(alice)
    path = link.removeprefix(settings.ENV.base_url)
    strict = Client(enforce_csrf_checks=True)
    with caplog.at_level(logging.INFO):
        logging.getLogger("control").info("lines are seen")
        for method in ("post", "put", "delete"):
            assert getattr(strict, method)(path).status_code in {403, 405}
    assert "lines are seen" in caplog.text
    assert path.rpartition("/")[2] not in caplog.text
    assert client.get(path).status_code == 302
