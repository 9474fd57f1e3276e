"""What Slurm's commands print about the cluster, in the formats of Slurm 22.05."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import inf

from scenarios.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.partitions.cluster import SharedCluster
from scenarios.worlds.partitions.config import SCAVENGE, SERVE, ClusterConfig
from scenarios.worlds.partitions.job import Job, State
from scenarios.worlds.partitions.limits import BILLED, NO_LIMIT
from scenarios.worlds.partitions.setting import Setting, open_quarter
from scenarios.worlds.partitions.views import user_names

BEGIN = datetime(2026, 9, 7, tzinfo=UTC)
SEEN_AT = 2 * DAY + 10 * HOUR + 15 * MINUTE
"""The outputs are of a Wednesday morning, with nobody at the limits since Monday."""
CPUS, T4_CPUS = 16, 8
"""Cores for each GPU: 64 on an A100 node, 32 on a T4 node."""


@lru_cache(maxsize=4)
def _morning(profile: Profile, setting: Setting, seed: str) -> SharedCluster:
    quarter = open_quarter(profile, setting, "steady", f"materials {seed}", faults=False)
    while quarter.cluster.now < SEEN_AT:
        quarter.tick()
    return quarter.cluster


def _clock(ms: int) -> str:
    return (BEGIN + timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%S")


def _span(ms: int) -> str:
    """A duration as squeue prints it: [D-][H:]MM:SS."""
    seconds = ms // 1000
    days, hours = seconds // 86_400, seconds // 3_600 % 24
    minutes = f"{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if days:
        return f"{days}-{hours:02d}:{minutes}"
    return f"{hours}:{minutes}" if hours else f"{seconds // 60}:{seconds % 60:02d}"


def _elapsed(ms: int) -> str:
    """A duration as sacct prints it: [D-]HH:MM:SS."""
    seconds = ms // 1000
    clock = f"{seconds // 3_600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 86_400}-{clock}" if seconds >= 86_400 else clock


def hostlist(names: list[str]) -> str:
    """Names with a common prefix as Slurm folds them: lga-[01-03,05]."""
    if len(names) == 1:
        return names[0]
    prefix, width = names[0].rpartition("-")[0], len(names[0].rpartition("-")[2])
    numbers = sorted(int(name.rpartition("-")[2]) for name in names)
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [f"{a:0{width}d}" if a == b else f"{a:0{width}d}-{b:0{width}d}" for a, b in runs]
    return f"{prefix}-[{','.join(parts)}]"


def _sinfo(cluster: SharedCluster) -> str:
    width = max(9, *(len(p.name) + (n == 0) for n, p in enumerate(cluster.config.partitions)))
    lines = [f"{'PARTITION':{width}} AVAIL  TIMELIMIT  NODES  STATE NODELIST"]
    for number, fleet in enumerate(cluster.fleets):
        states: dict[str, list[str]] = {}
        for node, name in enumerate(fleet.names):
            free, up = fleet.free[node], fleet.up >> node & 1
            reserved = any(
                kept.partition == number and kept.nodes >> node & 1
                for kept in cluster.scheduler.reservations
            )
            word = "idle" if free == fleet.shape.per_node else "mix" if free else "alloc"
            word = "down*" if not up else "resv" if reserved and word == "idle" else word
            states.setdefault(word, []).append(name)
        label = fleet.shape.name + ("*" if number == 0 else "")
        limit = _limit(fleet.max_time)
        for word in ("down*", "resv", "mix", "alloc", "idle"):
            if word in states:
                nodes = states[word]
                lines.append(
                    f"{label:{width}} {'up':>5} {limit:>10} {len(nodes):>6} {word:>6} {hostlist(nodes)}"
                )
    return "\n".join(lines)


def _limit(ms: int) -> str:
    seconds = ms // 1000
    clock = f"{seconds // 3_600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{seconds // 86_400}-{clock}" if seconds >= 86_400 else clock.removeprefix("0")


def _squeue(cluster: SharedCluster) -> str:
    users, parts = user_names(cluster), cluster.config.partitions
    lines = [
        f"{'JOBID':>18} {'PARTITION':>9} {'NAME':>8} {'USER':>8} {'ST':>2} {'TIME':>10}"
        f" {'NODES':>6} NODELIST(REASON)"
    ]
    shown = [job for job in cluster.present.values() if job.state != State.REFUSED]
    waiting = sorted((j for j in shown if j.state == State.PENDING), key=lambda j: j.key)
    running = sorted((j for j in shown if j.state == State.RUNNING), key=lambda j: -j.id)
    for job in [*waiting[:30], *running]:
        runs = job.state == State.RUNNING
        where = (
            hostlist(cluster.fleets[job.partition].node_names(job.nodes))
            if runs
            else f"({job.reason})"
        )
        time = _span(cluster.now - job.began) if runs else "0:00"
        nodes = max(1, job.spec.gpus // 4)
        lines.append(
            f"{_number(job):>18} {parts[job.partition].name[:9]:>9} {job.spec.name[:8]:>8}"
            f" {users[job.spec.user][:8]:>8} {'R' if runs else 'PD':>2} {time:>10} {nodes:>6} {where}"
        )
    if len(waiting) > 30:
        lines.append(f"# ... {len(waiting) - 30} more pending jobs cut here")
    return "\n".join(lines)


def _number(job: Job) -> str:
    return str(40_000 + job.id)


def squeue_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sinfo and squeue, in their default formats."""
    cluster = _morning(profile, setting, seed)
    at = _clock(cluster.now).replace("T", " ")
    return (
        f"# mgmt-1, {at}\n$ sinfo\n{_sinfo(cluster)}\n\n$ squeue\n{_squeue(cluster)}\n\n"
        f"$ scontrol -o show reservation\n{_reservations(cluster)}\n"
    )


