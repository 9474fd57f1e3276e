"""What Slurm's commands print about the cluster, in the formats of Slurm 22.05."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import inf

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR
from scenarios.worlds import reading
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.config import SCAVENGE, SERVE, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.episode import Episode
from scenarios.worlds.slurm_fair_partitions.limits import BILLED, NO_LIMIT
from scenarios.worlds.slurm_fair_partitions.queue_text import (
    CPUS,
    T4_CPUS,
    JobNumbers,
    limit_text,
    reservations,
    sinfo,
    squeue,
)
from scenarios.worlds.slurm_fair_partitions.setting import Setting, open_quarter
from scenarios.worlds.slurm_fair_partitions.views import user_names

OUTPUTS: Mapping[str, str] = reading.table(__file__, "data.toml")["outputs"]
BEGIN = datetime(2026, 9, 7, tzinfo=UTC)
SEEN_FROM, SEEN_UNTIL = 2 * DAY, 5 * DAY
LOADED = 25
"""Pending A100 jobs at the moment that the outputs show, if the week has such a moment."""
GPU_MEMORY = {"a100": 250, "t4": 90}
"""DefMemPerGPU in GiB: four of them fit into the node."""


def _monday(profile: Profile, setting: Setting, seed: str) -> Episode:
    return open_quarter(profile, setting, "steady", f"materials {seed}", faults=False)


def _load(cluster: SharedCluster) -> int:
    """Pending A100 jobs where hardly a node is idle and inference waits too; 0 at other times."""
    inference = cluster.config.inference
    queues = [fleet.queue.waiting for fleet in cluster.fleets]
    idle = sum(
        free == fleet.shape.per_node
        for number, fleet in enumerate(cluster.fleets)
        for free in fleet.nodes.level
        if number != inference
    )
    if idle > len(cluster.scheduler.reservations) + 1 or len(queues[inference]) < 2:
        return 0
    return sum(len(queue) for number, queue in enumerate(queues) if number != inference)


@lru_cache(maxsize=4)
def loaded_cluster(profile: Profile, setting: Setting, seed: str) -> SharedCluster:
    """The cluster in working hours of its first week, as soon as there are queues, or at their longest.

    Nobody has operated it since Monday.
    """
    quarter, longest, chosen = _monday(profile, setting, seed), 0, SEEN_FROM
    while quarter.world.now < min(SEEN_UNTIL, quarter.config.length - DAY):
        quarter.tick()
        now, load = quarter.world.now, _load(quarter.world)
        if now >= SEEN_FROM and 8 * HOUR <= now % DAY <= 18 * HOUR and load > longest:
            longest, chosen = load, now
            if load >= LOADED:
                return quarter.world
    quarter = _monday(profile, setting, seed)
    while quarter.world.now < chosen:
        quarter.tick()
    return quarter.world


def _clock(ms: int) -> str:
    return (BEGIN + timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%S")


def _elapsed(ms: int) -> str:
    """A duration as sacct prints it: [D-]HH:MM:SS."""
    seconds = ms // 1000
    clock = f"{seconds // 3_600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 86_400}-{clock}" if seconds >= 86_400 else clock


def squeue_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sinfo and squeue, in their default formats."""
    cluster = loaded_cluster(profile, setting, seed)
    at = _clock(cluster.now).replace("T", " ")
    return (
        f"# mgmt-1, {at}\n$ sinfo\n{sinfo(cluster)}\n\n$ squeue\n{squeue(cluster)}\n\n"
        f"$ scontrol -o show reservation\n{reservations(cluster)}\n"
    )


