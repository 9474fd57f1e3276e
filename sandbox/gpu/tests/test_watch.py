"""A watch ends what goes too far, also when things go wrong, and sums up what was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.gpu import Pool, Unit, Watch
from sandbox.gpu.health import Fault
from sandbox.gpu.reading import Reading
from sandbox.gpu.telemetry import Telemetry
from sandbox.gpu.tests.cards import FIRST, SLICES, StubCards, first_unit, running
from sandbox.gpu.tests.test_behaviours import granted, refused


def until(seen: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not seen():
        assert time.monotonic() < end, "it did not happen within 10 s"
        time.sleep(0.01)


def test_leaking_program_is_ended_near_its_limit(stub: StubCards) -> None:
    with running(["sleep", "60"]) as process:
        watch = Watch(first_unit(), process.kill, limit_mb=300, period_s=0.01)
        with watch:
            stub.change(leak=400)
            assert process.wait(timeout=10) == -9
    verdict = watch.verdict
    assert verdict is not None
    assert verdict.kind == "memory"
    assert verdict.seen_mb is not None
    assert 300 < verdict.seen_mb < 1300
    assert verdict.to_dict()["limit_mb"] == 300


def test_memory_of_before_is_not_the_programs(stub: StubCards) -> None:
    stub.change(used=5000)
    watch = Watch(first_unit(), lambda: None, limit_mb=100, period_s=0.01)
    with watch:
        stub.change(used=5099)
        time.sleep(0.1)
    assert watch.verdict is None
    assert watch.stop().memory_peak_mb == 99


def test_processes_count_where_the_device_is_blind(
    stub: StubCards, idle: Callable[[], int]
) -> None:
    watch = Watch(first_unit(), lambda: None, limit_mb=100, period_s=0.01)
    pid = idle()
    with watch:
        stub.change(total=520)
        stub.seat(pid, 400)
        until(lambda: watch.verdict)
    assert watch.verdict is not None
    assert (watch.verdict.seen_mb, watch.verdict.pids) == (400, (pid,))


def test_instance_has_a_limit_of_its_own(stub: StubCards, idle: Callable[[], int]) -> None:
    stub.slice()
    unit = Unit(SLICES[0], FIRST, "mig", "", 9984)
    watch = Watch(unit, lambda: None, limit_mb=100, period_s=0.01)
    with watch:
        stub.seat(idle(), 700, SLICES[1])
        time.sleep(0.1)
        assert watch.verdict is None
        stub.seat(idle(), 200, SLICES[0])
        until(lambda: watch.verdict)


def test_kill_is_tried_again_when_it_failed(stub: StubCards) -> None:
    tries: list[float] = []

    def stubborn() -> None:
        tries.append(time.monotonic())
        raise RuntimeError("engine does not answer")

    watch = Watch(first_unit(), stubborn, limit_mb=100, period_s=0.02)
    with watch:
        stub.change(used=2000)
        until(lambda: len(tries) >= 2)
    assert tries[1] - tries[0] >= 1
    assert watch.kill_error == "The program could not be ended: engine does not answer."
    assert watch.verdict is not None


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"lost": 1}, "lost"),
        ({"temp": 99}, "99 °C"),
        ({"xid": 79}, "Xid 79"),
        ({"uncorrected": 1}, "1"),
    ],
)
def test_card_that_fails_under_a_run_ends_it_and_leaves_service(
    stub: StubCards, pool: Pool, broken: dict[str, object], words: str
) -> None:
    with granted(pool.lease(unit=FIRST)) as grant, running(["sleep", "60"]) as process:
        watch = Watch(grant.units[0], process.kill, period_s=0.01, judge=pool.check)
        with watch:
            stub.change(**broken)
            assert process.wait(timeout=10) == -9
    assert watch.verdict is not None
    assert watch.verdict.kind == "fault"
    assert words in watch.verdict.detail
    assert words in refused(pool.lease(unit=FIRST)).reason


def test_error_of_the_program_does_not_end_the_run(stub: StubCards, pool: Pool) -> None:
    watch = Watch(first_unit(), lambda: None, period_s=0.01, judge=pool.check)
    with watch:
        stub.change(xid=31)
        time.sleep(0.1)
    assert watch.verdict is None
    granted(pool.lease(unit=FIRST)).release()


def test_watch_that_breaks_ends_the_program(stub: StubCards) -> None:
    def broken(_unit: Unit, _reading: Reading, _xids: tuple[int, ...]) -> Fault | None:
        raise OSError("disk is full")

    ended: list[str] = []
    with Watch(first_unit(), lambda: ended.append("ended"), judge=broken) as watch:
        assert ended == ["ended"]
    assert watch.verdict is not None
    assert watch.verdict.detail == "The watch over the GPU failed: disk is full."


def test_nothing_is_killed_after_the_run_has_ended(stub: StubCards) -> None:
    ended: list[str] = []
    watch = Watch(first_unit(), lambda: ended.append("ended"), limit_mb=100, period_s=30)
    watch.start()
    stub.change(used=2000)
    watch.stop()
    assert watch.verdict is not None
    assert ended == []


@pytest.mark.parametrize(("period_s", "limit_mb"), [(0, None), (-1, 5), (1, 0)])
def test_senseless_watch_is_refused(period_s: float, limit_mb: int | None) -> None:
    unit = Unit(FIRST, FIRST, "gpu", "", 0)
    with pytest.raises(ValueError, match="must be positive"):
        Watch(unit, lambda: None, period_s=period_s, limit_mb=limit_mb)


def test_means_are_over_time_not_over_samples() -> None:
    run = Telemetry()
    for at, busy in ((0.0, 0.0), (1.0, 100.0), (1.1, 100.0), (1.2, 100.0), (2.0, 100.0)):
        run.add(Reading("GPU", at, utilisation=busy, temperature_c=50 + at, memory_used_mb=900))
    summary = run.summary(base_mb=400)
    assert summary.utilisation_mean == pytest.approx(75.0)
    assert (summary.memory_peak_mb, summary.temperature_max_c) == (500, 52.0)
    assert summary.duration_s == 2.0


def test_energy_is_the_counters_rise_or_else_power_over_time() -> None:
    counted, measured, reset = Telemetry(), Telemetry(), Telemetry()
    for at in (0.0, 1.0, 2.0):
        counted.add(Reading("GPU", at, energy_j=1000 + 90 * at, power_w=100))
        measured.add(Reading("GPU", at, power_w=100 + 100 * at))
        reset.add(Reading("GPU", at, energy_j=1000 - at, power_w=100))
    assert (counted.summary().energy_j, counted.summary().energy_from) == (180, "counter")
    assert (measured.summary().energy_j, measured.summary().energy_from) == (400, "power")
    assert (reset.summary().energy_j, reset.summary().energy_from) == (200, "power")


def test_share_of_time_with_slowed_clocks_is_told() -> None:
    run = Telemetry()
    for at, reasons in ((0.0, ("idle",)), (1.0, ("power cap",)), (4.0, ())):
        run.add(Reading("GPU", at, clock_reasons=reasons))
    assert run.summary().clock_reasons == {"idle": 0.25, "power cap": 0.75}


def test_run_without_a_reading_has_a_summary_too() -> None:
    run = Telemetry()
    run.add(Reading("GPU", 1.0, lost="gone"))
    summary = run.summary()
    assert (summary.samples, summary.duration_s, summary.energy_j) == (0, 0.0, None)
    assert (summary.utilisation_mean, summary.memory_peak_mb, summary.energy_from) == (
        None,
        None,
        "",
    )


def test_lost_lease_is_noticed_before_a_result_is_believed(
    stub: StubCards, pool: Pool, folder: Path
) -> None:
    with granted(pool.lease(unit=FIRST)) as grant:
        record = folder / "leases" / f"{FIRST}.json"
        record.write_text(record.read_text().replace('"fence": 1', '"fence": 2'))
        assert not grant.is_current


def test_a_watch_that_nobody_ended_does_not_hold_the_process(stub: StubCards) -> None:
    threads = set(threading.enumerate())
    watch = Watch(first_unit(), lambda: None, period_s=0.01)
    watch.start()
    (own,) = set(threading.enumerate()) - threads
    held = not own.daemon
    watch.stop()
    assert not held
