"""What a job's log says agrees with itself, with the clock and with the job."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise

import pytest

from scenarios.company.profile import Profile
from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.fleet import GPUS
from scenarios.worlds.gpu_idle_alerts.jobs import Job
from scenarios.worlds.gpu_idle_alerts.load import Phase, memory
from scenarios.worlds.gpu_idle_alerts.logs import job_lines
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR
from scenarios.worlds.gpu_idle_alerts.tests.stretches import TEN, opened, unattended

MONDAY = datetime.fromisoformat("2026-09-14")
STEP = re.compile(r"^(\S+ \S+) INFO train: step=(\d+) loss=\S+ step_time=(\S+) data_time=(\S+)$")
OOM = re.compile(
    r"Tried to allocate (\S+) GiB\. GPU 0 has a total capacity of (\S+) GiB of which (\S+) GiB is"
    r" free\. Including non-PyTorch memory, this process has (\S+) GiB memory in use"
)


def seconds(text: str) -> float:
    return (datetime.fromisoformat(text) - MONDAY).total_seconds()


def texts(days: Episode, job: Job) -> list[str]:
    return [text for text, _ in job_lines(days.world, job)]


def trained(days: Episode) -> list[Job]:
    jobs = (*days.world.jobs.values(), *days.world.ended.values())
    return [job for job in jobs if job.kind == "train"]


@pytest.mark.parametrize("family", ["steady", "adversarial"])
def test_steps_take_the_time_that_passed(family: str) -> None:
    days, compared = unattended(TEN, family, "clock"), 0
    for job in trained(days):
        for before, after in pairwise(texts(days, job)):
            one, two = STEP.match(before), STEP.match(after)
            if one is None or two is None:
                continue
            steps, passed = int(two[2]) - int(one[2]), seconds(two[1]) - seconds(one[1])
            if job.fixed < 0:
                assert steps > 0
                assert abs(steps * float(two[3]) - passed) <= 0.006 * steps + 1
                compared += 1
            assert float(two[4]) < float(two[3])
    assert compared > 1000


def test_a_log_goes_forward_from_the_start_of_its_job_to_now() -> None:
    days = opened(TEN, "steady", "order")
    for _ in range(3 * DAY + 5 * HOUR):
        days.tick()
    for job in days.world.jobs.values():
        lines = texts(days, job)
        times = [found for x in lines if (found := re.search(r"2026-09-\d\d \d\d:\d\d:\d\d", x))]
        stamps = [seconds(one[0]) for one in times]
        assert stamps == sorted(stamps), job
        assert job.started * 600 <= stamps[0]
        assert stamps[-1] <= max(days.now, job.begun_s + 60)


def test_a_starving_job_computes_only_in_its_bursts() -> None:
    days = opened(TEN, "steady", "slow")
    for _ in range(3 * DAY):
        days.tick()
    for job in days.world.jobs.values():
        if job.fate != "slow_input" or days.world.tick - job.started < DAY:
            continue
        newest = [found for text in texts(days, job) if (found := STEP.match(text))][-1]
        spent = int(newest[2]) * (float(newest[3]) - float(newest[4]))
        total = days.world.total[job.units[0]]
        assert spent == pytest.approx(6 * (total[-1] - total[max(0, job.started + 1)]), rel=0.2)
        return
    raise AssertionError("no job waits for its data")


@pytest.mark.parametrize("gpu", GPUS)
def test_memory_in_a_crash_adds_up_and_fits_the_card(gpu: str) -> None:
    days, seen = Episode(Profile(cluster="c", gpu=gpu), TEN, "steady", "full"), 0
    for _ in range(3 * DAY):
        days.tick()
    for job in trained(days):
        found = OOM.search(" ".join(texts(days, job)))
        if found is None:
            continue
        asked, total, free, held = map(float, found.groups())
        unit = days.world.fleet.units[job.units[0]]
        whole = unit.parent < 0
        assert total == (GPUS[gpu]["usable_gib"] if whole else round(unit.memory / 1024, 2))
        assert total <= unit.memory / 1024 + 0.005
        assert held + free == pytest.approx(total, abs=0.02)
        assert free < asked < total
        assert held == pytest.approx(memory(job, Phase.WORK, unit.memory) / 1024, abs=0.01)
        seen += 1
    assert seen


def test_a_failed_checkpoint_names_the_newest_step() -> None:
    days = unattended(TEN, "steady", "clock")
    found = 0
    for job in trained(days):
        text = "\n".join(texts(days, job))
        full = re.search(r"step_(\d+)\.pt", text)
        steps = re.findall(r" step=(\d+) ", text)
        if full and steps:
            assert full[1] == steps[-1]
            found += 1
    assert found


def test_only_an_error_of_the_gpu_leaves_an_xid() -> None:
    days = unattended(TEN, "steady", "clock")
    lines = [text for rows in days.world.kernel for _, text in rows]
    assert any("Xid" in text and " 79," not in text for text in lines)
    for job in (*days.world.jobs.values(), *days.world.ended.values()):
        if job.fate == "crashed_job" and "illegal memory access" not in " ".join(texts(days, job)):
            pids = [
                f"pid={20_000 + (job.id * 37 + place * 113) % 40_000}," for place in range(job.size)
            ]
            assert not any(pid in text for text in lines for pid in pids)
