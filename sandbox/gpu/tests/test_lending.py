"""Cards lent to sandboxed runs: what each backend is told, and what becomes of a card that fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker as sdk
import pytest

from sandbox import Limits, Outcome, SandboxUnavailable, Spec, open_backend
from sandbox.__main__ import main
from sandbox.container import Request, container_config, host_config
from sandbox.gpu import NotNow, places, survey, telemetry
from sandbox.gpu.lending import Cards, Lender
from sandbox.gpu.places import PlaceMissing, Places, libraries_in
from sandbox.gpu.reading import Reading
from sandbox.gpu.tests.cards import FIRST, SECOND, SLICES, StubCards
from sandbox.gpu.tests.play import PROGRAM, SDK, Order, play
from sandbox.hardware import NO_HARDWARE, Hardware
from sandbox.namespace import NamespaceBackend
from sandbox.tests.conftest import docker_url, missing

ONE = Spec({"p.py": b""}, "p.py", gpus=1)


@pytest.fixture
def cards(stub: StubCards) -> StubCards:
    """These tests break cards, so only the stand-in's will do."""
    return stub


@pytest.fixture
def lent(where: Places, tmp_path: Path) -> Cards:
    return Cards(tmp_path, where, patience_s=0, empty_s=0, period_s=0.02)


def body(hardware: Hardware) -> dict[str, Any]:
    """What the engine's create call would carry."""
    wanted = Request(
        name="n",
        state="s",
        image="i",
        boot=Path("/boot"),
        bootstrap="/b",
        sdk=Path("/sdk"),
        socket_dir=Path("/sockets"),
        limits=Limits(),
        parent=None,
        runtime=None,
        hardware=hardware,
    )
    api = sdk.APIClient("unix:///nowhere", version="1.44")
    found = container_config(wanted)
    found.pop("name")
    made: dict[str, Any] = api.create_container_config(
        **found, host_config=api.create_host_config(**host_config(wanted))
    )
    return made


def ioctls(config: dict[str, Any]) -> int:
    profile = json.loads(config["HostConfig"]["SecurityOpt"][1].removeprefix("seccomp="))
    return sum(rule["names"] == ["ioctl"] for rule in profile["syscalls"])


def test_container_gets_exactly_the_leased_card(lent: Cards) -> None:
    asked = body(lent.hardware("docker", survey().units[:1]))
    (request,) = asked["HostConfig"]["DeviceRequests"]
    assert (request["DeviceIDs"], request["Count"]) == ([FIRST], 0)
    assert not asked["HostConfig"].get("Devices")
    assert ioctls(asked) == ioctls(body(NO_HARDWARE)) + 4


def test_container_without_a_card_asks_for_none() -> None:
    assert not body(NO_HARDWARE)["HostConfig"].get("DeviceRequests")


def test_container_gets_its_card_by_cdi_where_that_is_set_up(where: Places, tmp_path: Path) -> None:
    folder = tmp_path / "cdi"
    lent = Cards(tmp_path, Places(dev=where.dev, cdi=True, cdi_folders=[folder]))
    with pytest.raises(PlaceMissing, match="nvidia-ctk cdi generate"):
        lent.hardware("docker", survey().units[:1])
    folder.mkdir()
    (folder / "n.yaml").write_text(f"kind: nvidia.com/gpu\ndevices:\n- name: {FIRST}\n")
    (request,) = body(lent.hardware("docker", survey().units[:1]))["HostConfig"]["DeviceRequests"]
    assert (request["Driver"], request["DeviceIDs"]) == ("cdi", [f"nvidia.com/gpu={FIRST}"])


def test_packages_for_cuda_are_shown_read_only(where: Places, tmp_path: Path) -> None:
    lent = Cards(tmp_path, Places(dev=where.dev, packages=tmp_path))
    asked = body(lent.hardware("docker", survey().units[:1]))
    (mount,) = [m for m in asked["HostConfig"]["Mounts"] if m["Source"] == str(tmp_path)]
    assert (mount["Target"], mount["ReadOnly"]) == ("/opt/packages", True)
    assert "PYTHONPATH=/opt/packages" in asked["Env"]
    own = lent.hardware("namespace", survey().units[:1])
    assert own.shown[str(tmp_path)] == "/run/packages"
    assert own.variables["PYTHONPATH"] == "/run/packages"


