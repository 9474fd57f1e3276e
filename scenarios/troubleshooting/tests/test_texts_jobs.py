"""Files of jobs, fabric, storage and people tell one story: every name exists, every sum closes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from scenarios.troubleshooting.calendar import HOUR
from scenarios.troubleshooting.herrings.in_place import OldSymbols
from scenarios.troubleshooting.jobs import TEAMS
from scenarios.troubleshooting.physics import BASELINE_STEP, STEPS
from scenarios.troubleshooting.plant import NODE_MEMORY_MIB, THREADS
from scenarios.troubleshooting.signals.history import METRICS
from scenarios.troubleshooting.tests.built import EVERY, WHOLE, Built, build_jobs
from scenarios.troubleshooting.texts.slurm_words import hostlist, short_length

pytestmark = pytest.mark.by_day("built", WHOLE)


@pytest.fixture(scope="module", params=EVERY, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def built(request: pytest.FixtureRequest) -> Built:
    """Each variant once: all tests that look at it run one after the other."""
    return build_jobs(*request.param)


def _rows(built: Built, path: str) -> list[dict[str, str]]:
    sign = "|" if path.startswith("slurm") else ","
    head, *rows = built.lines(path)
    return [dict(zip(head.split(sign), row.split(sign), strict=True)) for row in rows]


@pytest.mark.by_day(ids=["junior-1"])
def test_squeue_is_a_part_of_sacct(built: Built) -> None:
    known = {row["JobID"]: row for row in _rows(built, "slurm/sacct.txt")}
    assert len(known) == len(built.incident.jobs)
    for row in built.lines("slurm/squeue.txt")[1:]:
        number, partition, name, user, state, *_, where = row.split()
        told = known[number]
        assert told["JobName"].startswith(name)
        assert told["User"].startswith(user)
        assert told["Partition"] == partition
        assert (told["NodeList"] == where) == (state == "R")


def test_nodes_give_away_what_jobs_hold_and_never_more_than_they_have(built: Built) -> None:
    given: dict[str, int] = dict.fromkeys((n.name for n in built.incident.plant.nodes), 0)
    blocks = built.texts["slurm/scontrol-show-node.txt"].split("\n\n")[:-1]
    assert len(blocks) == len(given)
    for block in blocks:
        name = re.match(r"NodeName=(\S+)", block)
        held = re.search(r"AllocTRES=cpu=(\d+),mem=(\d+)M,gres/gpu=(\d+)", block)
        cfg = re.search(r"CfgTRES=cpu=(\d+),mem=(\d+)M,billing=\d+,gres/gpu=(\d+)", block)
        assert name is not None
        assert cfg is not None
        assert [int(n) for n in cfg.groups()] == [
            THREADS,
            NODE_MEMORY_MIB,
            built.incident.plant.gpus_per_node,
        ]
        if held is not None:
            pairs = zip(held.groups(), cfg.groups(), strict=True)
            assert all(int(a) <= int(b) for a, b in pairs)
            given[name[1]] = int(held[3])
    jobs = built.texts["slurm/scontrol-show-job.txt"]
    held_by_jobs = sum(int(n) for n in re.findall(r"   TRES=cpu.*gres/gpu=(\d+)", jobs))
    assert sum(given.values()) == held_by_jobs


def test_log_of_steps_adds_up_to_the_job(built: Built) -> None:
    for run, job in (("slow", built.incident.slow), ("baseline", built.incident.before)):
        found = re.findall(
            r"step_time=(\S+) data_time=(\S+) fwd_bwd=(\S+) allreduce_exposed=(\S+) ckpt=(\S+) "
            r"other=(\S+)",
            built.texts[f"runs/{run}/train.log"],
        )
        table = np.array(found, dtype=np.float64)
        assert len(table) == STEPS // 20
        assert np.abs(table[:, 1:].sum(axis=1) - table[:, 0]).max() < 0.004
        assert table[:, 0].sum() * 20 / 3_600 == pytest.approx(
            ((job.end_ms or 0) - (job.start_ms or 0)) / HOUR, rel=0.01
        )
        assert (table[:, 3] > 0).all()


def test_parts_of_every_rank_add_up_and_differ_from_the_run_to_compare_with(built: Built) -> None:
    names = ("fwd_bwd", "allreduce_exposed", "data_time", "ckpt", "other")
    mean = {}
    for run in ("slow", "baseline"):
        rows = _rows(built, f"runs/{run}/timing-by-rank.csv")
        assert len(rows) == STEPS // 250 * built.incident.training.ranks
        parts = np.array([[float(row[name]) for name in names] for row in rows])
        step = np.array([float(row["step_time"]) for row in rows])
        assert np.abs(parts.sum(axis=1) - step).max() < 0.004
        mean[run] = step.mean()
    assert mean["baseline"] == pytest.approx(BASELINE_STEP, rel=0.01)
    gained = (mean["slow"] - mean["baseline"]) * STEPS / 3_600
    assert gained == pytest.approx(built.incident.gap_hours, rel=0.01)


def test_the_rank_that_computes_longest_waits_least(built: Built) -> None:
    rows = _rows(built, "runs/slow/timing-by-rank.csv")[-built.incident.training.ranks :]
    waits = {row["rank"]: float(row["allreduce_exposed"]) for row in rows}
    slowest = max(rows, key=lambda row: float(row["fwd_bwd"]))
    assert waits[slowest["rank"]] == pytest.approx(min(waits.values()), abs=0.002)


def test_nothing_is_named_that_does_not_exist(built: Built) -> None:
    plant = built.incident.plant
    prefix = re.sub(r"\d+$", "", plant.nodes[0].name)
    nodes = {node.name for node in plant.nodes}
    targets = {ost.name for ost in plant.storage.osts}
    switches = {switch.name for switch in (*plant.leaves, *plant.spines)}
    guids = {hca.guid for node in plant.nodes for hca in node.hcas}
    guids |= {switch.guid for switch in (*plant.leaves, *plant.spines)}
    people = {user for users in TEAMS.values() for user in users}
    for path, text in built.texts.items():
        assert set(re.findall(rf"\b{re.escape(prefix)}\d{{3}}\b", text)) <= nodes, path
        assert set(re.findall(r"\b\w+-OST[0-9a-f]{4}\b", text)) <= targets, path
        assert set(re.findall(r"\b(?:leaf|spine)\d{2}\b", text)) <= switches, path
        assert set(re.findall(r"0x((?:a088|fc6a)[0-9a-f]{12})", text)) <= guids, path
        assert set(re.findall(r"UserId=(\w+)\(", text)) <= people, path


def test_job_numbers_are_those_of_the_accounts(built: Built) -> None:
    known = {str(job.id) for job in built.incident.jobs}
    for path, form in (
        ("slurm/slurmctld.log", r"JobId=(\d+)"),
        ("slurm/scontrol-show-job.txt", r"^JobId=(\d+)"),
        ("slurm/scontrol-show-step.txt", r"StepId=(\d+)\."),
        ("storage/ost-job_stats.txt", r"job_id: +(\d+)$"),
        ("storage/mdt-job_stats.txt", r"job_id: +(\d+)$"),
        ("runs/slow/train.log", r"launcher: job (\d+) on"),
        ("runs/baseline/train.log", r"launcher: job (\d+) on"),
    ):
        found = set(re.findall(form, built.texts[path], re.MULTILINE))
        assert found, path
        assert found <= known, path


def test_processes_that_nccl_names_run_on_the_jobs_nodes(built: Built) -> None:
    for run, job in (("slow", built.incident.slow), ("baseline", built.incident.before)):
        text = built.texts[f"runs/{run}/nccl.log"]
        assert {m[1] for m in re.finditer(r"^(\S+?):\d+:\d+ \[", text, re.M)} == set(job.nodes)
        ranks = {int(n) for n in re.findall(r"comm \S+ rank (\d+) ", text)}
        assert ranks == set(range(built.incident.training.ranks))


def test_every_configuration_has_its_last_known_good(built: Built) -> None:
    paths = {material.path for material in built.materials}
    pairs = [m for m in built.materials if m.before]
    assert {m.before for m in pairs} <= paths
    moved = {m.path for m in pairs if built.texts[m.path] != built.texts[m.before]}
    for trace in built.incident.traces():
        if trace.kind == "config.setting":
            assert any(trace.tag in m.document.evidence() for m in pairs if m.path in moved)


def test_tickets_are_numbered_in_order_of_time(built: Built) -> None:
    heads = re.findall(r"^CHG-(\d+) \| (\S+ \S+)", built.texts["people/changes.txt"], re.M)
    assert len(heads) >= 5
    assert [time for _, time in heads] == sorted(time for _, time in heads)
    assert [int(n) for n, _ in heads] == sorted({int(n) for n, _ in heads})


def test_port_counters_never_run_backwards_and_old_errors_stand_still(built: Built) -> None:
    form = r'"(leaf\d+)"|port (\d+): (.*)'
    reads = []
    for number in (1, 2):
        leaf, found = "", {}
        for name, port, rest in re.findall(form, built.texts[f"fabric/ibqueryerrors-{number}.txt"]):
            leaf = name or leaf
            for key, value in re.findall(r"\[(\w+) == (\d+)\]", rest):
                found[leaf, int(port), key] = int(value)
        reads.append(found)
    assert all(reads[1][place] >= value for place, value in reads[0].items())
    old = [h for h in built.incident.herrings if isinstance(h, OldSymbols)]
    for herring in old:
        place = herring.switch, herring.port, "SymbolErrorCounter"
        assert reads[0][place] == reads[1][place] == herring.count


def test_slurm_conf_has_every_node_and_no_key_twice(built: Built) -> None:
    path = f"config/now/{built.incident.plant.controller}/etc/slurm/slurm.conf"
    keys = [line.split("=")[0] for line in built.lines(path) if not line.startswith("#")]
    assert [key for key in keys if keys.count(key) > 1] == ["PartitionName"] * 2
    names = hostlist([node.name for node in built.incident.plant.nodes])
    assert f"NodeName={names} " in built.texts[path]


def test_alert_rules_ask_for_metrics_that_are_recorded(built: Built) -> None:
    recorded = {metric.name for metric in METRICS}
    asked = re.findall(r"expr: (.*)", built.texts["monitoring/alerts.rules.yml"])
    named = {n for e in asked for n in re.findall(r"\b(?:DCGM|node|lustre)_\w+|\bup\b", e)}
    assert len(asked) >= 10
    assert named <= recorded


def test_same_variant_same_bytes() -> None:
    one, other = build_jobs("mid", 1), build_jobs.__wrapped__("mid", 1)
    assert one.texts == other.texts
    assert one.key.plain() == other.key.plain()


def test_hosts_and_lengths_read_as_slurm_writes_them() -> None:
    assert hostlist(["gpu-n003"]) == "gpu-n003"
    assert hostlist(["gpu-n003", "gpu-n004", "gpu-n005", "gpu-n009"]) == "gpu-n[003-005,009]"
    assert hostlist([]) == ""
    assert short_length(9_000) == "0:09"
    assert short_length(3 * 3_600_000 + 61_000) == "3:01:01"
    assert short_length(26 * 3_600_000) == "1-02:00:00"
    assert short_length(600_000) == "10:00"
