"""The sandbox in which a command line runs candidates' programs."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox import Backend, open_backend

DATA = Path(__file__).resolve().parent.parent / "data"


def state_folder() -> Path:
    """Where the sandbox keeps its state: in the folder that HEADNODE_DATA names, as the site's does."""
    return Path(os.environ.get("HEADNODE_DATA") or DATA).resolve() / "sandbox"


def backend_from_environment() -> Backend:
    """The sandbox that SANDBOX_BACKEND, _ALLOW_REDUCED, _DOCKER_URL and _RUNTIME ask for.

    Raises SandboxUnavailable when it cannot run here, ValueError for an unknown name.
    """
    name = os.environ.get("SANDBOX_BACKEND", "namespace")
    if name not in ("namespace", "docker"):
        raise ValueError(f"SANDBOX_BACKEND is namespace or docker, not {name!r}.")
    return open_backend(
        name,
        allow_reduced=os.environ.get("SANDBOX_ALLOW_REDUCED") == "1",
        state_dir=state_folder(),
        docker_url=os.environ.get("SANDBOX_DOCKER_URL") or None,
        runtime=os.environ.get("SANDBOX_RUNTIME") or None,
    )