def test_instance_comes_with_its_two_capabilities(
    stub: StubCards, lender: NamespaceBackend, where: Places
) -> None:
    stub.slice()
    stub.change(SECOND, lost=1)
    half = where.capabilities / "gpu0" / "mig" / "gi7"
    (half / "ci0").mkdir(parents=True)
    (half / "access").write_text("DeviceFileMinor: 66\nDeviceFileMode: 292\n")
    (half / "ci0" / "access").write_text("DeviceFileMinor: 67\nDeviceFileMode: 292\n")
    caps = where.dev / "nvidia-caps"
    caps.mkdir()
    for number in (66, 67, 68):
        (caps / f"nvidia-cap{number}").touch()
    outcome = play(lender, stub)
    assert outcome.status == "ok", outcome.detail
    said = json.loads(outcome.stdout)
    assert said["visible"] == SLICES[0]
    assert said["caps"] == ["nvidia-cap66", "nvidia-cap67"]
    assert said["files"] == ["nvidia-caps", "nvidia-uvm", "nvidia0", "nvidiactl"]
    assert outcome.device["utilisation_mean"] is None


def test_two_cards_are_lent_together(lender: NamespaceBackend, stub: StubCards) -> None:
    outcome = play(lender, stub, gpus=2)
    assert json.loads(outcome.stdout)["visible"] == f"{FIRST},{SECOND}"
    assert [one["uuid"] for one in outcome.device["gpus"]] == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("broken", "words"), [({"lost": 1}, "lost"), ({"temp": 99}, "99 °C"), ({"xid": 79}, "Xid 79")]
)
def test_card_that_fails_under_a_run_is_our_failure_and_leaves_service(
    lender: NamespaceBackend, stub: StubCards, broken: dict[str, object], words: str
) -> None:
    class Break(Order):
        def call(self, method: str, params: dict[str, object]) -> object:
            if method == "taken":
                stub.change(**broken)
            return super().call(method, params)

    spec = Spec({"p.py": PROGRAM}, "p.py", SDK, Limits(wall_s=20), gpus=1)
    outcome = lender.run(spec, Break(stub, 1, 15))
    assert outcome.status == "sandbox_error"
    assert "not your program's fault" in outcome.detail
    assert words in outcome.detail
    assert outcome.wall_s < 12
    refused = lender.cards.pool.lease(unit=FIRST)
    assert isinstance(refused, NotNow)
    assert words in refused.reason


def ends(*_: object) -> Outcome:
    return Outcome("ok", "", "test")


def test_card_with_a_process_left_on_it_is_kept_until_that_is_gone(
    lent: Cards, stub: StubCards, idle: Callable[[], int]
) -> None:
    stub.change(SECOND, lost=1)
    left = idle()

    def leaves(*_: object) -> Outcome:
        stub.seat(left, 100)
        return ends()

    assert lent.run("namespace", ONE, Order(stub), None, leaves).status == "ok"
    assert "is leased to process" in lent.why_not_now()
    stub.lines[0].processes.clear()
    stub.write()
    assert lent.why_not_now() == ""


def test_one_lease_serves_several_runs(lender: NamespaceBackend, stub: StubCards) -> None:
    with lender.cards.held() as refused:
        assert refused is None
        outcomes = [play(lender, stub) for _ in range(2)]
        (record,) = [one for one in lender.cards.pool.leases.known() if one.owner]
        assert (record.unit, record.fence) == (FIRST, 1)
        elsewhere: list[Outcome] = []
        other = threading.Thread(target=lambda: elsewhere.append(play(lender, stub)))
        other.start()
        other.join()
    told = [one.device["gpus"][0]["uuid"] for one in (*outcomes, *elsewhere)]
    assert told == [FIRST, FIRST, SECOND]
    assert not [one for one in lender.cards.pool.leases.known() if one.owner]


def test_held_card_with_a_process_left_on_it_takes_no_further_run(
    lent: Cards, stub: StubCards, idle: Callable[[], int]
) -> None:
    with lent.held() as refused:
        assert refused is None
        stub.seat(idle(), 100)
        outcome = lent.run("namespace", ONE, Order(stub), None, ends)
    assert outcome.status == "sandbox_error"
    assert "left a process" in outcome.detail


def test_lease_that_was_taken_away_is_not_believed(lent: Cards, stub: StubCards) -> None:
    def steals(*_: object) -> Outcome:
        for record in (lent.pool.leases.known(),):
            path = next(iter(record))
            file = Path(lent._at / "leases" / f"{path.unit}.json")
            file.write_text(file.read_text().replace('"fence": 1', '"fence": 2'))
        return ends()

    outcome = lent.run("namespace", ONE, Order(stub), None, steals)
    assert (outcome.status, "lease" in outcome.detail) == ("sandbox_error", True)


