"""How other fences start the same do-nothing Python on the same root folder, where they are there."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sandbox import SandboxUnavailable, rootfs
from sandbox.engine import Engine

_PROGRAM = ["/usr/bin/python3", "-c", "pass"]


def peers(
    root: rootfs.Root, url: str, stack: ExitStack
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Command lines by name for what works here, and for the rest why it is left out."""
    usable, left_out = {}, {}
    wanted = {
        "bwrap, all namespaces": _bwrap(root),
        "runc run": _runc(root, stack),
        "podman run": _podman(root),
        "docker run": _docker(root, url),
        "docker run, gVisor": _docker(root, url, "--runtime=runsc"),
        "gVisor, runsc do": ["runsc", "--platform=ptrace", "--network=none", "do", *_PROGRAM],
    }
    for name, words in wanted.items():
        reason = _trouble(words)
        if reason:
            left_out[name] = reason
        else:
            usable[name] = words
    return usable, left_out


def _trouble(words: list[str]) -> str:
    """Why the command cannot be measured here; empty when it works."""
    if not words or shutil.which(words[0]) is None:
        return "not installed"
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)  # noqa: S603
    except subprocess.TimeoutExpired:
        return "did not end within 60 s"
    said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return said[0][:200] if done.returncode else ""


def _bwrap(root: rootfs.Root) -> list[str]:
    shown = ["--ro-bind", str(root.folder), "/", "--proc", "/proc", "--dev", "/dev"]
    return ["bwrap", "--unshare-all", "--die-with-parent", *shown, *_PROGRAM]


def _docker(root: rootfs.Root, url: str, *more: str) -> list[str]:
    try:
        image = Engine(url, None).image(root)
    except SandboxUnavailable:
        return []
    fence = ["--network=none", "--read-only", "--cap-drop=ALL", "--log-driver=none"]
    return ["docker", "-H", url, "run", "--rm", *fence, *more, image, *_PROGRAM]


def _podman(root: rootfs.Root) -> list[str]:
    """crun and podman's own limits on files and processes do not work on every host."""
    host = ["--runtime=runc", "--cgroup-manager=cgroupfs"]
    fence = ["--network=none", "--read-only", "--cap-drop=ALL", "--log-driver=none"]
    limits = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"]
    # An overlay: podman writes /etc/hostname and the like into a root it is given.
    where = ["--rootfs", f"{root.folder}:O"]
    return ["podman", *host, "run", "--rm", *fence, *limits, *where, *_PROGRAM]


def _runc(root: rootfs.Root, stack: ExitStack) -> list[str]:
    if shutil.which("runc") is None:
        return []
    bundle = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    subprocess.run(["runc", "spec", "-b", bundle], check=True)  # noqa: S603, S607
    settings: dict[str, Any] = json.loads((bundle / "config.json").read_text())
    settings["root"] = {"path": str(root.folder), "readonly": True}
    settings["process"] |= {"terminal": False, "args": _PROGRAM}
    (bundle / "config.json").write_text(json.dumps(settings))
    return ["runc", "run", "-b", str(bundle), "headnode-benchmark"]
