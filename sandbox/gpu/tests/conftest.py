"""The stand-in library, compiled once, and the cards each test gets."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ctypes import CDLL
from pathlib import Path

import pynvml
import pytest

from sandbox import open_backend, rootfs
from sandbox.gpu import Pool, places, survey
from sandbox.gpu.lending import Cards as Lent
from sandbox.gpu.places import Places
from sandbox.gpu.tests.cards import SOURCE, RealCards, StubCards, running
from sandbox.namespace import NamespaceBackend
from sandbox.tests.conftest import STATE, missing

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


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A folder that every user of this host reaches, as /dev and the driver's libraries are."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture(scope="session")
def stub_cuda(open_folder: Path) -> Path:
    built = open_folder / "libcuda.so.1"
    source = SOURCE.with_name("cuda_stub.c")
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(built), str(source)], check=True)
    return built


@pytest.fixture
def where(cards: Cards, tmp_path: Path, stub_cuda: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """The host's own device files, or plain files in their place."""
    if isinstance(cards, RealCards):
        return Places()
    dev = Path(tempfile.mkdtemp(dir=stub_cuda.parent))
    dev.chmod(0o755)
    for name in ("nvidiactl", "nvidia-uvm", "nvidia0", "nvidia1"):
        (dev / name).touch()
        (dev / name).chmod(0o666)
    monkeypatch.setattr(places, "driver_libraries", lambda: {str(stub_cuda): "libcuda.so.1"})
    return Places(dev=dev, capabilities=tmp_path / "capabilities")


@pytest.fixture(scope="session")
def sandbox_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    state = tmp_path_factory.mktemp("gpu-state")
    (state / "roots").symlink_to(rootfs.build(STATE)[0].folder.parent)
    return state


@pytest.fixture(scope="session")
def fenced(sandbox_state: Path) -> Iterator[NamespaceBackend]:
    backend = open_backend("namespace", state_dir=sandbox_state)
    assert isinstance(backend, NamespaceBackend)
    yield backend
    backend.close()


@pytest.fixture
def lender(fenced: NamespaceBackend, where: Places, tmp_path: Path) -> NamespaceBackend:
    """The sandbox with leases of the test's own."""
    vars(fenced)["cards"] = Lent(tmp_path, where, patience_s=0, empty_s=1, period_s=0.02)
    return fenced