def test_cancelled_run_on_a_card_ends(lender: NamespaceBackend, stub: StubCards) -> None:
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    spec = Spec({"p.py": PROGRAM}, "p.py", SDK, Limits(wall_s=20), gpus=1)
    assert lender.run(spec, Order(stub, 0, 15), cancel).status == "cancelled"


def test_missing_device_file_is_a_sentence_and_gives_the_card_back(
    lender: NamespaceBackend, stub: StubCards, where: Places
) -> None:
    (where.dev / "nvidia-uvm").unlink()
    outcome = play(lender, stub)
    assert outcome.status == "sandbox_error"
    assert "run 'nvidia-modprobe -u -c=0'" in outcome.detail
    assert lender.cards.why_not_now() == ""


@pytest.mark.docker
def test_engine_that_cannot_give_a_card_is_our_failure_and_frees_it(
    stub: StubCards, sandbox_state: Path, where: Places, tmp_path: Path
) -> None:
    try:
        backend = open_backend("docker", state_dir=sandbox_state, docker_url=docker_url())
    except SandboxUnavailable as error:
        missing(str(error))
    try:
        vars(backend)["cards"] = Cards(tmp_path, where, patience_s=0, empty_s=0)
        assert isinstance(backend, Lender)
        outcome = play(backend, stub)
        assert outcome.status == "sandbox_error"
        assert backend.cards.why_not_now() == ""
    finally:
        backend.close()


def test_command_line_lends_a_card(
    stub: StubCards,
    sandbox_state: Path,
    where: Places,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(places, "from_environment", lambda: where)
    program = tmp_path / "p.py"
    program.write_text("import os\nprint(os.environ['CUDA_VISIBLE_DEVICES'])\n")
    asked = ["--state", str(sandbox_state), "run", str(program), "--gpu", "1"]
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], told["stdout"]) == ("ok", f"{FIRST}\n")
    assert told["device"]["gpus"][0]["uuid"] == FIRST
    assert main(asked) == 0
    assert f"{FIRST} Test Card 80GB: 0 % busy" in capsys.readouterr().out
    assert main([*asked[:-1], "5", "--json"]) == 3
    assert "cannot lend 5 GPUs" in json.loads(capsys.readouterr().out)["detail"]


def test_command_line_without_a_card_is_exit_3_and_one_sentence(
    no_driver: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "p.py"
    program.write_text("")
    assert main(["run", str(program), "--gpu", "1"]) == 3
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "libnvidia-ml.so.1 was not found" in said


LISTING = """2 libs found in cache `/etc/ld.so.cache'
\tlibcudart.so.12 (libc6,x86-64) => /usr/lib/libcudart.so.12
\tlibcuda.so.1 (libc6) => /usr/lib/i386-linux-gnu/libcuda.so.1
\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1
\tlibcuda.so.1 (libc6,x86-64) => /opt/old/libcuda.so.1
\tlibnvidia-gpucomp.so.580.95.05 (libc6,x86-64) => /usr/lib/libnvidia-gpucomp.so.580.95.05
\tlibnvidia-encode.so.1 (libc6,x86-64) => /usr/lib/libnvidia-encode.so.1
"""


def test_driver_libraries_are_the_loaders_first_of_each_name() -> None:
    assert libraries_in(LISTING) == {
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1": "libcuda.so.1",
        "/usr/lib/libnvidia-gpucomp.so.580.95.05": "libnvidia-gpucomp.so.580.95.05",
    }


def test_host_without_libcuda_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_run", lambda _command: "0 libs found\n")
    with pytest.raises(PlaceMissing, match="compute part of the driver"):
        places.driver_libraries()


def test_settings_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_GPU_PACKAGES", "/opt/cuda")
    monkeypatch.setenv("SANDBOX_GPU_CDI", "1")
    assert places.from_environment() == Places(packages=Path("/opt/cuda"), cdi=True)


def test_part_of_a_run_is_summed_up_by_its_own_rows() -> None:
    rows = telemetry.rows(
        Reading("G", at / 2, utilisation=100.0 * (at >= 4), power_w=200, energy_j=100.0 * at)
        for at in range(11)
    )
    part = telemetry.between(rows, 2.1, 4.9)
    assert (part.duration_s, part.utilisation_mean, part.energy_j) == (2.5, 100.0, 500.0)


@pytest.mark.parametrize("asked", [{"gpus": -1}, {"gpu_memory_mb": -1}])
def test_negative_request_is_refused(asked: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        Spec({"p.py": b""}, "p.py", **asked)  # type: ignore[arg-type]
