"""Renders the system-call list as a BPF program (bubblewrap) and as an OCI profile (Docker)."""

from __future__ import annotations

import errno
import json
import platform
import tempfile
from functools import cache
from typing import Any

from sandbox import syscalls
from sandbox.unavailable import SandboxUnavailable

_OCI_ARCH = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}


@cache
def bpf(gpu: bool = False, terminal: bool = False, cluster: bool = False) -> bytes:
    """The filter as the kernel reads it. Other architectures' calls kill (libseccomp's default).

    With `gpu` the NVIDIA driver may be spoken to as well, with `terminal` terminals of one's own, with
    `cluster` the run's own processes by TCP.
    Raises SandboxUnavailable when libseccomp is missing.
    """
    try:
        import pyseccomp as lib  # type: ignore[import-untyped]
    except (ImportError, OSError, RuntimeError):
        raise SandboxUnavailable(
            "The system-call filter is missing: install libseccomp2 (apt-get install libseccomp2)."
        ) from None
    built = lib.SyscallFilter(defaction=lib.ERRNO(errno.ENOSYS))
    for name in syscalls.ALLOWED:
        _add(built, lib.ALLOW, name)
    refused, ignored = _answered(cluster)
    for name in refused:
        _add(built, lib.ERRNO(errno.EPERM), name)
    for name in ignored:
        _add(built, lib.ERRNO(0), name)
    for rule in (*syscalls.CONDITIONAL, *_extra(gpu, terminal, cluster)):
        _add(built, lib.ALLOW, rule.name, *_conditions(lib, rule))
    with tempfile.TemporaryFile() as out:
        built.export_bpf(out)
        out.seek(0)
        return out.read()


def _extra(gpu: bool, terminal: bool, cluster: bool) -> tuple[syscalls.Rule, ...]:
    return (
        *(syscalls.NVIDIA if gpu else ()),
        *(syscalls.TERMINAL if terminal else ()),
        *(syscalls.CLUSTER if cluster else ()),
    )


def _answered(cluster: bool) -> tuple[list[str], list[str]]:
    """Calls that are refused, and those that are answered as if done."""
    done = syscalls.AS_IF_DONE if cluster else ()
    return [name for name in syscalls.REFUSED if name not in done], [*syscalls.IGNORED, *done]


def _conditions(lib: Any, rule: syscalls.Rule) -> list[Any]:
    return [
        lib.Arg(argument, lib.EQ, value)
        if mask is None
        else lib.Arg(argument, lib.MASKED_EQ, mask, value)
        for argument, value, mask in rule.conditions
    ]


def _add(built: Any, action: Any, name: str, *conditions: Any) -> None:
    """Some calls exist on one architecture only; a name this one lacks needs no rule."""
    try:
        built.add_rule(action, name, *conditions)
    except (OSError, ValueError, RuntimeError):
        if name in ("read", "socket", "clone", "execve"):
            raise


def oci(gpu: bool = False, terminal: bool = False, cluster: bool = False) -> str:
    """The filter as JSON, `gpu`, `terminal` and `cluster` as in `bpf`.

    clone3 gets its own ENOSYS: engine 20.10 ignores defaultErrnoRet.
    """
    answered = _answered(cluster)
    refused, ignored = (
        [name for name in names if name not in syscalls.RUNTIME_NEEDS] for names in answered
    )
    rules: list[dict[str, Any]] = [
        {"names": [*syscalls.ALLOWED, *syscalls.RUNTIME_NEEDS], "action": "SCMP_ACT_ALLOW"},
        {"names": refused, "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM},
        {"names": ignored, "action": "SCMP_ACT_ERRNO", "errnoRet": 0},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
    ]
    # docker-init hands its terminal over before it starts the program, and dies if it may not.
    handover = syscalls.Rule("ioctl", 1, syscalls.TIOCSPGRP)
    extra = [rule for rule in _extra(gpu, terminal, cluster) if rule != handover]
    rules += [_oci_rule(rule) for rule in (*syscalls.CONDITIONAL, handover, *extra)]
    arch = _OCI_ARCH.get(platform.machine(), "SCMP_ARCH_X86_64")
    profile = {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.ENOSYS,
        "archMap": [{"architecture": arch, "subArchitectures": []}],
        "syscalls": rules,
    }
    return json.dumps(profile)


def _oci_rule(rule: syscalls.Rule) -> dict[str, Any]:
    return {
        "names": [rule.name],
        "action": "SCMP_ACT_ALLOW",
        "args": [_oci_match(*condition) for condition in rule.conditions],
    }


def _oci_match(argument: int, value: int, mask: int | None) -> dict[str, Any]:
    if mask is None:
        return {"index": argument, "value": value, "op": "SCMP_CMP_EQ"}
    return {"index": argument, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
