"""A small simulated world for tests, and a way to run a program in it."""

from __future__ import annotations

from typing import Any

from sandbox import Backend, CallRefused, Limits, Outcome, Spec
from sandbox.__main__ import read_sdk
from sandbox.tests.conftest import REPO

SDK = read_sdk(REPO / "graders" / "sdk" / "headnode_sdk")


class Steps:
    """An episode of `length` steps. Its score is what the host counted, whatever was claimed."""

    def __init__(self, length: int = 0) -> None:
        self.length = length
        self.taken = 0
        self.seen: list[tuple[str, dict[str, object]]] = []

    @property
    def complete(self) -> bool:
        return self.taken >= self.length

    def call(self, method: str, params: dict[str, object]) -> object:
        self.seen.append((method, params))
        if method == "step":
            if type(params.get("job")) is not int or type(params.get("node")) is not int:
                raise CallRefused("invalid", "job and node must be integers.")
            self.taken += 1
            return {"taken": self.taken}
        if method == "big":
            return "x" * 100_000
        if method == "broken":
            raise RuntimeError("a bug of ours")
        if method == "ping":
            return {"pong": True}
        raise CallRefused("unknown_method", f"There is no call {method!r}.")


def run(
    backend: Backend,
    program: str | bytes,
    session: Steps | None = None,
    files: dict[str, bytes] | None = None,
    root: str = "python",
    **limits: Any,
) -> Outcome:
    source = program.encode() if isinstance(program, str) else program
    bounds = {"wall_s": 10.0, "cpu_s": 8.0, "memory_mb": 256} | limits
    all_files = {"controller.py": source} | (files or {})
    spec = Spec(all_files, sdk=SDK, limits=Limits(**bounds), root=root)
    return backend.run(spec, session or Steps())