def _reservations(cluster: SharedCluster) -> str:
    lines = []
    for kept in cluster.scheduler.reservations:
        fleet = cluster.fleets[kept.partition]
        names = fleet.node_names((kept.nodes, 0, 0))
        cores = len(names) * fleet.shape.per_node * CPUS
        lines.append(
            f"ReservationName={kept.name} StartTime=2026-06-15T08:00:00 EndTime=2027-06-15T08:00:00"
            f" Duration=365-00:00:00 Nodes={hostlist(names)} NodeCnt={len(names)} CoreCnt={cores}"
            f" Features=(null) PartitionName={fleet.shape.name} Flags=SPEC_NODES TRES=cpu={cores}"
            " Users=summer01 Groups=(null) Accounts=(null) Licenses=(null) State=ACTIVE"
            " BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)"
        )
    return "\n".join(lines) or "No reservations in the system"


def sshare_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sshare -alP under Fair Tree."""
    cluster = _morning(profile, setting, seed)
    tree, usage, standing = cluster.book.tree, cluster.book.usage.raw, cluster.book.standing()
    lines = [
        "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS"
        "|GrpTRESMins|TRESRunMins"
    ]
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
    return "$ sshare -alP\n" + "\n".join(lines) + "\n"


def sacctmgr_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sacctmgr show qos and show assoc, as they were left."""
    cluster = _morning(profile, setting, seed)
    lines = [
        "$ sacctmgr -P show qos format=name,priority,preempt,preemptmode,usagefactor,grptres,maxtrespu,"
        "maxjobspu,maxsubmitpu",
        "Name|Priority|Preempt|PreemptMode|UsageFactor|GrpTRES|MaxTRESPU|MaxJobsPU|MaxSubmitPU",
        "normal|0||cluster|1.000000||||",
    ]
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
    lines += [
        "",
        "$ sacctmgr -P show assoc format=cluster,account,user,share,qos,defaultqos",
        "Cluster|Account|User|Share|QOS|Def QOS",
    ]
    name = profile.cluster.lower().replace(" ", "-")
    lines += [f"{name}|root||1|normal|", f"{name}|root|root|1|normal|"]
    more = f",{SCAVENGE}" if cluster.config.scavenge else ""
    for team in cluster.config.teams:
        names = f"{team.name},{SERVE}{more}"
        lines.append(f"{name}|{team.name}||1|{names}|{team.name}")
        lines += [f"{name}|{team.name}|{user}|1|{names}|{team.name}" for user in team.users]
    return "\n".join(lines) + "\n"


