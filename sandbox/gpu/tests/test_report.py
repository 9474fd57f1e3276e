"""What an operator sees and can do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox import __main__ as command_line
from sandbox import doctor
from sandbox.gpu import Pool, report
from sandbox.gpu.__main__ import main
from sandbox.gpu.tests.cards import FIRST, SECOND, StubCards
from sandbox.gpu.tests.test_behaviours import granted, refused


@pytest.mark.usefixtures("no_driver")
def test_host_without_driver_is_told_in_one_line(tmp_path: Path) -> None:
    found = report.examine(tmp_path)
    assert found["state"] == "none"
    (line,) = report.plain(found)
    assert line.startswith("gpu: none. No NVIDIA driver is installed")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_driver")
@pytest.mark.parametrize("words", [["sweep"], ["put-back", FIRST]])
def test_command_without_driver_is_exit_3(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--state", str(tmp_path), *words]) == 3
    assert capsys.readouterr().err.startswith("No NVIDIA driver is installed")


def test_status_tells_each_card(
    stub: StubCards, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.change(SECOND, temp=95)
    pool = Pool(tmp_path / "gpu")
    pool.inspect()
    with granted(pool.lease(unit=FIRST)):
        assert main(["--state", str(tmp_path), "status"]) == 0
        head, first, second = capsys.readouterr().out.splitlines()
        assert head == "gpu: works, driver 580.95.05"
        assert "leased" in first
        assert "520 MiB used, 0 % busy, 34 °C, 71 W" in first
        assert "out" in second
        assert "95 °C and slows down from 90 °C" in second
        assert main(["--state", str(tmp_path), "status", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [unit["state"] for unit in found["units"]] == ["leased", "out"]


def test_host_whose_cards_are_all_lost_is_unusable(stub: StubCards, tmp_path: Path) -> None:
    stub.change(FIRST, lost=1)
    stub.change(SECOND, lost=1)
    found = report.examine(tmp_path)
    assert found["state"] == "unusable"
    assert report.plain(found)[1].strip() == "No card of this host answers the driver."


def test_card_is_put_back_by_command_only_when_sound(
    stub: StubCards, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, command = Pool(tmp_path / "gpu"), ["--state", str(tmp_path), "put-back", FIRST]
    stub.change(temp=95)
    pool.inspect()
    assert main(command) == 3
    assert "stays out of service. The card is at 95 °C" in capsys.readouterr().err
    stub.change(temp=40)
    refused(pool.lease(unit=FIRST))
    assert main(command) == 0
    granted(pool.lease(unit=FIRST)).release()


def test_unknown_card_is_not_put_back(
    stub: StubCards, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--state", str(tmp_path), "put-back", "../../etc/passwd"]) == 2
    assert "shows no card" in capsys.readouterr().err


def test_sweep_with_nothing_to_do_is_silent(
    stub: StubCards, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--state", str(tmp_path), "sweep"]) == 0
    assert capsys.readouterr().out == ""


def test_doctor_tells_of_the_cards(
    stub: StubCards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "NAMES", ())
    found = doctor.examine(tmp_path)
    assert found["gpu"]["state"] == "works"
    assert [unit["uuid"] for unit in found["gpu"]["units"]] == [FIRST, SECOND]
    assert f"free     {FIRST} Test Card 80GB" in doctor.plain(found)


@pytest.mark.usefixtures("no_driver")
def test_run_that_asks_for_a_card_is_told_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text("pass")
    assert command_line.main(["run", "--gpu", "1", str(program)]) == 3
    assert "No NVIDIA driver is installed" in capsys.readouterr().err
