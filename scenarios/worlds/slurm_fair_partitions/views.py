"""What a controller sees of the shared cluster: plain rows, built only when asked for."""

from __future__ import annotations

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.slurm.nodes import members
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.config import TRAINING
from scenarios.worlds.slurm_fair_partitions.job import Job, State
from scenarios.worlds.slurm_fair_partitions.workload import Kind

KINDS = {
    Kind.TRAIN: "batch",
    Kind.SWEEP: "array",
    Kind.SESSION: "interactive",
    Kind.INFER: "batch",
    Kind.DEMO: "batch",
}


def user_names(cluster: SharedCluster) -> list[str]:
    """Every user in the order of the accounts."""
    return [user for team in cluster.config.teams for user in team.users]


def _state(job: Job) -> str:
    if job.state == State.RUNNING:
        return "running"
    return "held" if job.held else "pending"


def job_rows(cluster: SharedCluster) -> list[list[object]]:
    """Every job in the queue, by number, in the field order of the SDK's Job. Times in s."""
    users, now, rows = user_names(cluster), cluster.now, []
    qos, teams, parts = cluster.config.qos_names, cluster.config.teams, cluster.config.partitions
    for number in sorted(cluster.present):
        job = cluster.present[number]
        if job.state == State.REFUSED:
            continue
        spec, running = job.spec, job.state == State.RUNNING
        row: list[object] = [
            number,
            "normal",
            spec.gpus,
            _state(job),
            spec.submit // 1000,
            job.total_wait(now) // 1000,
            job.began // 1000 if running else -1,
            job.limit // 1000,
            False,
            spec.every // 1000,
            spec.protected,
            cluster.fleets[job.partition].node_names(job.nodes) if running else [],
            spec.name,
            teams[spec.team].name,
            users[spec.user],
            parts[job.partition].name,
            KINDS[spec.kind],
            -1,
            "",
            qos[job.qos],
            "None" if running else job.reason,
            spec.portable,
        ]
        rows.append(row)
    return rows


def node_rows(cluster: SharedCluster) -> list[list[object]]:
    """Every node in the field order of the SDK's Node."""
    rows: list[list[object]] = []
    for fleet in cluster.fleets:
        shape = fleet.shape
        for number, name in enumerate(fleet.names):
            up = number not in fleet.nodes.out
            state, free = ("ready", fleet.nodes.level[number]) if up else ("down", 0)
            rows.append(
                [name, shape.name, state, shape.per_node, free, False, 0, -1, shape.gpu, shape.site]
            )
    return rows


def team_rows(cluster: SharedCluster) -> list[list[object]]:
    """The agreement as it stands: name, guaranteed, shares, users, budget, charged, contract."""
    return [
        [
            team.name,
            cluster.guaranteed[number],
            cluster.agreed[number],
            list(team.users),
            team.budget,
            round(cluster.ledger.charged(number), 2) if team.budget else 0.0,
            team.contract,
        ]
        for number, team in enumerate(cluster.config.teams)
    ]


def quota_rows(cluster: SharedCluster) -> list[list[object]]:
    """A100 GPUs by team in the field order of the SDK's Quota; -1 where there is no limit."""
    used = [0] * len(cluster.config.teams)
    for number, shape in enumerate(cluster.config.partitions):
        if shape.purpose == TRAINING:
            for job in cluster.scheduler.running(number):
                used[job.spec.team] += job.spec.gpus if job.qos != cluster.book.scavenge else 0
    rows: list[list[object]] = []
    for number, team in enumerate(cluster.config.teams):
        nominal, cap = cluster.guaranteed[number], cluster.book.qos[number].grp_gpus
        borrow = -1 if cap < 0 else max(0, cap - nominal)
        over = max(0, used[number] - nominal)
        rows.append([team.name, "a100", nominal, used[number], over, borrow, -1])
    return rows


def qos_rows(cluster: SharedCluster) -> list[list[object]]:
    """Every QOS: name, priority, grp_gpus, user_gpus, user_jobs, user_submit, used."""
    book = cluster.book
    return [
        [q.name, q.priority, q.grp_gpus, q.user_gpus, q.user_jobs, q.user_submit, book.used[number]]
        for number, q in enumerate(book.qos)
    ]


