from __future__ import annotations

import re

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.worlds.queue_autoscaler.scrape import snapshot
from scenarios.worlds.queue_autoscaler.setting import Setting

LINE = re.compile(r'^(\w+)\{(\w+="[^"]*"(?:,\w+="[^"]*")*)\} (-?[0-9.]+)$')


def samples(text: str) -> list[tuple[str, dict[str, str], float]]:
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = LINE.match(line)
        assert match, line
        labels = dict(re.findall(r'(\w+)="([^"]*)"', match[2]))
        found.append((match[1], labels, float(match[3])))
    return found


def test_sample_is_prometheus_text_with_each_family_declared_once() -> None:
    text = snapshot(DEFAULT, Setting(), "1")
    declared = re.findall(r"^# TYPE (\w+) (?:gauge|counter)$", text, re.MULTILINE)
    assert len(declared) == len(set(declared))
    assert {name for name, _, _ in samples(text)} == set(declared)
    assert text.endswith("\n")


def test_sample_has_no_series_twice() -> None:
    rows = samples(snapshot(DEFAULT, Setting(), "1"))
    keys = [(name, tuple(labels.items())) for name, labels, _ in rows]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("seed", ["0", "1", "2", "3"])
def test_sample_shows_waiting_jobs_and_one_throttled_node(seed: str) -> None:
    rows = samples(snapshot(DEFAULT, Setting(), seed))
    waiting = sum(value for name, _, value in rows if name == "scheduler_pending_jobs")
    assert waiting > 0
    util, clock = (
        {(lb["Hostname"], lb["gpu"]): value for name, lb, value in rows if name == wanted}
        for wanted in ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_SM_CLOCK")
    )
    slow = {host for (host, gpu), mhz in clock.items() if util[host, gpu] > 0 and mhz < 1188}
    assert len(slow) == 1


def test_sample_is_of_the_companys_gpu() -> None:
    rows = samples(snapshot(Profile(gpu="A100", gpus_per_node=4), Setting(), "1"))
    clocks = [value for name, _, value in rows if name == "DCGM_FI_DEV_SM_CLOCK"]
    assert max(clocks) <= 1410
    assert {labels["gpu"] for name, labels, _ in rows if "DCGM" in name} == set("0123")
