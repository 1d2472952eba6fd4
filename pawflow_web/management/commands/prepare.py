"""``manage.py prepare``: what ``up`` does between the database and the web process."""

import hashlib
import json
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from pawflow_web.identity.models import User
from pawflow_web.identity.services import create_sign_in_link, ensure_owner
from pawflow_web.lib.errors import DomainError


class Command(BaseCommand):
    help = "Migrate, collect the static files and make the first owner. Example: manage.py prepare"

    def handle(self, *_args: Any, **_options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        collect_static_files()
        try:
            link = first_sign_in_link()
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(json.dumps({"sign_in": link}))


def first_sign_in_link() -> str | None:
    """A link for the owner that an empty installation gets; None when it has one already, whoever that is."""
    if User.objects.exists():
        return None
    user, _ = ensure_owner(settings.ENV.owner)
    return create_sign_in_link(user)


def collect_static_files() -> None:
    """Gather the static files under their hashed names, unless the same ones lie there already."""
    stamp_file = settings.ENV.data_dir / "static.stamp"
    stamp = _static_stamp()
    if stamp_file.exists() and stamp_file.read_text() == stamp and settings.STATIC_ROOT.exists():
        return
    stamp_file.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp_file.write_text(stamp)


def _static_stamp() -> str:
    """Changes when the storage or any file in the places that static files come from does."""
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for path, storage in finder.list(["CVS", ".*", "*~"]):
            status = (storage.path(path), storage.get_modified_time(path), storage.size(path))
            digest.update(repr(status).encode())
    return digest.hexdigest()
