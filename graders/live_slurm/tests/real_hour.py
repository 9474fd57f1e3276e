"""The same hour on a real cluster, ten times as fast: limits that people ask for stay whole minutes of Slurm's.

Without Slurm's database a job's priority is what ours gives it as it enters the queue, and a QOS's GPUs for
each user are licences. The hour begins when the backfill thread has just looked, as it does in ours.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from datetime import UTC, datetime

from graders.live_slurm import reading
from graders.live_slurm.course import SETTINGS
from graders.live_slurm.orders import ClusterFailed, Course, Order
from graders.live_slurm.tests.fair_hour import Entry, Hour
from graders.live_slurm.watching import PATH
from scenarios.live_slurm.files import healthy
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.slurm_fair_partitions.config import ClusterConfig, PartitionShape

SCALE = 10
_REPLACED = ("Prolog", "HealthCheck", "SchedulerParameters", "PriorityWeight", "TopologyPlugin", "Licenses",
             "NodeName", "PartitionName", "PriorityType")  # fmt: skip
_JOB = """#!/bin/sh
while [ ! -e /box/run/begun ]; do sleep 0.1; done
exec sleep "$1"
"""
_LOOKED = """last() { sdiag | sed -n '/Backfilling stats/,$p' | grep -m 1 'Total cycles:'; }
before=$(last); for i in $(seq 600); do [ "$(last)" != "$before" ] && break; sleep 0.2; done"""


@dataclass(frozen=True, slots=True)
class Difference:
    """`agree`: share of the jobs that start within the hour on both or on neither; `minutes`: how far apart
    the starts are of those that do on both; `ours` and `real`: a team's part of all GPU-hours, in percent."""

    jobs: int
    agree: float
    minutes: list[float]
    ours: dict[str, float]
    real: dict[str, float]

    @property
    def told(self) -> dict[str, float]:
        apart = [abs(self.ours[team] - self.real[team]) for team in self.ours]
        return {
            "jobs": self.jobs,
            "agree_percent": round(100 * self.agree, 1),
            "start_on_both": len(self.minutes),
            "median_minutes": round(statistics.median(self.minutes), 1),
            "most_minutes": round(max(self.minutes), 1),
            "share_points": round(max(apart), 1),
        }


def nodes_of(shape: PartitionShape) -> list[str]:
    return [f"{shape.prefix}-{number + 1:02d}" for number in range(shape.nodes)]


def settings(hour: Hour) -> dict[str, str]:
    """slurm.conf and gres.conf of the exercise's partitions, ten times as fast."""
    kept = [one for one in healthy()["slurm.conf"].splitlines() if not one.startswith(_REPLACED)]
    wanted = {one.licence for one in hour.entries if one.licence}
    rows = [
        *kept,
        f"SchedulerParameters=bf_interval={900 // SCALE},bf_window={2880 // SCALE},"
        f"bf_resolution={60 // SCALE},sched_interval=1,batch_sched_delay=1,"
        f"bf_max_job_test={hour.config.backfill_depth}",
        "PriorityType=priority/basic",
        "Licenses=" + ",".join(f"{name}:{hour.licences[name]}" for name in sorted(wanted)),
    ]
    gres, port = [], 7001
    for shape in hour.config.partitions:
        for name in nodes_of(shape):
            rows.append(
                f"NodeName={name} NodeAddr=127.0.0.1 Port={port} CPUs=32 RealMemory=400000"
                f" Gres=gpu:{shape.gpu}:{shape.per_node} State=UNKNOWN"
            )
            gres.append(
                f"NodeName={name} Name=gpu Type={shape.gpu} File=/box/dev/{name}/nvidia[0-3]"
            )
            port += 1
        names = ",".join(nodes_of(shape))
        rows.append(f"PartitionName={shape.name} Nodes={names} MaxTime=2-00:00:00 State=UP")
    return {"slurm.conf": "\n".join(rows) + "\n", "gres.conf": "\n".join(gres) + "\n"}


