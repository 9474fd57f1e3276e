"""Opens the backend that was asked for, and never another one."""

from __future__ import annotations

import atexit
from pathlib import Path

from sandbox.contract import Backend
from sandbox.unavailable import SandboxUnavailable

NAMES = ("namespace", "docker")


def open_backend(
    name: str = "namespace",
    *,
    allow_reduced: bool = False,
    root: str = "python",
    state_dir: Path = Path("data/sandbox"),
    docker_url: str | None = None,
    runtime: str | None = None,
    spares: int = 0,
) -> Backend:
    """Open, sweep and probe a backend.

    `docker_url` (a unix:// address) and `runtime` (such as "runsc") are for Docker only. `spares`
    sandboxes are started ahead, each for one run; they pay where one process makes many.
    Raises SandboxUnavailable with one sentence naming the missing layer; never falls back.
    """
    if spares < 0:
        raise SandboxUnavailable(
            f"The number of spare sandboxes must be 0 or more, not {spares}: set SANDBOX_SPARES."
        )
    state_dir = state_dir.absolute()
    if name == "namespace":
        from sandbox.namespace import NamespaceBackend

        opened: Backend = NamespaceBackend(root, state_dir, allow_reduced, spares)
    elif name == "docker":
        from sandbox.docker_engine import DockerBackend

        opened = DockerBackend(root, state_dir, allow_reduced, docker_url, runtime, spares)
    else:
        raise SandboxUnavailable(
            f"There is no sandbox backend {name!r}: choose {' or '.join(NAMES)}."
        )
    if spares:
        # A process that ends without closing would leave their groups and containers to a sweep.
        atexit.register(opened.close)
    return opened
