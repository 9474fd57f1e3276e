"""Chooses, fetches and unpacks Debian packages by apt; runs none of their scripts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from sandbox.unavailable import SandboxUnavailable

_TOOLS = ("apt-get", "apt-cache", "dpkg-deb")
_OLDEST = (3, 11)
# Dependencies that only packages' scripts, a terminal or a person would use. Python comes as the
# two packages that hold it: the others add its tools and its name.
_UNWANTED = (
    r"debconf|dpkg|tar|perl.*|readline-common|libtirpc-common|gcc-.*-base|install-info|tzdata|ucf",
    r"mailcap|mime-support|debianutils|base-files|init-system-helpers|sensible-utils|lsb-base",
    r"python3|python3-minimal|python3\.\d+",
)


def require_apt() -> None:
    """Raises SandboxUnavailable, naming what is missing."""
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise SandboxUnavailable(
            f"The sandbox's root folder cannot be built here: {', '.join(missing)} is missing "
            "(it is unpacked from Debian packages, so build it on Debian or Ubuntu)."
        )


def run(
    command: list[str],
    cwd: Path | None = None,
    pass_fds: tuple[int, ...] = (),
    advice: str = "check the network and run 'apt-get update', then try again",
) -> str:
    """What it printed. Raises SandboxUnavailable with the tool's last line and what to do."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    done = subprocess.run(  # noqa: S603 - fixed tools, package names from apt
        command,
        cwd=cwd,
        env=environment,
        pass_fds=pass_fds,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise SandboxUnavailable(
            f"The sandbox's root folder could not be built: {command[0]} said "
            f"{lines[-1][:200]!r}; {advice}."
        )
    return done.stdout


def python_version() -> str:
    """The distribution's own Python, such as 3.11: other packages' modules are compiled for it.

    Raises SandboxUnavailable when apt offers none or an older one than we run on.
    """
    shown = run(["apt-cache", "depends", "--important", "python3-minimal"])
    found = re.search(r"Depends: python(3)\.(\d+)-minimal$", shown, re.MULTILINE)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST:
        raise SandboxUnavailable(
            "The sandbox's root folder cannot be built: apt offers no Python "
            f"{_OLDEST[0]}.{_OLDEST[1]} or newer; run 'apt-get update' and try again."
        )
    return f"{found[1]}.{found[2]}"


def with_dependencies(wanted: list[str], without: tuple[str, ...]) -> list[str]:
    """The packages and what they depend on, sorted, but for what matches a pattern of `without`.

    Of alternatives the first is taken, as apt does; suggestions are not. Raises
    SandboxUnavailable.
    """
    unwanted = re.compile("|".join(f"(?:{pattern})" for pattern in (*_UNWANTED, *without)))
    found: set[str] = set()
    fresh = set(wanted)
    while fresh:
        found |= fresh
        shown = run(["apt-cache", "depends", "--important", *sorted(fresh)])
        fresh = {name for name in _named(shown) if not unwanted.fullmatch(name)} - found
    return sorted(found)


def _named(shown: str) -> Iterator[str]:
    """Packages in apt-cache's list; virtual ones, in angle brackets, are no packages."""
    settled = False
    for line in shown.splitlines():
        if part := re.match(r"^ ([ |])(?:Pre)?Depends: (<?)(\S+)$", line):
            if not part[2] and not settled:
                settled = True
                yield part[3]
            if part[1] == " ":
                settled = False


def fetch(packages: list[str], into: Path) -> list[Path]:
    """The package files, verified by apt. What is there already is not fetched again.

    Raises SandboxUnavailable.
    """
    into.mkdir(exist_ok=True)
    # Elsewhere: it leaves out what lies in its folder already.
    shown = run(["apt-get", "-q", "download", "--print-uris", *packages], cwd=into.parent)
    names = re.findall(r"^'\S+' (\S+\.deb) \d+", shown, re.MULTILINE)
    run(["apt-get", "-q", "download", *packages], cwd=into)
    files = [into / name for name in sorted(names)]
    missing = [file.name for file in files if not file.is_file()]
    if missing or not files:
        raise SandboxUnavailable(
            "The sandbox's root folder could not be built: apt did not fetch "
            f"{', '.join(missing[:3]) or 'anything'}; run 'apt-get update' and try again."
        )
    return files


def unpack(files: list[Path], root: Path) -> dict[str, str]:
    """Versions by package. The root gets the merged layout: /bin is /usr/bin, /lib is /usr/lib."""
    versions = {}
    for file in files:
        run(["dpkg-deb", "-x", str(file), str(root)])
        name, version, _architecture = file.stem.split("_")
        versions[name] = version.replace("%3a", ":")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        _merge(root / name, root / "usr" / name)
    return versions


def _merge(old: Path, new: Path) -> None:
    if old.is_dir() and not old.is_symlink():
        shutil.copytree(old, new, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(old)
    if new.is_dir() and not old.is_symlink():
        old.symlink_to(f"usr/{new.name}")
