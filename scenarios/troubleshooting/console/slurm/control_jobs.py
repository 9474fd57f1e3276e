"""`scontrol show job` and `show step`: running jobs as the materials have them, others in the same form."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.console.command import Failed, joined
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.console.slurm.queue import (
    folder,
    per_node,
    priority,
    ran_ms,
    reason,
    remembered,
    script,
    wanted_nodes,
)
from scenarios.troubleshooting.jobs import CPUS_PER_GPU, MEMORY_PER_GPU_MIB, Job
from scenarios.troubleshooting.plant import CORES_PER_SOCKET
from scenarios.troubleshooting.texts.slurm_asks import Asked, asked
from scenarios.troubleshooting.texts.slurm_jobs import (
    in_queue,
    running_jobs,
    scontrol_job,
    step,
    steps,
)
from scenarios.troubleshooting.texts.slurm_words import (
    gid,
    gpu_type,
    hostlist,
    length,
    stamp,
    state_at,
    uid,
)

_UNKNOWN = "slurm_load_jobs error: Invalid job id specified"


def show_job(site: Site, name: str | None, details: bool) -> str:
    """All jobs that run, or one that the controller still knows. Raises Failed."""
    if name is None:
        if not details:
            return text(running_jobs(site.incident, site.now_ms).lines)
        running = [j for j in in_queue(site.incident, site.now_ms) if j.runs_at(site.now_ms)]
        return "".join(joined([*_running(site, job, True), ""]) for job in running)
    job = _job(site, name)
    if state_at(job, site.now_ms) == "RUNNING":
        return joined([*_running(site, job, details), ""])
    return joined([*_other(site, job), ""])


def _job(site: Site, name: str) -> Job:
    number = name.partition("_")[0].partition(".")[0]
    if not (number.isascii() and number.isdigit()):
        raise Failed(f"scontrol: error: Invalid job id {name}" if name else _UNKNOWN)
    for job in remembered(site):
        if str(job.id) == number:
            return job
    raise Failed(_UNKNOWN)


def _running(site: Site, job: Job, details: bool) -> Iterator[str]:
    """The materials' lines; `-d` adds which cores and GPUs of each node the job holds."""
    for line in scontrol_job(site.incident, job, site.now_ms):
        yield line
        if details and line.startswith("   Socks/Node"):
            yield f"   JOB_GRES=gpu:{gpu_type(site.incident.plant)}:{job.gpu_count}"
            for node, indices in job.gpus:
                kind = gpu_type(site.incident.plant)
                memory = len(indices) * MEMORY_PER_GPU_MIB
                yield (
                    f"     Nodes={node} CPU_IDs={_cpus(indices)} Mem={memory} "
                    f"GRES=gpu:{kind}:{len(indices)}(IDX:{_spans(indices)})"
                )


def _cpus(indices: tuple[int, ...]) -> str:
    """Slurm's abstract CPU ids: the threads of a core stand side by side, 28 to each GPU."""
    spans = [(index * CPUS_PER_GPU, (index + 1) * CPUS_PER_GPU - 1) for index in indices]
    spans = [span for span in spans if span[1] < 4 * CORES_PER_SOCKET]
    joined_spans: list[tuple[int, int]] = []
    for first, last in spans:
        if joined_spans and joined_spans[-1][1] == first - 1:
            joined_spans[-1] = (joined_spans[-1][0], last)
        else:
            joined_spans.append((first, last))
    return ",".join(f"{first}-{last}" for first, last in joined_spans)


def _spans(indices: tuple[int, ...]) -> str:
    return hostlist([f"g{index}" for index in indices]).removeprefix("g").strip("[]")


