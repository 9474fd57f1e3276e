"""The stand-in library, compiled once, and the cards each test gets."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ctypes import CDLL
from pathlib import Path

import pynvml
import pytest

from sandbox.gpu import Pool, survey
from sandbox.gpu.tests.cards import SOURCE, RealCards, StubCards, running
from sandbox.tests.conftest import missing

Cards = StubCards | RealCards


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without a SONAME, so that loading it here does not hide a real one from later tests."""
    if shutil.which("gcc") is None:
        missing("GPU stand-in: gcc is not installed")
    built = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(built), str(SOURCE)], check=True)
    return built


@pytest.fixture
def stub(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StubCards:
    """pynvml, but for the file it loads, is the real one."""
    state = tmp_path / "cards.txt"
    monkeypatch.setattr(pynvml, "nvmlLib", CDLL(str(library)))
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    monkeypatch.setenv("HEADNODE_NVML_STUB", str(state))
    return StubCards(library, state)


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> RealCards:
    monkeypatch.setattr(pynvml, "nvmlLib", None)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    seen = survey()
    if not seen.units:
        pytest.skip(f"real GPU: {seen.reason or 'no card is there.'}".rstrip("."))
    return RealCards()


@pytest.fixture(params=["stub", pytest.param("real", marks=pytest.mark.gpu)])
def cards(request: pytest.FixtureRequest) -> Cards:
    """The stand-in's cards, then the host's own."""
    found: Cards = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "gpu"


@pytest.fixture
def pool(folder: Path) -> Pool:
    return Pool(folder)


@pytest.fixture
def idle() -> Iterator[Callable[[], int]]:
    """Starts processes that do nothing and gives their numbers."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(running(["sleep", "60"])).pid


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(pynvml, "nvmlLib", None)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    monkeypatch.setattr(pynvml, "CDLL", absent)
