"""Slurm's view of jobs: sacct, squeue, scontrol show job and step."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.jobs import CPUS_PER_GPU, Job
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import owner
from scenarios.troubleshooting.texts.slurm_asks import asked
from scenarios.troubleshooting.texts.slurm_words import (
    allocated,
    gid,
    gpu_type,
    hostlist,
    length,
    short_length,
    stamp,
    state_at,
    uid,
)
from scenarios.troubleshooting.truth import Incident

_SHORT = {"PENDING": "PD", "RUNNING": "R"}
_COLUMNS = tuple(
    (
        "JobID JobName User Account Partition QOS State AllocTRES Elapsed Timelimit Submit Start End "
        "ExitCode NodeList"
    ).split()
)


def sacct(incident: Incident) -> Document:
    """`sacct -a -X -P` from half a day before the window, and the run to compare with, at the window's end."""
    rows = [Line(incident.calendar.window_start, "|".join(_COLUMNS))]
    for job in incident.jobs:
        rows.append(Line(job.submit_ms, "|".join(_account(incident, job)), job.tag))
    return Document("slurm/sacct.txt", tuple(rows))


def _account(incident: Incident, job: Job) -> tuple[str, ...]:
    calendar, end = incident.calendar, incident.calendar.window_end
    state = f"CANCELLED by {uid(incident, job.user)}" if job.state == "CANCELLED" else job.state
    elapsed = 0 if job.start_ms is None else (job.end_ms or end) - job.start_ms
    return (
        str(job.id),
        job.name,
        job.user,
        job.account,
        job.partition,
        job.qos,
        state,
        allocated(incident.plant, job),
        length(elapsed),
        length(job.limit_ms),
        stamp(calendar, job.submit_ms),
        stamp(calendar, job.start_ms),
        stamp(calendar, job.end_ms),
        job.exit_code,
        hostlist(job.nodes) or "None assigned",
    )


def in_queue(incident: Incident, at_ms: int) -> list[Job]:
    """Jobs that wait or run at an instant, in squeue's order: by partition, those that wait first."""
    found = [
        job for job in incident.jobs if job.submit_ms <= at_ms and state_at(job, at_ms) in _SHORT
    ]
    return sorted(found, key=lambda job: (job.partition, state_at(job, at_ms) == "RUNNING", job.id))


