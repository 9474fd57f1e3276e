"""Runs a trusted program of our own in this process: anchors and goldens, never an answer."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from sandbox import CallRefused, Session

SDK_FOLDER = Path(__file__).parent / "sdk"


@cache
def sdk() -> ModuleType:
    """The candidate's library, loaded from the files that go into the sandbox."""
    name = "headnode_sdk"
    if name in sys.modules:
        return sys.modules[name]
    folder = SDK_FOLDER / name
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise RuntimeError(f"The SDK is missing from {folder}.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@cache
def _program(source: str) -> Callable[[Any], None]:
    sdk()
    name = f"trusted_program_{sha256(source.encode()).hexdigest()[:16]}"
    # dataclasses look their module up by its name
    module = sys.modules[name] = ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)  # noqa: S102  our own
    control: Callable[[Any], None] = module.control
    return control


def run_trusted(source: str, session: Session) -> None:
    """Run a program's `control(cluster)` against a session. Raises what the program raises."""
    api_error = sdk().ApiError

    def call(method: str, **params: object) -> object:
        try:
            return session.call(method, params)
        except CallRefused as refusal:
            raise api_error(refusal.code, refusal.message) from None

    _program(source)(sdk().Cluster(call))
