"""Asks every backend what works on this host and says it in plain words."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandbox import cgroups, rootfs, roots
from sandbox.backends import NAMES, open_backend
from sandbox.contract import Backend, CallRefused, Spec
from sandbox.engine import Engine
from sandbox.gpu import report as gpu
from sandbox.unavailable import SandboxUnavailable

_SETTINGS = Path("/proc/sys")


def examine(state_dir: Path, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Plain JSON data: the host; the roots, built or not; for each backend its layers, how each
    built root fares in it, or why it cannot run; gVisor; `gpu` as sandbox.gpu.report gives it."""
    state_dir = state_dir.absolute()
    found = {name: _root(name, state_dir) for name in roots.NAMES}
    built = [name for name, root in found.items() if root["state"] == "built"]
    return {
        "host": _host(),
        "chosen": environment.get("SANDBOX_BACKEND", "namespace"),
        "allow_reduced": environment.get("SANDBOX_ALLOW_REDUCED") == "1",
        "roots": found,
        "backends": {name: _backend(name, state_dir, environment, built) for name in NAMES},
        "gvisor": _gvisor(environment),
        "gpu": gpu.examine(state_dir),
    }


def _host() -> dict[str, Any]:
    return {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "root": os.geteuid() == 0,
        "processors": os.cpu_count(),
        "user_namespaces": _number("user/max_user_namespaces"),
        "apparmor_restricts": _number("kernel/apparmor_restrict_unprivileged_userns") == 1,
        "cgroups": _groups(),
    }


def _number(setting: str) -> int | None:
    try:
        return int((_SETTINGS / setting).read_text())
    except (OSError, ValueError):
        return None


def _groups() -> str:
    try:
        return f"version {cgroups.find_tree().version}"
    except OSError as error:
        return f"none for this user: {error.strerror or error}"


def _root(name: str, state_dir: Path) -> dict[str, Any]:
    about = {"about": roots.declared(name).about}
    try:
        root = rootfs.load(name, state_dir)
    except SandboxUnavailable as error:
        return about | {"state": "not built", "reason": str(error)}
    changed = not rootfs.is_unchanged(root)
    return about | {
        "state": "changed" if changed else "built",
        "reason": f"Somebody has written into {root.folder} since it was built." if changed else "",
        "folder": str(root.folder),
        "digest": root.digest,
        "size_mb": root.size >> 20,
        "python": root.python,
        "packages": len(root.packages),
    }


def _backend(
    name: str, state_dir: Path, environment: Mapping[str, str], built: list[str]
) -> dict[str, Any]:
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
        found = {"backend": name, "state": "unusable", "reason": str(error)}
        return found | {"layers": [], "roots": {}}
    try:
        report = backend.probe()
        tried = {root: trouble_of(backend, root) for root in built}
    finally:
        backend.close()
    weaker = [layer for layer in report.layers if not layer.works and layer.need == "reducible"]
    state = "reduced" if weaker else "full"
    reason = "; ".join(f"{layer.name} is missing" for layer in weaker)
    return report.to_dict() | {"state": state, "reason": reason, "roots": tried}


class _Nobody:
    """The host's end for a program that asks nothing."""

    complete = True

    def call(self, method: str, params: dict[str, object]) -> object:
        raise CallRefused("unknown_method", f"There is no call {method!r} here.")


# Where a container has no loopback of its own, a cluster's daemons cannot find each other.
_TALK = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), 5).close()
"""


def trouble_of(backend: Backend, root: str) -> str:
    """Empty when what the root is for works in it; else one sentence."""
    wanted = roots.declared(root)
    text = f"import {', '.join(wanted.imports)}\n" + (_TALK if wanted.cluster else "")
    program = text.encode()
    outcome = backend.run(Spec({"try.py": program}, "try.py", root=root), _Nobody())
    return "" if outcome.status == "ok" else outcome.detail


def _gvisor(environment: Mapping[str, str]) -> dict[str, Any]:
    """State `chosen`, `offered`, `absent` or `unknown`; the names of the engine's runtimes."""
    try:
        engine = Engine(environment.get("SANDBOX_DOCKER_URL"), None)
    except SandboxUnavailable:
        return {"state": "unknown", "runtimes": []}
    if environment.get("SANDBOX_RUNTIME") in engine.gvisor:
        return {"state": "chosen", "runtimes": engine.gvisor}
    return {"state": "offered" if engine.gvisor else "absent", "runtimes": engine.gvisor}


_STATES = {
    "full": "works",
    "reduced": "works only with SANDBOX_ALLOW_REDUCED=1",
    "unusable": "does not work",
}
_GVISOR = {
    "chosen": "chosen: programs meet its kernel and not the host's.",
    "offered": "the engine has it and it is not chosen; set SANDBOX_RUNTIME to use it.",
    "absent": "the engine does not have it. Programs share the host's kernel.",
    "unknown": "no Docker engine answers, and without one it is not used.",
}


def plain(findings: dict[str, Any]) -> str:
    """The findings for a person."""
    lines = [*_host_lines(findings["host"]), "", "roots:"]
    lines += [_root_line(name, root) for name, root in findings["roots"].items()]
    for name, found in findings["backends"].items():
        chosen = " (chosen)" if name == findings["chosen"] else ""
        lines += ["", f"{name}{chosen}: {_STATES[found['state']]}"]
        lines += [f"  {found['reason']}"] if found["state"] == "unusable" else []
        lines += [_line(layer) for layer in found["layers"]]
        lines += [_tried(root, trouble) for root, trouble in found["roots"].items()]
    known = ", ".join(findings["gvisor"]["runtimes"])
    said = _GVISOR[findings["gvisor"]["state"]] + (f" Runtimes: {known}." if known else "")
    return "\n".join([*lines, "", f"gvisor: {said}", *gpu.plain(findings["gpu"])])


def _host_lines(host: dict[str, Any]) -> list[str]:
    who = "root" if host["root"] else "an ordinary user"
    lines = [
        f"Linux {host['kernel']} on {host['machine']}, {host['processors']} processors, as {who}",
        f"  control groups: {host['cgroups']}",
    ]
    if host["user_namespaces"] == 0:
        lines.append("  user.max_user_namespaces is 0: the namespace sandbox cannot start here.")
    if host["apparmor_restricts"]:
        lines.append(
            "  AppArmor lets only programs with a profile make user namespaces: docs/sandbox.md "
            "says how to give bwrap one."
        )
    return lines


def _root_line(name: str, root: dict[str, Any]) -> str:
    if root["state"] != "built":
        what = root["reason"].rstrip(".") if root["state"] == "changed" else "not built"
        return f"  no   {name}: {what}; python -m sandbox build-root {name}"
    return (
        f"  yes  {name}: {root['size_mb']} MiB, {root['packages']} packages, "
        f"Python {root['python']}, sha256 {root['digest'][:12]}"
    )


def _line(layer: dict[str, Any]) -> str:
    if layer["works"]:
        return f"  yes  {layer['name']}"
    return f"  no   {layer['name']} ({layer['need']}): {layer['meaning']}"


def _tried(root: str, trouble: str) -> str:
    return f"  no   root {root}: {trouble}" if trouble else f"  yes  root {root}"