def partition_rows(cluster: SharedCluster) -> list[list[object]]:
    """Every partition: name, purpose, site, gpu, nodes, gpus up, gpus free, max_time, allow_qos."""
    names = cluster.config.qos_names
    return [
        [
            fleet.shape.name,
            fleet.shape.purpose,
            fleet.shape.site,
            fleet.shape.gpu,
            fleet.shape.nodes,
            fleet.nodes.capacity,
            fleet.nodes.free,
            fleet.max_time // 1000,
            [names[number] for number in fleet.allow_qos],
        ]
        for fleet in cluster.fleets
    ]


def share_rows(cluster: SharedCluster) -> list[list[object]]:
    """sshare: account, user, raw shares, raw usage, effective usage, fair-share (-1 for accounts)."""
    standing, tree = cluster.book.standing(), cluster.book.tree
    return [
        [
            tree.account[n],
            tree.user[n],
            tree.shares[n],
            int(cluster.book.usage.raw[n]),
            round(standing.effective_usage[n], 6),
            round(-1.0 if standing.fair_share[n] is None else standing.fair_share[n] or 0.0, 6),
        ]
        for n in range(1, len(tree.account))
    ]


def reservation_rows(cluster: SharedCluster) -> list[list[object]]:
    """Reservations: name, team (empty: nobody's any more), partition, nodes, start and end in s."""
    teams, parts = cluster.config.teams, cluster.config.partitions
    return [
        [
            kept.name,
            teams[kept.team].name if kept.team >= 0 else "",
            parts[kept.partition].name,
            [cluster.fleets[kept.partition].names[n] for n in members(kept.nodes)],
            kept.start // 1000,
            kept.end // 1000,
        ]
        for kept in cluster.scheduler.reservations
    ]


def promise_rows(cluster: SharedCluster) -> list[list[object]]:
    """Promised windows that are not over: name, team, partition, nodes, start and end in s."""
    teams, parts = cluster.config.teams, cluster.config.partitions
    return [
        [
            p.name,
            teams[p.team].name,
            parts[p.partition].name,
            p.nodes,
            p.at // 1000,
            (p.at + p.length) // 1000,
        ]
        for p in cluster.config.promises
        if cluster.now < p.at + p.length
    ]


def _noise(job: int, step: int) -> int:
    mixed = (job * 7919 + step * 104_729 + 12_345) & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 13)) * 0x5BD1E995 & 0xFFFFFFFF
    return (mixed ^ (mixed >> 15)) % 1000


def activity_rows(cluster: SharedCluster) -> list[list[object]]:
    """Running jobs of 15 minutes and more: number, GPU utilisation in %, seconds without work.

    Utilisation is the mean of the last hour over the job's GPUs. People at a keyboard pause for
    up to 50 minutes, training jobs for up to half an hour.
    """
    rows: list[list[object]] = []
    for number in sorted(cluster.present):
        job = cluster.present[number]
        if job.state != State.RUNNING or cluster.now - job.began < 15 * MINUTE:
            continue
        luck = _noise(number, cluster.now // HOUR)
        idle = job.idle_for(cluster.now)
        if job.spec.kind == Kind.SESSION:
            pause = luck * 3 if luck < 400 else 0
            silent = idle // 1000 + (pause if not idle else 0)
            rows.append([number, 0 if silent >= 3600 else 5 + luck % 40, silent])
        else:
            pause = luck * 18 if luck < 100 else 0
            rows.append([number, 62 + luck % 37 - pause // 60, pause])
    return rows


def accounting_rows(cluster: SharedCluster, start: int, end: int) -> list[list[object]]:
    """Runs that overlap [start, end) in s, as sacct --duplicates lists them: not cut to the window.

    job, user, team, partition, qos, gpus, start, end (-1 while it runs), state.
    """
    users, names = user_names(cluster), cluster.config.qos_names
    rows: list[list[object]] = []
    for run in cluster.ledger.runs:
        begin = run.begin // 1000
        finish = -1 if run.end < 0 else run.end // 1000
        if begin >= end or 0 <= finish <= start:
            continue
        spec = run.job.spec
        rows.append(
            [
                run.job.id,
                users[spec.user],
                cluster.config.teams[spec.team].name,
                cluster.config.partitions[run.partition].name,
                names[run.qos],
                spec.gpus,
                begin,
                finish,
                run.state,
            ]
        )
    return rows