def submission(one: Entry, config: ClusterConfig) -> str:
    """The line that submits a job."""
    shape = next(each for each in config.partitions if each.name == one.partition)
    whole = max(1, one.gpus // shape.per_node)
    limit = max(1, -(-one.limit // (SCALE * MINUTE)))
    words = [f"sbatch -Q -J j{one.job} -o /dev/null -p {one.partition} -N {whole}"]
    words.append(
        f"--ntasks-per-node=1 --mem=100 --gres=gpu:{min(one.gpus, shape.per_node)} -t {limit}"
    )
    if one.nodes:
        words.append(f"-w {','.join(one.nodes)}")
    else:
        words.append(f"--priority={1 + one.priority}")
    if one.licence:
        words.append(f"-L {one.licence}:{one.gpus}")
    return " ".join([*words, f"~/run/work.sh {max(0.1, one.work / SCALE / 1000):.1f}"])


def play(hour: Hour) -> Course[str]:
    """`scontrol show job` after the hour, with the second at which it began above it. Raises ClusterFailed."""
    config = hour.config
    names = [name for shape in config.partitions for name in nodes_of(shape)]
    runs = [submission(one, config) for one in hour.entries if one.nodes]
    waits = [submission(one, config) for one in hour.entries if not one.nodes and not one.at]
    files = {f"{SETTINGS}/{name}": text for name, text in {**healthy(), **settings(hour)}.items()}
    del files[f"{SETTINGS}/topology.conf"]
    yield Order(_up(names), {**files, "/box/run/work.sh": _JOB}, 60.0)
    said = yield Order("\n".join([PATH, *runs, _all_run(len(runs))]), within_s=90.0)
    if "all run" not in said.out:
        raise ClusterFailed(f"What runs at the hour's beginning did not begin: {said.err[-300:]}")
    shut, opened = (_partitions(config, state) for state in ("DOWN", "UP"))
    begun = f"echo $EPOCHREALTIME > ~/run/begun; {opened}"
    script = "\n".join([PATH, shut, *waits, _LOOKED, begun])
    yield Order(script, {"/box/run/comes.sh": _comes(hour)}, 240.0)
    yield Order("bash ~/run/comes.sh > ~/run/comes.out 2>&1 < /dev/null &")
    for _ in range(HOUR // SCALE // 30_000):
        yield Order("sleep 30", within_s=60.0)
    said = yield Order("cat ~/run/begun; scontrol show job -o -a; cat ~/run/comes.out")
    return said.out


def _up(names: list[str]) -> str:
    each = " ".join(names)
    return (
        f"for node in {each}; do mkdir -p ~/dev/$node ~/spool/$node;"
        " for i in 0 1 2 3; do : > ~/dev/$node/nvidia$i; done; done\n"
        f"slurmctld; for node in {each}; do slurmd -N $node; done\n"
        "for i in $(seq 200); do"
        f' [ "$(sinfo -h -N -o "%N %T" | grep -c " idle")" = {len(names)} ] && break; sleep 0.1; done'
    )


def _all_run(count: int) -> str:
    return (
        "for i in $(seq 300); do"
        f" [ $(squeue -h -t R | wc -l) = {count} ] && echo all run && break; sleep 0.2; done"
    )


def _partitions(config: ClusterConfig, state: str) -> str:
    return "; ".join(
        f"scontrol update PartitionName={shape.name} State={state}" for shape in config.partitions
    )


def _comes(hour: Hour) -> str:
    """A script that submits who comes during the hour, each at its time."""
    rows = [PATH, "begun=$(cat ~/run/begun)"]
    for one in sorted((one for one in hour.entries if one.at), key=lambda one: one.at):
        until = f'$(awk -v b=$begun -v n=$EPOCHREALTIME "BEGIN {{ d = b + {one.at / SCALE / 1000:.2f} - n;'
        rows.append(f'sleep {until} print (d > 0 ? d : 0) }}")')
        rows.append(submission(one, hour.config))
    return "\n".join(rows) + "\n"


def difference(hour: Hour, said: str) -> Difference:
    """Between what ours made of the hour and what the real one did."""
    head, _, rest = said.partition("\n")
    begun, length = float(head), HOUR / SCALE / 1000
    rows = {int(row["JobName"][1:]): row for row in reading.records(rest) if "JobId" in row}
    real: dict[int, float] = {}
    used = dict.fromkeys(hour.used, 0.0)
    for one in hour.entries:
        row = rows[one.job]
        if row["JobState"] == "PENDING":
            continue
        start = _second(row["StartTime"]) - begun
        end = length if row["JobState"] == "RUNNING" else _second(row["EndTime"]) - begun
        if not one.nodes and start < length:
            real[one.job] = start
        used[one.team] += one.gpus * max(0.0, min(end, length) - max(0.0, start))
    asked = [one.job for one in hour.entries if not one.nodes]
    both = [job for job in asked if job in real and job in hour.starts]
    return Difference(
        len(asked),
        sum((job in real) == (job in hour.starts) for job in asked) / len(asked),
        [abs(real[job] * SCALE * 1000 - hour.starts[job]) / MINUTE for job in both],
        _percent(hour.used),
        _percent(used),
    )


def _second(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _percent(used: dict[str, float]) -> dict[str, float]:
    whole = sum(used.values())
    return {team: 100 * hours / whole for team, hours in used.items()}