def sshare_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sshare -alP under Fair Tree."""
    cluster = loaded_cluster(profile, setting, seed)
    tree, usage, standing = cluster.book.tree, cluster.book.usage.raw, cluster.book.standing()
    lines = []
    for account in [0, 1, *cluster.book.account]:
        rows = [account]
        if account > 1:
            name = tree.account[account]
            rows += [n for n, user in enumerate(tree.user) if user and tree.account[n] == name]
        for n in rows:
            depth = 0 if n == 0 else 2 if tree.user[n] and account > 1 else 1
            level, factor = standing.level_fs[n], standing.fair_share[n]
            shown = "" if level is None else "inf" if level == inf else f"{level:.6f}"
            cells = [
                " " * depth + tree.account[n],
                tree.user[n],
                str(tree.shares[n]) if n else "",
                f"{standing.norm_shares[n]:.6f}",
                str(int(usage[n])),
                f"{standing.norm_usage[n]:.6f}" if n else "",
                f"{standing.effective_usage[n]:.6f}",
                "" if factor is None else f"{factor:.6f}",
                shown,
                "",
                "",
            ]
            lines.append("|".join(cells))
    return OUTPUTS["sshare"] + "\n".join(lines) + "\n"


def sacctmgr_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sacctmgr show qos and show assoc, as they were left."""
    cluster = loaded_cluster(profile, setting, seed)
    lines = []
    for qos in cluster.book.qos:
        weak = qos.name == SCAVENGE
        plain = qos.name != SERVE and not weak and cluster.config.scavenge
        caps = [
            "" if cap == NO_LIMIT else f"gres/gpu={cap}" for cap in (qos.grp_gpus, qos.user_gpus)
        ]
        counts = ["" if c == NO_LIMIT else str(c) for c in (qos.user_jobs, qos.user_submit)]
        lines.append(
            f"{qos.name}|{qos.priority}|{SCAVENGE if plain else ''}|{'requeue' if weak else 'cluster'}"
            f"|{'0.000000' if weak else '1.000000'}|{'|'.join(caps + counts)}"
        )
    name = profile.cluster.lower().replace(" ", "-")
    text = OUTPUTS["show_qos"] + "\n".join(lines) + "\n" + OUTPUTS["show_assoc"].format(name=name)
    lines = []
    more = f",{SCAVENGE}" if cluster.config.scavenge else ""
    for team in cluster.config.teams:
        names = f"{team.name},{SERVE}{more}"
        lines.append(f"{name}|{team.name}||1|{names}|{team.name}")
        lines += [f"{name}|{team.name}|{user}|1|{names}|{team.name}" for user in team.users]
    return text + "\n".join(lines) + "\n"


def sacct_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sacct of an hour of the morning, requeued runs included."""
    cluster = loaded_cluster(profile, setting, seed)
    users, qos, numbers = user_names(cluster), cluster.config.qos_names, JobNumbers(cluster)
    begin = cluster.now - HOUR
    lines = []
    head = OUTPUTS["sacct"].format(begin=_clock(begin), end=_clock(cluster.now))
    seen = [run for run in cluster.ledger.runs if not 0 <= run.end < begin]
    for run in sorted(seen, key=lambda run: (run.job.id, run.begin)):
        spec, shape = run.job.spec, cluster.config.partitions[run.partition]
        gpus = spec.gpus
        cpus = gpus * (CPUS if shape.gpu == "a100" else T4_CPUS)
        billed = int(gpus * BILLED[shape.gpu])
        nodes = max(1, gpus // shape.per_node)
        tres = (
            f"billing={billed},cpu={cpus},gres/gpu:{shape.gpu}={gpus},gres/gpu={gpus}"
            f",mem={gpus * GPU_MEMORY[shape.gpu]}G,node={nodes}"
        )
        end = "Unknown" if run.end < 0 else _clock(run.end)
        length = (cluster.now if run.end < 0 else run.end) - run.begin
        state = f"CANCELLED by {1000 + spec.user}" if run.state == "CANCELLED" else run.state
        lines.append(
            f"{numbers.full(run.job)}|{users[spec.user]}|{cluster.config.teams[spec.team].name}|{shape.name}"
            f"|{qos[run.qos]}|{state}|{tres}|{_elapsed(length)}|{_clock(run.begin)}|{end}"
        )
    return head + "\n".join(lines) + "\n"


def slurm_conf(profile: Profile, setting: Setting, seed: str) -> str:
    """The parts of slurm.conf that decide who runs where."""
    config = loaded_cluster(profile, setting, seed).config
    name = profile.cluster.lower().replace(" ", "-")
    head = OUTPUTS["slurm_conf"].format(name=name, config=config)
    head += OUTPUTS["preemption"] if config.scavenge else ""
    return head + "\n".join(["", *_machines(config)]) + "\n"


def _machines(config: ClusterConfig) -> list[str]:
    nodes, partitions = [], []
    for number, shape in enumerate(config.partitions):
        names = f"{shape.prefix}-[01-{shape.nodes:02d}]"
        cores = 32 if shape.gpu == "a100" else 16
        memory = 1_031_000 if shape.gpu == "a100" else 385_000
        each = CPUS if shape.gpu == "a100" else T4_CPUS
        given = {"names": names, "shape": shape, "cores": cores, "memory": memory}
        nodes.append(OUTPUTS["node"].format(**given))
        given |= {
            "default": " Default=YES" if number == 0 else "",
            "cpus": each,
            "memory": 1024 * GPU_MEMORY[shape.gpu],
            "longest": limit_text(shape.max_time),
            "billed": BILLED[shape.gpu],
        }
        partitions.append(OUTPUTS["partition"].format(**given))
    return [*nodes, "", *partitions]
