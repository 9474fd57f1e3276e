"""The behaviour list: what holds on the stand-in's cards and on real ones alike."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from sandbox.gpu import Grant, NotNow, Pool, Watch, read, survey
from sandbox.gpu.tests.cards import RealCards, StubCards, first_unit
from sandbox.gpu.tests.play import play
from sandbox.namespace import NamespaceBackend

Cards = StubCards | RealCards
pytestmark = pytest.mark.usefixtures("cards")


def granted(answer: Grant | NotNow) -> Grant:
    assert isinstance(answer, Grant), answer
    return answer


def refused(answer: Grant | NotNow) -> NotNow:
    assert isinstance(answer, NotNow)
    return answer


def wait_for_card(pool: Pool) -> Grant:
    """The driver lets go of a killed process's memory a moment later."""
    until = time.monotonic() + 10
    while isinstance(answer := pool.lease(unit=first_unit().uuid), NotNow):
        assert time.monotonic() < until, answer
        time.sleep(0.05)
    return answer


def test_survey_names_every_card() -> None:
    seen = survey()
    assert seen.driver
    assert seen.reason == ""
    for gpu in seen.gpus:
        assert re.fullmatch(r"GPU-[0-9a-f-]{36}", gpu.uuid)
        assert re.fullmatch(r"[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.0", gpu.pci)
        assert gpu.name
        assert gpu.memory_mb > 1000
    assert len({unit.uuid for unit in seen.units}) == len(seen.units)


def test_reading_is_plausible() -> None:
    unit = first_unit()
    now = read(unit)
    assert now.lost == ""
    assert now.memory_used_mb is not None
    assert 0 <= now.memory_used_mb <= unit.memory_mb
    assert now.temperature_c is not None
    assert 0 < now.temperature_c < 120
    assert now.sm_clock_mhz
    assert now.processes is not None
    assert now.to_dict()["uuid"] == unit.uuid


def test_whole_card_tells_use_power_and_energy() -> None:
    unit = first_unit()
    if unit.kind == "mig":
        pytest.skip("real GPU: its cards are cut into instances")
    before = read(unit)
    time.sleep(0.3)
    after = read(unit)
    assert before.utilisation is not None
    assert 0 <= before.utilisation <= 100
    assert before.power_w
    assert before.power_limit_w
    assert before.power_w < before.power_limit_w * 1.2
    assert before.energy_j is not None
    assert after.energy_j is not None
    assert after.energy_j > before.energy_j


def test_unit_is_lent_to_one_holder_at_a_time(pool: Pool, folder: Path) -> None:
    unit = first_unit().uuid
    with granted(pool.lease(unit=unit, purpose="first")) as grant:
        for other in (pool, Pool(folder)):
            answer = refused(other.lease(unit=unit))
            assert "is leased to process" in answer.reason
            assert answer.hopeful
        assert grant.is_current
    assert not grant.is_current
    with granted(pool.lease(unit=unit)) as again:
        assert again.leases[0].fence == grant.leases[0].fence + 1


def test_unknown_unit_is_a_sentence_not_an_error(pool: Pool) -> None:
    answer = refused(pool.lease(unit="GPU-00000000-0000-0000-0000-000000000000"))
    assert answer.reason.startswith("This host has no GPU GPU-0000")
    assert not answer.hopeful


def test_more_cards_than_there_are_is_a_sentence(pool: Pool) -> None:
    assert "cannot lend 99 GPUs" in refused(pool.lease(99)).reason


def test_more_memory_than_there_is_is_a_sentence(pool: Pool) -> None:
    assert "with 9999999 MiB" in refused(pool.lease(memory_mb=9_999_999)).reason


def test_occupied_card_is_not_lent_until_it_is_empty(pool: Pool, cards: Cards) -> None:
    unit = first_unit().uuid
    with cards.occupied(300) as process:
        answer = refused(pool.lease(unit=unit))
        assert f"is still used by process {process.pid}" in answer.reason
        assert {one.state for one in pool.standings() if one.unit.uuid == unit} == {"occupied"}
    wait_for_card(pool).release()


