"""What is read from cards, whole and cut, and what becomes of a host without any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from sandbox.gpu import Pool, Watch, driver, read, survey
from sandbox.gpu.reading import clock_reasons
from sandbox.gpu.tests.cards import FIRST, REPO, SECOND, SLICES, StubCards, first_unit
from sandbox.gpu.tests.test_behaviours import refused


@pytest.mark.usefixtures("no_driver")
def test_host_without_driver_is_a_state_with_a_reason(pool: Pool) -> None:
    seen = survey()
    assert (seen.driver, seen.gpus) == ("", ())
    assert seen.reason.startswith("No NVIDIA driver is installed on this host")
    assert refused(pool.lease()).reason == seen.reason
    assert not refused(pool.lease()).hopeful
    assert (pool.standings(), pool.sweep(), pool.inspect()) == ([], [], [])


def test_driver_that_vanishes_ends_the_watched_program(
    stub: StubCards, request: pytest.FixtureRequest
) -> None:
    unit = first_unit()
    request.getfixturevalue("no_driver")
    ended: list[str] = []
    with Watch(unit, lambda: ended.append("ended")) as watch:
        assert ended == ["ended"]
    assert watch.verdict is not None
    assert watch.verdict.kind == "fault"
    assert "No NVIDIA driver" in watch.verdict.detail


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (9, "kernel module is not loaded"),
        (18, "different versions"),
        (4, "may not"),
        (999, "answer"),
    ],
)
def test_driver_that_does_not_start_is_a_state_with_a_reason(
    stub: StubCards, code: int, words: str
) -> None:
    stub.driver["init"] = code
    stub.write()
    assert words in survey().reason
    assert survey().units == ()


def test_host_without_cards_says_so(stub: StubCards) -> None:
    stub.lines = []
    stub.write()
    assert survey().reason == "The NVIDIA driver works but shows no card."


def test_pynvml_finds_the_library_by_itself(stub: StubCards) -> None:
    program = "from sandbox.gpu import survey; print([u.uuid for u in survey().units])"
    found = subprocess.run(
        [sys.executable, "-c", program],
        env=stub.environment,
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == str([FIRST, SECOND])


def test_identity_of_a_card(stub: StubCards) -> None:
    first, second = survey().gpus
    assert (first.uuid, first.name, first.pci) == (FIRST, "Test Card 80GB", "00000000:1B:00.0")
    assert (first.minor, second.minor) == (0, 1)
    assert (first.memory_mb, first.mig) == (81559, False)
    assert survey().driver == "580.95.05"
    json.dumps(survey().to_dict())


def test_reading_of_a_card(stub: StubCards, idle: Callable[[], int]) -> None:
    pid = idle()
    stub.seat(pid, 600)
    stub.change(util=97, mutil=54, temp=71, power=421000, sm=1155, why="0x24", corrected=5)
    now = read(first_unit())
    assert (now.utilisation, now.memory_utilisation) == (97, 54)
    assert (now.memory_used_mb, now.memory_total_mb) == (1120, 81559)
    assert (now.temperature_c, now.slowdown_c) == (71, 90)
    assert (now.power_w, now.power_limit_w) == (421, 700)
    assert (now.sm_clock_mhz, now.sm_clock_max_mhz, now.memory_clock_mhz) == (1155, 1980, 2619)
    assert now.clock_reasons == ("power cap", "software thermal")
    assert (now.ecc_corrected, now.ecc_uncorrected) == (5, 0)
    assert now.processes is not None
    (process,) = now.processes
    assert (process.pid, process.kind, process.memory_mb) == (pid, "compute", 600)
    assert process.start
    json.dumps(now.to_dict())


def test_what_a_card_does_not_tell_is_none(stub: StubCards) -> None:
    del stub.lines[0].values["energy"], stub.lines[0].values["power"], stub.lines[0].values["slow"]
    stub.change(noecc=1, nomig=1)
    now = read(first_unit())
    assert (now.energy_j, now.power_w, now.slowdown_c, now.ecc_uncorrected) == (None,) * 4
    assert now.lost == ""
    assert not survey().gpus[0].mig


def test_cut_card_is_lent_by_instance(stub: StubCards) -> None:
    stub.slice()
    card, whole = survey().gpus
    assert card.mig
    assert [(one.uuid, one.gpu_instance) for one in card.units] == [(SLICES[0], 7), (SLICES[1], 8)]
    assert {one.gpu for one in card.units} == {FIRST}
    assert [one.kind for one in survey().units] == ["gpu", "mig", "mig"]
    assert [one.uuid for one in whole.units] == [SECOND]


def test_reading_of_an_instance(stub: StubCards, idle: Callable[[], int]) -> None:
    stub.slice()
    pid = idle()
    stub.seat(pid, 700, SLICES[1])
    stub.change(temp=66)
    first, second = (read(one) for one in survey().gpus[0].units)
    assert first.processes == ()
    assert second.processes is not None
    assert [one.pid for one in second.processes] == [pid]
    assert (first.memory_used_mb, second.memory_used_mb) == (12, 712)
    assert (second.utilisation, second.power_w, second.energy_j) == (None, None, None)
    assert second.temperature_c == 66


def test_lost_card_reads_as_lost(stub: StubCards) -> None:
    unit = first_unit()
    stub.change(lost=1)
    assert read(unit).lost == "the driver has lost it"
    assert read(unit).temperature_c is None
    seen = survey()
    assert [gpu.uuid for gpu in seen.gpus] == [SECOND]
    assert seen.broken == 1


def test_connection_is_made_anew_in_a_forked_child(stub: StubCards) -> None:
    with driver.connect():
        child = os.fork()
        if child == 0:
            os._exit(0 if len(survey().gpus) == 2 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(survey().gpus) == 2


def test_unnamed_clock_reason_keeps_its_number() -> None:
    assert clock_reasons(0x8001) == ("idle", "0x8000")
    assert clock_reasons(0) == ()
