"""Fields of `sacct` and the records that it prints: a job's allocation and its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.condition import JOB
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.queue import folder, priority, wanted_nodes
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.texts.slurm_words import (
    allocated,
    gid,
    gpu_type,
    hostlist,
    length,
    stamp,
    uid,
)


@dataclass(frozen=True, slots=True)
class Record:
    """A job (`step` "") or one of its steps: `batch`, `0`."""

    job: Job
    step: str = ""


def records(site: Site, job: Job) -> list[Record]:
    """The allocation first; a job that never started has no steps."""
    if job.start_ms is None:
        return [Record(job)]
    return [Record(job), Record(job, "batch"), Record(job, "0")]


Read = Callable[[Site, Record], str]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: heading, width, how to read it, and whether it stands left as JobID does."""

    head: str
    width: int
    read: Read
    left: bool = False


def _own(read: Callable[[Site, Job], str]) -> Read:
    """A field that steps leave empty."""
    return lambda site, record: "" if record.step else read(site, record.job)


def _all(read: Callable[[Site, Job], str]) -> Read:
    return lambda site, record: read(site, record.job)


def _end(site: Site, job: Job) -> int:
    return job.end_ms or site.incident.calendar.window_end


def elapsed(site: Site, job: Job) -> int:
    """Milliseconds from start to end, or to the window's end."""
    return 0 if job.start_ms is None else _end(site, job) - job.start_ms


def _number(site: Site, record: Record) -> str:
    return f"{record.job.id}.{record.step}" if record.step else str(record.job.id)


def _name(site: Site, record: Record) -> str:
    if record.step == "0":
        return "python3" if record.job.role in ("slow", "baseline") else record.job.name
    return record.step or record.job.name


def _state(site: Site, record: Record) -> str:
    job = record.job
    if job.state == "CANCELLED":
        return "CANCELLED" if record.step else f"CANCELLED by {uid(site.incident, job.user)}"
    # The job's own time limit ends its steps too; they are told as cancelled.
    return "CANCELLED" if job.state == "TIMEOUT" and record.step else job.state


def _nodes(site: Site, record: Record) -> str:
    nodes = record.job.nodes[:1] if record.step == "batch" else record.job.nodes
    return hostlist(nodes) or "None assigned"


def _count(site: Site, record: Record) -> int:
    return 1 if record.step == "batch" else wanted_nodes(site, record.job)


def _cpus(site: Site, record: Record) -> int:
    job = record.job
    if job.start_ms is None:
        return 0
    if record.step == "0" and job.role == "slow":
        # What srun really handed to the ranks: scontrol show step tells the same.
        first = site.incident.training.nodes[0].name
        return int(site.incident.condition.constant(first, "rank_cpus")) * job.gpu_count
    return job.cpus // len(job.nodes) if record.step == "batch" else job.cpus


def _tasks(site: Site, record: Record) -> str:
    if not record.step:
        return ""
    own = record.job.role in ("slow", "baseline")
    return (
        "1"
        if record.step == "batch"
        else str(record.job.gpu_count if own else len(record.job.nodes))
    )


def _alloc(site: Site, record: Record) -> str:
    job, plant = record.job, site.incident.plant
    if not record.step:
        return allocated(plant, job)
    count = _count(site, record)
    part = len(job.nodes) // count
    gpus, kind = job.gpu_count // part, gpu_type(plant)
    return (
        f"cpu={_cpus(site, record)},gres/gpu:{kind}={gpus},gres/gpu={gpus},"
        f"mem={job.memory_mib // part}M,node={count}"
    )


def _requested(site: Site, job: Job) -> str:
    """ReqTRES: known for a job that never started too."""
    gpus, kind = job.gpu_count, gpu_type(site.incident.plant)
    return (
        f"billing={job.cpus},cpu={job.cpus},gres/gpu:{kind}={gpus},gres/gpu={gpus},"
        f"mem={job.memory_mib}M,node={wanted_nodes(site, job)}"
    )


def _rss(site: Site, record: Record) -> str:
    """The largest task's memory, from the same figures as `free` on the job's nodes."""
    job = record.job
    if not record.step:
        return ""
    draw = Stream(site.incident.seed, f"rss {job.id} {record.step}")
    if record.step == "batch":
        return f"{int(draw.between(9_000, 16_000))}K"
    if job.role not in ("slow", "baseline"):
        return f"{int(draw.between(4, 38) * 2**20)}K"
    leak = site.incident.condition.constant(JOB, "leak_gib") if job.role == "slow" else 0.0
    each = (200 + leak) / site.incident.plant.gpus_per_node * draw.between(1.01, 1.03)
    return f"{int(each * 2**20)}K"


def _cpu_time(site: Site, record: Record) -> str:
    return length(elapsed(site, record.job) * _cpus(site, record))