def _other(site: Site, job: Job) -> Iterator[str]:
    """A job that waits, or ended a moment ago."""
    incident = site.incident
    calendar, state = incident.calendar, state_at(job, site.now_ms)
    submitted, waits = stamp(calendar, job.submit_ms), state == "PENDING"
    started = "Unknown" if waits else stamp(calendar, job.start_ms)
    ended = "Unknown" if waits else stamp(calendar, job.end_ms)
    who, group = uid(incident, job.user), gid(job.account)
    yield f"JobId={job.id} JobName={job.name}"
    yield f"   UserId={job.user}({who}) GroupId={job.account}({group}) MCS_label=N/A"
    yield f"   Priority={priority(job)} Nice=0 Account={job.account} QOS={job.qos}"
    why = {"FAILED": "NonZeroExitCode", "TIMEOUT": "TimeLimit"}.get(state, reason(site, job))
    yield f"   JobState={state} Reason={why} Dependency=(null)"
    code = "0:0" if waits else job.exit_code
    wish = asked(incident, job)
    yield f"   Requeue={wish.again} Restarts=0 BatchFlag=1 Reboot=0 ExitCode={code}"
    ran, limit = length(ran_ms(site, job)), length(job.limit_ms)
    yield f"   RunTime={ran} TimeLimit={limit} TimeMin={wish.least}"
    yield f"   SubmitTime={submitted} EligibleTime={submitted}"
    yield f"   AccrueTime={submitted}"
    yield f"   StartTime={started} EndTime={ended} Deadline=N/A"
    last = stamp(calendar, site.now_ms // MINUTE * MINUTE) if waits else started
    way = "Backfill" if waits else "Main"
    yield f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={last} Scheduler={way}"
    sid = 20_000 + job.id * 13 % 40_000
    yield f"   Partition={job.partition} AllocNode:Sid={incident.plant.login}:{sid}"
    yield "   ReqNodeList=(null) ExcNodeList=(null)"
    yield f"   NodeList={'' if waits else hostlist(job.nodes)}"
    if not waits:
        yield f"   BatchHost={job.nodes[0]}"
    yield from _asked(site, job)


def _asked(site: Site, job: Job) -> Iterator[str]:
    """What the job asks for, and its files."""
    nodes, kind = wanted_nodes(site, job), gpu_type(site.incident.plant)
    gpus, own = job.gpu_count, folder(site, job)
    yield (
        f"   NumNodes={nodes} NumCPUs={job.cpus} NumTasks={nodes} CPUs/Task={job.cpus // nodes} "
        "ReqB:S:C:T=0:0:*:*"
    )
    yield (
        f"   TRES=cpu={job.cpus},mem={job.memory_mib}M,node={nodes},billing={job.cpus},"
        f"gres/gpu={gpus},gres/gpu:{kind}={gpus}"
    )
    yield "   Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*"
    each = per_node(site, job)
    yield (
        f"   MinCPUsNode={each * CPUS_PER_GPU} MinMemoryNode={each * MEMORY_PER_GPU_MIB}M MinTmpDiskNode=0"
    )
    yield "   Features=(null) DelayBoot=00:00:00"
    together = asked(site.incident, job).together
    yield f"   OverSubscribe=NO Contiguous={together} Licenses=(null) Network=(null)"
    yield f"   Command={script(site, job)}"
    yield f"   WorkDir={own}"
    yield f"   StdErr={own}/slurm-{job.id}.out"
    yield "   StdIn=/dev/null"
    yield f"   StdOut={own}/slurm-{job.id}.out"
    yield "   Power="
    yield f"   TresPerNode=gres:gpu:{kind}:{each}"


def show_step(site: Site, name: str | None) -> str:
    """The slow job's launch, or one step by its number. Raises Failed."""
    slow = site.incident.slow
    if name is None:
        return text(steps(site.incident, site.now_ms).lines)
    if name == f"{slow.id}.0" or name == str(slow.id):
        return text(step(site.incident, site.now_ms).lines)
    number, _, which = name.partition(".")
    job = next((j for j in remembered(site) if str(j.id) == number), None)
    if job is None or not job.runs_at(site.now_ms) or which not in ("", "0", "batch"):
        raise Failed(
            "slurm_get_job_steps error: Invalid job id specified"
            if job is None
            else f"Job step {name} not found"
        )
    return joined(list(_step(site, job, which or "0")))


def _step(site: Site, job: Job, which: str) -> Iterator[str]:
    incident, kind = site.incident, gpu_type(site.incident.plant)
    nodes = job.nodes if which == "0" else job.nodes[:1]
    part = len(job.nodes) // len(nodes)
    cpus, gpus = job.cpus // part, job.gpu_count // part
    start = stamp(incident.calendar, (job.start_ms or 0) + (MINUTE // 20 if which == "0" else 0))
    label = job.name if which == "0" else "batch"
    if which == "0" and job.role == "slow":
        label = "python3"
    who, wish = uid(incident, job.user), asked(incident, job) if which == "0" else Asked()
    yield f"StepId={job.id}.{which} UserId={who} StartTime={start} TimeLimit={wish.limit}"
    yield f"   State=RUNNING Partition={job.partition} NodeList={hostlist(nodes)}"
    yield f"   Nodes={len(nodes)} CPUs={cpus} Tasks={len(nodes)} Name={label} Network=(null)"
    yield (
        f"   TRES=cpu={cpus},mem={job.memory_mib // part}M,node={len(nodes)},gres/gpu={gpus},"
        f"gres/gpu:{kind}={gpus}"
    )
    yield "   ResvPorts=(null)"
    yield f"   CPUFreqReq={wish.clocks} Dist={wish.spread}"
    yield f"   SrunHost:Pid={job.nodes[0]}:{30_000 + job.id % 9_973}"
