"""The folder of everything the site keeps: readable by nobody else on its machine."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

PRIVATE = ("alive", "broker", "logs", "mail", "media", "metrics", "replays", "variants")
OTHERS = 0o077
# The user a program runs as has to get through to the sandbox's root folder: it may pass, not look.
PASSED = 0o711


def default_data(root: Path) -> Path:
    """`data` in a checkout; where the package is installed, the user's own folder for such things."""
    if (root / "manage.py").exists():
        return root / "data"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "headnode"


def open_data_folder(data: Path) -> Path:
    """Make the folder and what is private in it, closed to other users of the machine.

    Raises ImproperlyConfigured, with one sentence, where it cannot be used.
    """
    try:
        data.mkdir(mode=PASSED, parents=True, exist_ok=True)
        _close(data, PASSED)
        for name in PRIVATE:
            folder = data / name
            folder.mkdir(mode=0o700, exist_ok=True)
            _close(folder, 0o700)
        if not os.access(data, os.W_OK | os.X_OK):
            raise PermissionError("it is read-only")
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {data} cannot be used ({error.strerror or error}): make it writable for this "
            "user, or name another one in HEADNODE_DATA."
        ) from error
    return data


def private_file(path: Path) -> Path:
    """The file, made empty where it is not there, which nobody else may read. Raises OSError.

    One that is there is not opened: closing it would take away every lock that this process has on it, and with
    them SQLite's (POSIX knows a process's locks by the file, not by who opened it).
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    _close(path, 0o600)
    return path


def _close(path: Path, mode: int) -> None:
    """Take away what others may do; who is not the owner leaves it as the owner wanted it."""
    found = path.stat()
    if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & OTHERS & ~mode:
        path.chmod(stat.S_IMODE(found.st_mode) & mode)
