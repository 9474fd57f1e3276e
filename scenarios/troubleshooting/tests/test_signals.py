"""The metrics obey physics and the accounts: power, clock, memory, energy, gaps, jobs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting.calendar import HOUR, MINUTE
from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.condition import Condition
from scenarios.troubleshooting.faults.cooling import GpuThermalThrottle
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.activity import activity
from scenarios.troubleshooting.signals.gpu import EVERY, gpu_blocks
from scenarios.troubleshooting.signals.gpu_state import gpu_state
from scenarios.troubleshooting.signals.history import METRICS, write_baseline, write_history
from scenarios.troubleshooting.signals.stage import slow_stage
from scenarios.troubleshooting.texts.fabric_ports import keep_counters, read_counters
from scenarios.troubleshooting.texts.owners import during
from scenarios.troubleshooting.truth import Incident, make_incident

GPU, PROF = "DCGM_FI_DEV_", "DCGM_FI_PROF_"


@pytest.fixture(scope="module", params=[("junior", 0), ("mid", 3)], ids=str)
def incident(request: pytest.FixtureRequest) -> Incident:
    level, seed = request.param
    return make_incident(DEFAULT, LEVELS[level], seed)


@pytest.fixture(scope="module")
def history(incident: Incident, tmp_path_factory: pytest.TempPathFactory) -> Columns:
    path = tmp_path_factory.mktemp("history") / "metrics.hnc"
    write_history(incident, path)
    return Columns.open(path)


@pytest.fixture(scope="module")
def before(incident: Incident, tmp_path_factory: pytest.TempPathFactory) -> Columns:
    path = tmp_path_factory.mktemp("baseline") / "baseline.hnc"
    write_baseline(incident, path)
    return Columns.open(path)


def whole(columns: Columns, name: str, **labels: str) -> Array:
    found = columns.find(name, labels)
    return columns.window(found, columns.start_ms, columns.end_ms)[1]


def held(incident: Incident, columns: Columns) -> np.ndarray:
    """Whether each GPU has a job at each scrape, from the accounts alone."""
    series = columns.find(f"{GPU}SM_CLOCK")
    times = columns.times(columns.metrics[f"{GPU}SM_CLOCK"], columns.start_ms, columns.end_ms)
    found = np.zeros((len(series), len(times)), bool)
    place = {(s.host, dict(s.labels)["gpu"]): row for row, s in enumerate(series)}
    for job in incident.jobs:
        if job.start_ms is None or job.role == "baseline":
            continue
        end = columns.end_ms + 1 if job.end_ms is None else job.end_ms
        inside = (times >= job.start_ms) & (times < end)
        for node, indices in job.gpus:
            for index in indices:
                found[place[node, str(index)]] |= inside
    return found


@pytest.mark.by_day(but=["('mid', 3)"])
def test_used_free_and_reserved_memory_are_all_there_is(
    incident: Incident, history: Columns
) -> None:
    parts = [whole(history, f"{GPU}FB_{part}") for part in ("USED", "FREE", "RESERVED")]
    total = parts[0] + parts[1] + parts[2]
    assert set(total[~np.isnan(total)]) == {incident.plant.memory_mib}
    assert np.nanmin(parts[1]) >= 0


@pytest.mark.by_day(but=["('mid', 3)"])
def test_power_stays_below_its_limit(incident: Incident, history: Columns) -> None:
    for series in history.find(f"{GPU}POWER_USAGE"):
        watts = history.window((series,), history.start_ms, history.end_ms)[1][0]
        name = f"{series.host}/gpu{dict(series.labels)['gpu']}"
        limit = incident.condition.over(name, "power_limit_w")
        allowed = incident.plant.top_w if limit is None else limit
        assert not (watts > allowed).any()


@pytest.mark.by_day(but=["('mid', 3)"])
def test_energy_is_the_integral_of_power(history: Columns) -> None:
    watts = whole(history, f"{GPU}POWER_USAGE")
    joules = whole(history, f"{GPU}TOTAL_ENERGY_CONSUMPTION") / 1_000
    assert (np.diff(joules)[~np.isnan(np.diff(joules))] >= 0).all()
    clean = ~np.isnan(watts).any(axis=1)
    spent = joules[clean, -1] - joules[clean, 0]
    assert clean.sum() >= 100
    assert spent == pytest.approx(watts[clean, 1:].sum(axis=1) * EVERY, rel=0.01)


def test_free_gpus_are_idle_and_taken_ones_are_not(incident: Incident, history: Columns) -> None:
    taken, plant = held(incident, history), incident.plant
    watts, util = whole(history, f"{GPU}POWER_USAGE"), whole(history, f"{GPU}GPU_UTIL")
    used = whole(history, f"{GPU}FB_USED")
    clock = whole(history, f"{GPU}SM_CLOCK")
    free, known = ~taken, ~np.isnan(watts)
    assert np.nanmax(watts[free & known]) < plant.idle_w + 12
    assert np.nanmax(util[free & known]) == 0
    assert np.nanmax(used[free & known]) == 0
    assert set(clock[free & known]) == {plant.idle_mhz}
    assert np.nanmin(used[taken & known]) > 1_000
    assert np.nanmean(util[taken & known]) > 40


def test_waiting_ranks_look_busy_at_low_power(history: Columns, incident: Incident) -> None:
    start, end = incident.run.first_ms + HOUR, incident.run.first_ms + 3 * HOUR
    near = [
        history.window(history.find(f"{GPU}{name}", {"node": node.name}), start, end)[1]
        for name in ("GPU_UTIL", "POWER_USAGE")
        for node in incident.training.nodes
    ]
    count = len(incident.training.nodes)
    util, watts = np.concatenate(near[:count]), np.concatenate(near[count:])
    waits = (util >= 97) & (watts > 250) & (watts < 420)
    assert waits.mean() > 0.1


def test_power_clock_and_tensor_pipe_move_together() -> None:
    """One hot GPU and nothing else: as it throttles all three fall, and its temperature rises."""
    found = make_incident(DEFAULT, LEVELS["junior"], 0)
    node = found.training.nodes[2]
    first = found.calendar.first_step
    hot = GpuThermalThrottle(
        0.8, node.name, 5, "", 21, 1_290, 1_860, 40.0, 87, first + 2 * HOUR, 15 * MINUTE
    )
    condition = Condition(found.plant, found.calendar, hot.effects())
    stage = replace(slow_stage(found), condition=condition, stories=(hot,))
    doing = activity(stage, node)
    blocks = {
        b.metric: b.values[5].astype(float)
        for b in gpu_blocks(stage, node, doing, gpu_state(stage, node, doing))
    }
    early = slice(*stage.span(first + 10 * MINUTE, first + 110 * MINUTE, EVERY))
    late = slice(*stage.span(first + 3 * HOUR, first + 5 * HOUR, EVERY))
    falls = {f"{GPU}SM_CLOCK": 0.75, f"{PROF}PIPE_TENSOR_ACTIVE": 0.9}
    for name, most in falls.items():
        assert np.median(blocks[name][late]) < most * np.median(blocks[name][early])
    power = blocks[f"{GPU}POWER_USAGE"]
    assert np.quantile(power[late], 0.95) < 0.75 * np.quantile(power[early], 0.95)
    heat = blocks[f"{GPU}GPU_TEMP"]
    assert heat[late].mean() > heat[early].mean() + 10


def test_checkpoints_are_plateaus_on_all_gpus_at_once(history: Columns, incident: Incident) -> None:
    run = incident.run
    saving = np.flatnonzero(run.save > 40)
    step = int(saving[len(saving) // 2])
    end = int(run.starts[step + 1])
    start = end - int(run.save[step] * 1_000)
    for node in incident.training.nodes:
        found = history.find(f"{GPU}POWER_USAGE", {"node": node.name})
        watts = history.window(found, start + 11_000, end)[1]
        assert np.nanmax(watts) < incident.plant.idle_w + 80


@pytest.mark.nightly
def test_a_gap_is_missing_everywhere_on_its_hosts_and_nowhere_else(tmp_path: Path) -> None:
    for seed in range(40):
        found = make_incident(DEFAULT, LEVELS["junior"], seed)
        silent = set(found.condition.subjects("unscraped"))
        if silent:
            break
    write_history(found, tmp_path / "a.hnc")
    columns = Columns.open(tmp_path / "a.hnc")
    for name in (f"{GPU}GPU_TEMP", "node_load1", "ipmi_fan_speed_rpm"):
        for series in columns.find(name):
            row = columns.window((series,), columns.start_ms, columns.end_ms)[1]
            assert bool(np.isnan(row).any()) == (series.host in silent)
    assert not np.isnan(whole(columns, "up")).any()


def test_timers_of_the_ranks_add_up_to_the_step(history: Columns, incident: Incident) -> None:
    run = incident.run
    at = int(run.starts[6_000]), int(run.starts[6_400])
    parts = {
        name: history.window(history.find(f"train_{name}_seconds"), *at)[1]
        for name in ("compute", "comm")
    }
    told = (parts["compute"] + parts["comm"]).mean()
    wanted = (run.compute + run.communication)[6_000:6_400].mean()
    assert told == pytest.approx(wanted, rel=0.02)
    steps = whole(history, "train_step")
    assert 11_990 <= np.nanmax(steps) <= 12_000
    assert (np.diff(steps[0][~np.isnan(steps[0])]) >= 0).all()


def test_series_follow_the_jobs_of_the_accounts(history: Columns, incident: Incident) -> None:
    ids = {str(job.id) for job in incident.jobs}
    slow = str(incident.slow.id)
    carriers = set()
    for series in history.find(f"{GPU}GPU_UTIL"):
        for owner, later in zip(series.owners, series.owners[1:], strict=False):
            assert owner.to_ms <= later.from_ms
        assert {owner.value for owner in series.owners} <= ids
        if slow in {owner.value for owner in series.owners}:
            carriers.add(series.host)
    assert carriers == {node.name for node in incident.training.nodes}


def test_run_to_compare_with_is_healthy(before: Columns, incident: Incident) -> None:
    run = incident.baseline
    at = run.first_ms + MINUTE, run.end_ms - MINUTE
    temp = before.window(before.find(f"{GPU}GPU_TEMP"), *at)[1]
    assert np.quantile(temp, 0.9) <= 72
    clock = before.window(before.find(f"{GPU}SM_CLOCK"), *at)[1]
    assert clock.min() >= 1_755
    step = before.window(before.find("train_step_seconds"), *at)[1]
    assert np.median(step) == pytest.approx(2.31, abs=0.03)
    waits = before.window(before.find("train_data_wait_seconds"), *at)[1]
    assert waits.max() < 0.2
    tensor = before.window(before.find(f"{PROF}PIPE_TENSOR_ACTIVE"), *at)[1]
    assert 0.3 < np.median(tensor) < 0.55
    assert {s.host for s in before.find("up")} == {n.name for n in incident.training.before}


@pytest.mark.by_day(but=["('mid', 3)"])
def test_counters_never_fall_and_gauges_stay_in_range(history: Columns) -> None:
    ratios = {m.name for m in METRICS if m.name.startswith(PROF) and "BYTES" not in m.name}
    for metric in METRICS:
        values = whole(history, metric.name)
        assert values.shape[1] == (history.end_ms - history.start_ms) // (metric.every_s * 1_000)
        assert np.nanmin(values) >= 0 or metric.name == "node_timex_offset_seconds"
        if metric.kind == "counter":
            steps = np.diff(values, axis=1)
            assert not (steps < 0).any(), metric.name
        if metric.name in ratios:
            assert np.nanmax(values) <= 1.0


@pytest.mark.nightly
def test_same_seed_is_the_same_file_and_another_seed_another(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        found = make_incident(Profile(nodes=8), LEVELS["junior"], seed)
        write_history(found, tmp_path / name)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    "profile",
    [Profile(nodes=8, gpus_per_node=4, gpu="A100"), Profile(nodes=34, gpus_per_node=4, gpu="B200")],
)
@pytest.mark.by_day(every=2)
def test_other_clusters_have_their_metrics_as_well(profile: Profile, tmp_path: Path) -> None:
    found = make_incident(profile, LEVELS["junior"], 1)
    write_history(found, tmp_path / "a.hnc")
    columns = Columns.open(tmp_path / "a.hnc")
    series = columns.find(f"{GPU}POWER_USAGE")
    assert len(series) == profile.nodes * profile.gpus_per_node
    assert {dict(s.labels)["modelName"] for s in series} == {profile.gpu_model.product}
    assert np.nanmax(whole(columns, f"{GPU}POWER_USAGE")) < profile.gpu_model.top_w


@pytest.mark.nightly
def test_switches_count_the_same_before_and_after_the_history_is_written(tmp_path: Path) -> None:
    first, second = (make_incident(DEFAULT, LEVELS["junior"], 5) for _ in range(2))
    times = (during(first), first.run.end_ms, first.calendar.window_end)
    before = read_counters(first, *times)
    keep_counters(second, *times)
    write_history(second, tmp_path / "a.hnc")
    after = read_counters(second, *times[1:])
    assert before.minutes == after.minutes
    assert before.values.keys() == after.values.keys()
    for key, (row, quantum) in before.values.items():
        assert np.array_equal(row, after.values[key][0])
        assert quantum == after.values[key][1]


def test_the_schedulers_exporter_counts_the_jobs_of_the_accounts(
    incident: Incident, history: Columns, before: Columns
) -> None:
    """At the instant at which time stands still it says what squeue and sinfo say."""
    at = during(incident)
    row = (at - history.start_ms) // MINUTE
    scraped = history.start_ms + row * MINUTE
    jobs = [job for job in incident.jobs if job.role != "baseline"]
    running = [job for job in jobs if job.runs_at(scraped)]
    assert whole(history, "slurm_queue_running")[0, row] == len(running)
    waiting = [
        job
        for job in jobs
        if job.submit_ms <= scraped and (job.start_ms is None or job.start_ms > scraped)
    ]
    assert whole(history, "slurm_queue_pending")[0, row] == len(waiting)
    gpus = sum(len(indices) for job in running for _, indices in job.gpus)
    assert whole(history, "slurm_gpus_alloc")[0, row] == gpus
    nodes = sum(
        whole(history, f"slurm_nodes_{state}")[0, row] for state in ("alloc", "mix", "idle")
    )
    assert nodes == len(incident.plant.nodes)
    assert whole(history, "slurm_account_jobs_running")[:, row].sum() == len(running)
    assert not before.find("slurm_queue_running")