def squeue(incident: Incident, at_ms: int, path: str = "slurm/squeue.txt") -> Document:
    """`squeue` in its default columns at an instant."""
    head = (
        f"{'JOBID':>18} {'PARTITION':>9} {'NAME':>8} {'USER':>8} {'ST':>2} {'TIME':>10} "
        f"{'NODES':>6} NODELIST(REASON)"
    )
    rows = [Line(at_ms, head)]
    for job in in_queue(incident, at_ms):
        state = state_at(job, at_ms)
        if state == "RUNNING" and job.start_ms is not None:
            where, ran = hostlist(job.nodes), short_length(at_ms - job.start_ms)
        else:
            where, ran = f"({_reason(job)})", "0:00"
        size = len(job.nodes) or max(job.gpu_count // incident.plant.gpus_per_node, 1)
        text = (
            f"{job.id:>18} {job.partition[:9]:>9} {job.name[:8]:>8} {job.user[:8]:>8} "
            f"{_SHORT[state]:>2} {ran:>10} {size:>6} {where}"
        )
        rows.append(Line(at_ms, text, job.tag))
    return Document(path, tuple(rows))


def _reason(job: Job) -> str:
    return "Priority" if job.reason == "None" else job.reason


def scontrol_job(incident: Incident, job: Job, at_ms: int) -> Iterator[str]:
    """Lines of `scontrol show job ID` for a job that runs at the instant."""
    calendar, plant = incident.calendar, incident.plant
    start = job.start_ms or at_ms
    submitted, started = stamp(calendar, job.submit_ms), stamp(calendar, start)
    yield f"JobId={job.id} JobName={job.name}"
    who, group = uid(incident, job.user), gid(job.account)
    yield f"   UserId={job.user}({who}) GroupId={job.account}({group}) MCS_label=N/A"
    yield f"   Priority={104_000 + job.id % 977} Nice=0 Account={job.account} QOS={job.qos}"
    yield "   JobState=RUNNING Reason=None Dependency=(null)"
    wish = asked(incident, job)
    yield f"   Requeue={wish.again} Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0"
    ran, limit = length(at_ms - start), length(job.limit_ms)
    yield f"   RunTime={ran} TimeLimit={limit} TimeMin={wish.least}"
    yield f"   SubmitTime={submitted} EligibleTime={submitted}"
    yield f"   AccrueTime={submitted}"
    yield f"   StartTime={started} EndTime={stamp(calendar, start + job.limit_ms)} Deadline=N/A"
    yield f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={started} Scheduler=Main"
    yield f"   Partition={job.partition} AllocNode:Sid={plant.login}:{20_000 + job.id * 13 % 40_000}"
    yield "   ReqNodeList=(null) ExcNodeList=(null)"
    yield f"   NodeList={hostlist(job.nodes)}"
    yield f"   BatchHost={job.nodes[0]}"
    yield from _held(incident, job)


def _held(incident: Incident, job: Job) -> Iterator[str]:
    """What the job holds, and its files."""
    training, kind = incident.training, gpu_type(incident.plant)
    nodes, gpus = len(job.nodes), job.gpu_count
    own = job.role in ("slow", "baseline")
    tasks, threads = (gpus, CPUS_PER_GPU) if own else (nodes, job.cpus // nodes)
    folder = training.script.rpartition("/")[0] if own else f"/home/{job.user}/{job.name}"
    yield (
        f"   NumNodes={nodes} NumCPUs={job.cpus} NumTasks={tasks} CPUs/Task={threads} "
        "ReqB:S:C:T=0:0:*:*"
    )
    yield (
        f"   TRES=cpu={job.cpus},mem={job.memory_mib}M,node={nodes},billing={job.cpus},"
        f"gres/gpu={gpus},gres/gpu:{kind}={gpus}"
    )
    yield f"   Socks/Node=* NtasksPerN:B:S:C={tasks // nodes}:0:*:* CoreSpec=*"
    memory = job.memory_mib // nodes
    yield f"   MinCPUsNode={job.cpus // nodes} MinMemoryNode={memory}M MinTmpDiskNode=0"
    yield "   Features=(null) DelayBoot=00:00:00"
    together = asked(incident, job).together
    yield f"   OverSubscribe=NO Contiguous={together} Licenses=(null) Network=(null)"
    yield f"   Command={training.script if own else f'{folder}/job.sbatch'}"
    yield f"   WorkDir={folder}"
    yield f"   StdErr={folder}/slurm-{job.id}.out"
    yield "   StdIn=/dev/null"
    yield f"   StdOut={folder}/slurm-{job.id}.out"
    yield "   Power="
    yield f"   TresPerNode=gres:gpu:{kind}:{gpus // nodes}"


def running_jobs(incident: Incident, at_ms: int) -> Document:
    """`scontrol show job` at an instant, with those that run; each ends in an empty line."""
    rows: list[Line] = []
    for job in in_queue(incident, at_ms):
        if state_at(job, at_ms) == "RUNNING":
            rows += [Line(at_ms, text, job.tag) for text in scontrol_job(incident, job, at_ms)]
            rows.append(Line(at_ms, ""))
    return Document("slurm/scontrol-show-job.txt", tuple(rows))


def step(incident: Incident, at_ms: int) -> Document:
    """`scontrol show step` of the slow job's launch, with the CPUs that srun really gave to its tasks."""
    job, training, condition = incident.slow, incident.training, incident.condition
    first = training.nodes[0].name
    threads = int(condition.constant(first, "rank_cpus"))
    cpus, gpus = threads * training.ranks, job.gpu_count
    tag = owner(condition, first, "rank_cpus")
    start = stamp(incident.calendar, (job.start_ms or 0) + MINUTE // 20)
    texts = (
        (
            f"StepId={job.id}.0 UserId={uid(incident, job.user)} StartTime={start} TimeLimit=UNLIMITED",
            None,
        ),
        (f"   State=RUNNING Partition={job.partition} NodeList={hostlist(job.nodes)}", None),
        (
            f"   Nodes={len(job.nodes)} CPUs={cpus} Tasks={training.ranks} Name=python3 Network=(null)",
            tag,
        ),
        (f"   TRES=cpu={cpus},mem={job.memory_mib}M,node={len(job.nodes)},gres/gpu={gpus}", tag),
        ("   ResvPorts=(null)", None),
        ("   CPUFreqReq=Default Dist=Block", None),
        (f"   SrunHost:Pid={job.nodes[0]}:{30_000 + job.id % 9_973}", None),
    )
    rows = tuple(Line(at_ms, text, whose) for text, whose in texts)
    return Document("slurm/scontrol-show-step.txt", rows)


def steps(incident: Incident, at_ms: int) -> Document:
    """`scontrol show step` of everything that runs: the slow job's launch first."""
    own = step(incident, at_ms)
    if not incident.settings.fleet:
        return own
    others = [job for job in incident.jobs if job.runs_at(at_ms) and job is not incident.slow]
    rows = [Line(at_ms, text) for job in others for text in _whole(incident, job)]
    return Document(own.path, (*own.lines, *rows))


def _whole(incident: Incident, job: Job) -> Iterator[str]:
    """The step of a job that has everything that the job has."""
    start = stamp(incident.calendar, (job.start_ms or 0) + MINUTE // 20)
    who, wish = uid(incident, job.user), asked(incident, job)
    yield f"StepId={job.id}.0 UserId={who} StartTime={start} TimeLimit={wish.limit}"
    yield f"   State=RUNNING Partition={job.partition} NodeList={hostlist(job.nodes)}"
    count, kind = len(job.nodes), gpu_type(incident.plant)
    yield f"   Nodes={count} CPUs={job.cpus} Tasks={count} Name={job.name} Network=(null)"
    yield (
        f"   TRES=cpu={job.cpus},mem={job.memory_mib}M,node={count},gres/gpu={job.gpu_count},"
        f"gres/gpu:{kind}={job.gpu_count}"
    )
    yield "   ResvPorts=(null)"
    yield f"   CPUFreqReq={wish.clocks} Dist={wish.spread}"
    yield f"   SrunHost:Pid={job.nodes[0]}:{30_000 + job.id % 9_973}"
