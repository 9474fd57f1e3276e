"""How a run gets a view of its own of folders that all runs see; mounts nothing itself.

A view is an overlay that cannot be written. Locks, leases and notifications belong to its files and
not to those below, so what one run does with them never reaches another.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

# Of an ordinary user's own namespaces, in which bubblewrap then makes its own.
_SCRIPT = """set -e
hall=$1
shift
mount -t tmpfs -o size=1m,mode=755 none "$hall"
mkdir "$hall/nothing"
while [ "$1" != -- ]; do
  mkdir "$hall/$1"
  mount -t overlay -o "ro,noatime,$2" none "$hall/$1"
  shift 2
done
shift
exec "$@"
"""


def options(folder: Path, nothing: Path) -> str:
    """The overlay's; it takes two layers, so one of them is an empty folder."""
    escaped = "".join(f"\\{one}" if one in "\\:," else one for one in str(folder))
    return f"lowerdir={escaped}:{nothing}"


def command(hall: Path, folders: Mapping[str, Path]) -> list[str]:
    """What an ordinary user puts before a command that is to find views of the folders below `hall`,
    by these names."""
    named = [
        word for item in folders.items() for word in (item[0], options(item[1], hall / "nothing"))
    ]
    unshare = shutil.which("unshare") or "unshare"
    flags = ["--user", "--map-root-user", "--mount", "--time", "--propagation", "private"]
    return [unshare, *flags, "--", "/bin/sh", "-c", _SCRIPT, "sh", str(hall), *named, "--"]


def work_for_users(hall: Path) -> bool:
    """Whether an ordinary user can make them here."""
    trial = [*command(hall, {"trial": Path("/usr")}), "true"]
    try:
        done = subprocess.run(trial, capture_output=True, env={}, check=False)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0
