"""How programs are given their units: the words Docker, CDI and CUDA understand."""

from __future__ import annotations

from pathlib import Path

import pytest
from docker.types import DeviceRequest, HostConfig

from sandbox.gpu import Unit, cdi_request, devices, docker_request, environment
from sandbox.gpu.tests.cards import FIRST, SECOND, SLICES

CARD = Unit(FIRST, FIRST, "gpu", "Test", 81559)
OTHER = Unit(SECOND, SECOND, "gpu", "Test", 81559)
PART = Unit(SLICES[0], FIRST, "mig", "Test", 9984, 7, 0)
PART_TOO = Unit(SLICES[1], FIRST, "mig", "Test", 9984, 8, 0)


def sent(wanted: dict[str, object]) -> dict[str, object]:
    """What the SDK would send to the engine."""
    config = HostConfig(version="1.43", device_requests=[DeviceRequest(**wanted)])
    (request,) = config["DeviceRequests"]
    found: dict[str, object] = request
    return found


def test_docker_is_asked_for_exactly_the_leased_cards() -> None:
    request = sent(docker_request([CARD, OTHER]))
    assert request["DeviceIDs"] == [FIRST, SECOND]
    assert request["Count"] == 0
    assert request["Driver"] == ""
    assert request["Capabilities"] == [["gpu", "compute", "utility"]]


def test_docker_is_asked_for_an_instance_by_its_uuid() -> None:
    assert sent(docker_request([PART]))["DeviceIDs"] == [SLICES[0]]


def test_cdi_names_carry_the_uuid() -> None:
    request = sent(cdi_request([CARD, OTHER]))
    assert request["Driver"] == "cdi"
    assert request["DeviceIDs"] == [f"nvidia.com/gpu={FIRST}", f"nvidia.com/gpu={SECOND}"]


def test_cuda_is_shown_the_leased_units_only() -> None:
    assert environment([CARD, OTHER])["CUDA_VISIBLE_DEVICES"] == f"{FIRST},{SECOND}"
    assert environment([PART])["CUDA_VISIBLE_DEVICES"] == SLICES[0]
    assert devices.hidden() == {"CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.parametrize("ask", [docker_request, cdi_request, environment])
@pytest.mark.parametrize(
    ("units", "words"),
    [
        ([], "one GPU or more"),
        ([CARD, CARD], "each once"),
        ([PART, PART_TOO], "only one MIG instance"),
        ([CARD, PART], "only one MIG instance"),
        ([Unit("all", "all", "gpu", "", 0)], "no GPU or MIG UUID"),
        ([Unit("GPU-11111111,all", "x", "gpu", "", 0)], "no GPU or MIG UUID"),
    ],
)
def test_request_that_would_give_too_much_is_refused(
    ask: object, units: list[Unit], words: str
) -> None:
    assert callable(ask)
    with pytest.raises(ValueError, match=words):
        ask(units)


YAML = f'cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: "0"\n- name: {FIRST}\n'
JSON = f'{{"kind": "nvidia.com/gpu", "devices": [{{"name": "{SECOND}"}}]}}'


def test_names_missing_in_cdi_are_told(tmp_path: Path) -> None:
    names = devices.cdi_names([CARD, OTHER])
    assert devices.missing_in_cdi(names, [tmp_path, tmp_path / "none"]) == names
    (tmp_path / "nvidia.yaml").write_text(YAML)
    assert devices.missing_in_cdi(names, [tmp_path]) == names[1:]
    (tmp_path / "more.json").write_text(JSON)
    assert devices.missing_in_cdi(names, [tmp_path]) == []


def test_cdi_of_another_vendor_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(YAML.replace("nvidia.com", "example.com"))
    assert devices.missing_in_cdi(devices.cdi_names([CARD]), [tmp_path])
