"""The sandbox, as `python -m sandbox doctor` finds it, with what its findings mean for the site."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from headnode.doctor.findings import Finding, failed, warning, well
from sandbox import doctor

NEEDED = {
    "python": "candidates' programs",
    "login": "terminals; their host builds it when it starts",
    "slurm": "exercises on a live cluster; the terminals' host builds it when it starts",
}


def sandbox() -> Iterator[Finding]:
    """Whether programs can be run here, behind every layer, and what they would find."""
    if keeper := somebody_elses():
        cure = f"Look as {keeper}: headnode doctor --only sandbox"
        said = f"{settings.SANDBOX_STATE} is {keeper}'s, as whom workers run on this host."
        yield warning("sandbox", said, cure)
        return
    yield from told(doctor.examine(settings.SANDBOX_STATE))


def somebody_elses() -> str:
    """Who keeps the sandbox's folder here, where that is not who asks: to others it looks another way."""
    state = settings.SANDBOX_STATE
    owner = state.stat().st_uid if state.is_dir() else os.geteuid()
    if os.geteuid() in (0, owner):
        return ""
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return str(owner)


def told(found: dict[str, Any]) -> Iterator[Finding]:
    """`found` as sandbox.doctor.examine gives it."""
    backend = found["backends"][settings.SANDBOX_BACKEND]
    lacking = [layer["name"] for layer in backend["layers"] if not layer["works"]]
    if backend["state"] == "unusable":
        cure = "See python -m sandbox doctor and docs/sandbox.md; no program runs until then."
        yield failed("sandbox", backend["reason"], cure)
    elif backend["state"] == "reduced" and not settings.SANDBOX_ALLOW_REDUCED:
        cure = "See docs/sandbox.md on delegating control groups, or set SANDBOX_ALLOW_REDUCED=1 knowingly."
        yield failed("sandbox", f"{backend['reason']}: workers refuse to run anything.", cure)
    elif backend["state"] == "reduced":
        cure = "See docs/sandbox.md on delegating control groups."
        yield warning("sandbox", f"Runs, marked as weaker: {', '.join(lacking)}.", cure)
    else:
        yield well("sandbox", f"{settings.SANDBOX_BACKEND}, with every layer it needs.")
    yield from roots(found["roots"], backend["roots"])


def roots(known: dict[str, Any], tried: dict[str, str]) -> Iterator[Finding]:
    """The root folders that exercises need: built, unchanged, and working behind the fence."""
    for name, what in NEEDED.items():
        root = known[name]
        cure = f"Build it: python -m sandbox --state {settings.SANDBOX_STATE} build-root {name}"
        tell = failed if name == "python" else warning
        if root["state"] != "built":
            yield tell(f"root {name}", f"{root['reason'] or 'Not built'} It is for {what}.", cure)
        elif tried.get(name):
            yield tell(f"root {name}", f"Does not work: {tried[name]}", cure)
        else:
            yield well(f"root {name}", f"{root['size_mb']} MiB, for {what}.")