def sacct_text(profile: Profile, setting: Setting, seed: str) -> str:
    """sacct of an hour of the morning, requeued runs included."""
    cluster = _morning(profile, setting, seed)
    users, qos = user_names(cluster), cluster.config.qos_names
    begin = cluster.now - HOUR
    lines = [
        f"$ sacct -aXP --duplicates -S {_clock(begin)} -E {_clock(cluster.now)}"
        " -o JobID,User,Account,Partition,QOS,State,AllocTRES,Elapsed,Start,End",
        "JobID|User|Account|Partition|QOS|State|AllocTRES|Elapsed|Start|End",
    ]
    for run in cluster.ledger.runs:
        if 0 <= run.end < begin:
            continue
        spec, shape = run.job.spec, cluster.config.partitions[run.partition]
        gpus = spec.gpus
        cpus = gpus * (CPUS if shape.gpu == "a100" else T4_CPUS)
        billed = int(gpus * BILLED[shape.gpu])
        nodes = max(1, gpus // shape.per_node)
        tres = (
            f"billing={billed},cpu={cpus},gres/gpu:{shape.gpu}={gpus},gres/gpu={gpus},node={nodes}"
        )
        end = "Unknown" if run.end < 0 else _clock(run.end)
        length = (cluster.now if run.end < 0 else run.end) - run.begin
        state = f"CANCELLED by {1000 + spec.user}" if run.state == "CANCELLED" else run.state
        lines.append(
            f"{_number(run.job)}|{users[spec.user]}|{cluster.config.teams[spec.team].name}|{shape.name}"
            f"|{qos[run.qos]}|{state}|{tres}|{_elapsed(length)}|{_clock(run.begin)}|{end}"
        )
    return "\n".join(lines) + "\n"


def slurm_conf(profile: Profile, setting: Setting, seed: str) -> str:
    """The parts of slurm.conf that decide who runs where."""
    config = _morning(profile, setting, seed).config
    weights, name = config.weights, profile.cluster.lower().replace(" ", "-")
    lines = [
        "# slurm.conf (excerpt) - managed by hand, see the ticket of 2025-11 before touching",
        f"ClusterName={name}",
        "SlurmctldHost=mgmt-1",
        "SchedulerType=sched/backfill",
        f"SchedulerParameters=bf_interval=900,bf_window=2880,bf_max_job_test={config.backfill_depth}",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core_Memory",
        "GresTypes=gpu",
        "AccountingStorageType=accounting_storage/slurmdbd",
        "AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:t4",
        "AccountingStorageEnforce=associations,limits,qos",
        "EnforcePartLimits=ALL",
        "JobRequeue=1",
        "",
        "PriorityType=priority/multifactor",
        "PriorityDecayHalfLife=7-0",
        "PriorityCalcPeriod=15",
        "PriorityMaxAge=3-0",
        f"PriorityWeightAge={weights.age}",
        f"PriorityWeightFairshare={weights.fair_share}",
        f"PriorityWeightJobSize={weights.job_size}",
        f"PriorityWeightQOS={weights.qos}",
    ]
    if config.scavenge:
        lines += ["PreemptType=preempt/qos", "PreemptMode=REQUEUE"]
    return "\n".join([*lines, "", *_machines(config)]) + "\n"


def _machines(config: ClusterConfig) -> list[str]:
    nodes, partitions = [], []
    for number, shape in enumerate(config.partitions):
        names = f"{shape.prefix}-[01-{shape.nodes:02d}]"
        cores = 32 if shape.gpu == "a100" else 16
        memory = 1_031_000 if shape.gpu == "a100" else 385_000
        nodes.append(
            f"NodeName={names} Sockets=2 CoresPerSocket={cores} ThreadsPerCore=1 RealMemory={memory}"
            f" Gres=gpu:{shape.gpu}:{shape.per_node} Feature={shape.site}"
        )
        default = " Default=YES" if number == 0 else ""
        partitions.append(
            f"PartitionName={shape.name} Nodes={names}{default}"
            f" MaxTime={_limit(shape.max_time)} DefaultTime=1-00:00:00 AllowQos=ALL State=UP"
            f' TRESBillingWeights="GRES/gpu={BILLED[shape.gpu]}"'
        )
    return [*nodes, "", *partitions]