def test_program_over_its_memory_limit_is_ended(pool: Pool, cards: Cards) -> None:
    unit = first_unit()
    with granted(pool.lease(unit=unit.uuid)):
        ended: list[float] = []
        watch = Watch(unit, lambda: ended.append(time.monotonic()), limit_mb=200, period_s=0.02)
        with watch, cards.occupied(700):
            until = time.monotonic() + 20
            while not ended and time.monotonic() < until:
                time.sleep(0.02)
    assert ended
    verdict = watch.verdict
    assert verdict is not None
    assert (verdict.kind, verdict.limit_mb) == ("memory", 200)
    assert verdict.seen_mb is not None
    assert verdict.seen_mb > 200
    assert f"used {verdict.seen_mb} MiB" in verdict.detail
    assert "200 MiB" in verdict.detail


def test_program_within_its_memory_limit_goes_on(pool: Pool, cards: Cards) -> None:
    unit = first_unit()
    ended: list[float] = []
    watch = Watch(unit, lambda: ended.append(time.monotonic()), limit_mb=4000, period_s=0.02)
    with granted(pool.lease(unit=unit.uuid)), watch, cards.occupied(100):
        time.sleep(0.3)
    assert watch.verdict is None
    assert ended == []


def test_run_is_summed_up(pool: Pool, cards: Cards) -> None:
    unit = first_unit()
    with granted(pool.lease(unit=unit.uuid)):
        watch = Watch(unit, lambda: None, period_s=0.05)
        watch.start()
        with cards.occupied(300):
            time.sleep(0.5)
            until = time.monotonic() + 20
            while len(watch.readings) < 5 and time.monotonic() < until:
                time.sleep(0.02)
        summary = watch.stop()
    assert summary.samples >= 5
    assert summary.duration_s >= 0.4
    assert summary.memory_peak_mb is not None
    assert summary.memory_peak_mb >= 300
    assert summary.temperature_max_c
    if unit.kind == "gpu":
        assert summary.utilisation_mean is not None
        assert summary.energy_from == "counter"
        assert summary.energy_j is not None
        assert summary.energy_j > 0


def test_card_over_the_set_temperature_stays_out_until_put_back(folder: Path) -> None:
    strict, normal, unit = Pool(folder, hot_c=1), Pool(folder), first_unit()
    assert "slows down from 1 °C" in refused(strict.lease(unit=unit.uuid)).reason
    answer = refused(normal.lease(unit=unit.uuid))
    assert "is out of service" in answer.reason
    assert not answer.hopeful
    fault = strict.put_back(unit.gpu)
    assert fault is not None
    assert fault.code == "hot"
    assert normal.put_back(unit.gpu) is None
    granted(normal.lease(unit=unit.uuid)).release()


def test_program_in_the_sandbox_gets_its_card_and_no_other(
    lender: NamespaceBackend, cards: Cards
) -> None:
    outcome = play(lender, cards, hold_s=0.3)
    assert (outcome.status, outcome.stderr) == ("ok", "")
    said = json.loads(outcome.stdout)
    (told,) = outcome.device["gpus"]
    assert said["init"] == 0
    assert (said["visible"], said["count"]) == (told["uuid"], 1)
    assert told["uuid"] == survey().units[0].uuid
    minor = next(gpu.minor for gpu in survey().gpus if gpu.uuid == survey().units[0].gpu)
    assert [name for name in said["files"] if name[6:].isdigit()] == [f"nvidia{minor}"]
    assert said["terminal_refused"]
    assert told["samples"] >= 2
    assert told["memory_peak_mb"] is not None
    assert outcome.device["energy_j"] is not None
    assert lender.cards.why_not_now() == ""


def test_program_in_the_sandbox_is_ended_at_its_gpu_memory(
    lender: NamespaceBackend, cards: Cards
) -> None:
    outcome = play(lender, cards, memory_mb=900, hold_s=20, gpu_memory_mb=400)
    assert outcome.status == "oom"
    assert "GPU memory; the limit is 400 MiB." in outcome.detail
    assert outcome.wall_s < 15
    assert outcome.device["memory_peak_mb"] > 400


def test_sandboxed_run_waits_for_a_card_and_says_so(lender: NamespaceBackend, cards: Cards) -> None:
    units = len(survey().units)
    with granted(lender.cards.pool.lease(units)):
        outcome = play(lender, cards)
        assert "is leased to process" in lender.cards.why_not_now()
    assert outcome.status == "sandbox_error"
    assert outcome.device == {"waiting": True}
    assert "No GPU can be lent now." in outcome.detail
    assert play(lender, cards).status == "ok"
