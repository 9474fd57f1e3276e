"""The kernel's number of the call that waits, on each architecture for which there is an image."""

from __future__ import annotations

import importlib.util
import platform

import pytest

from sandbox import stopwatch


@pytest.mark.parametrize(("machine", "number"), [("x86_64", 271), ("aarch64", 73), ("sparc", None)])
def test_the_call_that_waits_has_the_number_of_its_architecture(
    machine: str, number: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux."""
    monkeypatch.setattr(platform, "machine", lambda: machine)
    spec = importlib.util.spec_from_file_location("stopwatch_elsewhere", stopwatch.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert number == module._PPOLL
