"""Asks every backend what works on this host and says it in plain words."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandbox.backends import NAMES, open_backend
from sandbox.contract import SandboxUnavailable
from sandbox.gpu import report as gpu


def examine(state_dir: Path, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Plain JSON data: the host, and for each backend its layers or why it cannot run;
    `gpu` is what sandbox.gpu.report.examine gives."""
    return {
        "host": {
            "kernel": platform.release(),
            "machine": platform.machine(),
            "root": os.geteuid() == 0,
            "processors": os.cpu_count(),
        },
        "chosen": environment.get("SANDBOX_BACKEND", "namespace"),
        "allow_reduced": environment.get("SANDBOX_ALLOW_REDUCED") == "1",
        "backends": {name: _backend(name, state_dir, environment) for name in NAMES},
        "gpu": gpu.examine(state_dir),
    }


def _backend(name: str, state_dir: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Opened as reduced, so that a host with weaker limits still shows which they are."""
    try:
        backend = open_backend(
            name,
            allow_reduced=True,
            state_dir=state_dir,
            docker_url=environment.get("SANDBOX_DOCKER_URL"),
            runtime=environment.get("SANDBOX_RUNTIME"),
        )
    except SandboxUnavailable as error:
        return {"backend": name, "state": "unusable", "reason": str(error), "layers": []}
    try:
        report = backend.probe()
    finally:
        backend.close()
    weaker = [layer for layer in report.layers if not layer.works and layer.need == "reducible"]
    state = "reduced" if weaker else "full"
    reason = "; ".join(f"{layer.name} is missing" for layer in weaker)
    return report.to_dict() | {"state": state, "reason": reason}


_STATES = {
    "full": "works",
    "reduced": "works only with SANDBOX_ALLOW_REDUCED=1",
    "unusable": "does not work",
}


def plain(findings: dict[str, Any]) -> str:
    """The findings for a person."""
    host = findings["host"]
    who = "root" if host["root"] else "an ordinary user"
    lines = [f"Linux {host['kernel']} on {host['machine']}, as {who}"]
    for name, found in findings["backends"].items():
        lines += ["", f"{name}: {_STATES[found['state']]}"]
        lines += [f"  {found['reason']}"] if found["state"] == "unusable" else []
        lines += [_line(layer) for layer in found["layers"]]
    return "\n".join([*lines, "", *gpu.plain(findings["gpu"])])


def _line(layer: dict[str, Any]) -> str:
    if layer["works"]:
        return f"  yes  {layer['name']}"
    return f"  no   {layer['name']} ({layer['need']}): {layer['meaning']}"
