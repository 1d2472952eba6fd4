"""What this app forgets by itself."""

from datetime import timedelta

import pytest
from django.db.models import F

from pawflow_web.identity.models import SignInFailure, SignInLink
from pawflow_web.identity.services import create_sign_in_link, sign_in_with_password, use_sign_in_link
from pawflow_web.identity.tasks import drop_old_sign_ins
from tests.factories import make_owner


@pytest.mark.django_db
def test_links_past_their_day_and_failures_past_their_window_are_dropped() -> None:
    alice = make_owner("alice")
    create_sign_in_link(alice)
    SignInLink.objects.update(expires_at=F("expires_at") - timedelta(hours=25))
    assert sign_in_with_password(name="alice", password="wrong", address="::1") is None
    SignInFailure.objects.update(at=F("at") - timedelta(minutes=16))
    link = create_sign_in_link(alice)
    assert sign_in_with_password(name="bob", password="wrong", address="::2") is None
    assert (SignInLink.objects.count(), SignInFailure.objects.count()) == (2, 2)
    drop_old_sign_ins(0.0)

    assert (SignInLink.objects.count(), SignInFailure.objects.count()) == (1, 2)
    assert use_sign_in_link(link.rpartition("/")[2]) == alice
