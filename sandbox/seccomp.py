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
def bpf(gpu: bool = False, terminal: bool = False) -> bytes:
    """The filter as the kernel reads it. Other architectures' calls kill (libseccomp's default).

    With `gpu` the NVIDIA driver may be spoken to as well, with `terminal` terminals of one's own.
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
    for name in syscalls.REFUSED:
        _add(built, lib.ERRNO(errno.EPERM), name)
    for name in syscalls.IGNORED:
        _add(built, lib.ERRNO(0), name)
    for rule in (*syscalls.CONDITIONAL, *_extra(gpu, terminal)):
        _add(built, lib.ALLOW, rule.name, _condition(lib, rule))
    with tempfile.TemporaryFile() as out:
        built.export_bpf(out)
        out.seek(0)
        return out.read()


def _extra(gpu: bool, terminal: bool) -> tuple[syscalls.Rule, ...]:
    return (*(syscalls.NVIDIA if gpu else ()), *(syscalls.TERMINAL if terminal else ()))


def _condition(lib: Any, rule: syscalls.Rule) -> Any:
    if rule.mask is None:
        return lib.Arg(rule.argument, lib.EQ, rule.value)
    return lib.Arg(rule.argument, lib.MASKED_EQ, rule.mask, rule.value)


def _add(built: Any, action: Any, name: str, *conditions: Any) -> None:
    """Some calls exist on one architecture only; a name this one lacks needs no rule."""
    try:
        built.add_rule(action, name, *conditions)
    except (OSError, ValueError, RuntimeError):
        if name in ("read", "socket", "clone", "execve"):
            raise


def oci(gpu: bool = False, terminal: bool = False) -> str:
    """The filter as JSON, `gpu` and `terminal` as in `bpf`.

    clone3 gets its own ENOSYS: engine 20.10 ignores defaultErrnoRet.
    """
    refused = [name for name in syscalls.REFUSED if name not in syscalls.RUNTIME_NEEDS]
    rules: list[dict[str, Any]] = [
        {"names": [*syscalls.ALLOWED, *syscalls.RUNTIME_NEEDS], "action": "SCMP_ACT_ALLOW"},
        {"names": refused, "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM},
        {"names": [*syscalls.IGNORED], "action": "SCMP_ACT_ERRNO", "errnoRet": 0},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
    ]
    # docker-init hands its terminal over before it starts the program, and dies if it may not.
    handover = syscalls.Rule("ioctl", 1, syscalls.TIOCSPGRP)
    extra = [rule for rule in _extra(gpu, terminal) if rule != handover]
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
    match: dict[str, Any] = {"index": rule.argument, "value": rule.value, "op": "SCMP_CMP_EQ"}
    if rule.mask is not None:
        match |= {"value": rule.mask, "valueTwo": rule.value, "op": "SCMP_CMP_MASKED_EQ"}
    return {"names": [rule.name], "action": "SCMP_ACT_ALLOW", "args": [match]}
