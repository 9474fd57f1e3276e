"""Opens the backend that was asked for, and never another one."""

from __future__ import annotations

from pathlib import Path

from sandbox.contract import Backend, SandboxUnavailable

NAMES = ("namespace", "docker")


def open_backend(
    name: str = "namespace",
    *,
    allow_reduced: bool = False,
    root: str = "python",
    state_dir: Path = Path("data/sandbox"),
    docker_url: str | None = None,
    runtime: str | None = None,
) -> Backend:
    """Open, sweep and probe a backend.

    `docker_url` (a unix:// address) and `runtime` (such as "runsc") are for Docker only.
    Raises SandboxUnavailable with one sentence naming the missing layer; never falls back.
    """
    state_dir = state_dir.absolute()
    if name == "namespace":
        from sandbox.namespace import NamespaceBackend

        return NamespaceBackend(root, state_dir, allow_reduced)
    if name == "docker":
        from sandbox.docker_engine import DockerBackend

        return DockerBackend(root, state_dir, allow_reduced, docker_url, runtime)
    raise SandboxUnavailable(f"There is no sandbox backend {name!r}: choose {' or '.join(NAMES)}.")