def _time(name: str) -> Read:
    def read(site: Site, record: Record) -> str:
        job = record.job
        at = {
            "start": job.start_ms,
            "end": job.end_ms,
            "submit": job.start_ms if record.step else job.submit_ms,
        }[name]
        return stamp(site.incident.calendar, at)

    return read


FIELDS: dict[str, Field] = {
    "jobid": Field("JobID", 12, _number, True),
    "jobidraw": Field("JobIDRaw", 12, _number, True),
    "jobname": Field("JobName", 10, _name),
    "user": Field("User", 9, _own(lambda s, j: j.user)),
    "uid": Field("UID", 6, _own(lambda s, j: str(uid(s.incident, j.user)))),
    "group": Field("Group", 9, _own(lambda s, j: j.account)),
    "gid": Field("GID", 6, _own(lambda s, j: str(gid(j.account)))),
    "account": Field("Account", 10, _all(lambda s, j: j.account)),
    "associd": Field("AssocID", 7, _all(lambda s, j: "")),
    "cluster": Field("Cluster", 10, _all(lambda s, j: s.incident.plant.cluster)),
    "partition": Field("Partition", 10, _own(lambda s, j: j.partition)),
    "qos": Field("QOS", 10, _own(lambda s, j: j.qos)),
    "state": Field("State", 10, _state),
    "alloctres": Field("AllocTRES", 10, _alloc),
    "reqtres": Field("ReqTRES", 10, _own(_requested)),
    "reqmem": Field("ReqMem", 10, _own(lambda s, j: f"{j.memory_mib}M")),
    "reqcpus": Field("ReqCPUS", 8, lambda s, r: str(r.job.cpus)),
    "reqnodes": Field("ReqNodes", 8, lambda s, r: str(_count(s, r))),
    "alloccpus": Field("AllocCPUS", 10, lambda s, r: str(_cpus(s, r))),
    "ncpus": Field("NCPUS", 10, lambda s, r: str(_cpus(s, r))),
    "allocnodes": Field("AllocNodes", 10, lambda s, r: str(_count(s, r) if r.job.nodes else 0)),
    "nnodes": Field("NNodes", 8, lambda s, r: str(_count(s, r))),
    "ntasks": Field("NTasks", 8, _tasks),
    "elapsed": Field("Elapsed", 10, lambda s, r: length(elapsed(s, r.job))),
    "elapsedraw": Field("ElapsedRaw", 10, lambda s, r: str(elapsed(s, r.job) // SECOND)),
    "cputime": Field("CPUTime", 10, _cpu_time),
    "cputimeraw": Field(
        "CPUTimeRAW", 10, lambda s, r: str(elapsed(s, r.job) // SECOND * _cpus(s, r))
    ),
    "totalcpu": Field("TotalCPU", 10, lambda s, r: ""),
    "avecpu": Field("AveCPU", 10, lambda s, r: ""),
    "maxrss": Field("MaxRSS", 10, _rss),
    "timelimit": Field("Timelimit", 10, _own(lambda s, j: length(j.limit_ms))),
    "timelimitraw": Field("TimelimitRaw", 10, _own(lambda s, j: str(j.limit_ms // 60_000))),
    "submit": Field("Submit", 19, _time("submit")),
    "eligible": Field("Eligible", 19, _own(lambda s, j: stamp(s.incident.calendar, j.submit_ms))),
    "start": Field("Start", 19, _time("start")),
    "end": Field("End", 19, _time("end")),
    "reserved": Field(
        "Reserved", 10, _own(lambda s, j: length((j.start_ms or _end(s, j)) - j.submit_ms))
    ),
    "suspended": Field("Suspended", 10, lambda s, r: "00:00:00"),
    "exitcode": Field("ExitCode", 8, lambda s, r: r.job.exit_code),
    "derivedexitcode": Field("DerivedExitCode", 15, _own(lambda s, j: j.exit_code)),
    "nodelist": Field("NodeList", 15, _nodes),
    "priority": Field("Priority", 10, _own(lambda s, j: str(priority(j)))),
    "reason": Field(
        "Reason", 22, _own(lambda s, j: "None" if j.start_ms is not None else j.reason)
    ),
    "workdir": Field("WorkDir", 20, _own(lambda s, j: folder(s, j))),
    "flags": Field("Flags", 24, _own(lambda s, j: "SchedMain" if j.start_ms is not None else "")),
    "constraints": Field("Constraints", 11, lambda s, r: ""),
    "comment": Field("Comment", 14, lambda s, r: ""),
    "admincomment": Field("AdminComment", 14, lambda s, r: ""),
    "layout": Field("Layout", 9, lambda s, r: "Block" if r.step == "0" else ""),
    "blockid": Field("BlockID", 16, lambda s, r: ""),
    "container": Field("Container", 20, lambda s, r: ""),
}
NAMES = {name: name for name in FIELDS}
"""What may be asked for -> the field's key; letter case does not matter."""
