"""`squeue`: jobs that the controller still knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar, Options
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.words import (
    SHORT,
    STATES,
    USERS,
    Column,
    Reader,
    coded,
    heading,
    known_hosts,
    named,
    row,
    state_of,
)
from scenarios.troubleshooting.jobs import CPUS_PER_GPU, MEMORY_PER_GPU_MIB, Job
from scenarios.troubleshooting.texts.slurm_jobs import in_queue
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

GRAMMAR = Grammar(
    "squeue",
    "ahlsrvVP",
    "AjJMLnopqOStuwiR",
    {
        "account": ("A", ONE),
        "all": ("a", NONE),
        "array": ("r", NONE),
        "noheader": ("h", NONE),
        "long": ("l", NONE),
        "start": ("start", NONE),
        "jobs": ("j", MAYBE),
        "format": ("o", ONE),
        "Format": ("O", ONE),
        "name": ("n", ONE),
        "partition": ("p", ONE),
        "qos": ("q", ONE),
        "sort": ("S", ONE),
        "states": ("t", ONE),
        "user": ("u", ONE),
        "me": ("me", NONE),
        "steps": ("s", MAYBE),
        "nodelist": ("w", ONE),
        "iterate": ("i", ONE),
        "help": ("help", NONE),
        "version": ("V", NONE),
        "usage": ("help", NONE),
        "verbose": ("v", NONE),
        "priority": ("P", NONE),
        "reservation": ("R", ONE),
        "licenses": ("L", ONE),
        "clusters": ("M", ONE),
    },
    'Try "squeue --help" for more information',
)
_DEFAULT = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
_LONG = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
_START = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %.20Y %R"
KEPT_MS = 10 * MINUTE
"""How long the controller remembers a job that has ended: MinJobAge of slurm.conf."""
USAGE = (
    "Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]\n"
    "              [-n name] [-o format] [-p partitions] [--qos qos] [--start] [--step step_id]\n"
    "              [-t states] [-u user_name] [--usage] [-w nodes] [-alsrvhV]\n"
)


def squeue(call: Call) -> str:
    asked = GRAMMAR.read(call.args)
    site = call.site
    if asked.rest:
        raise Failed(f"squeue: error: Unrecognized option: {asked.rest[0]}\n{USAGE}".rstrip("\n"))
    if asked.has("help"):
        return USAGE
    if asked.has("V"):
        return f"slurm {site.incident.plant.versions.slurm}\n"
    if asked.has("s"):
        return _steps(site, asked)
    jobs = _chosen(site, asked)
    before, columns = _columns(site, asked)
    rows = [row(columns, [column.read(job) for column in columns], before) for job in jobs]
    heads = [] if asked.has("h") else [heading(columns, before)]
    if asked.has("l") and not asked.has("h"):
        heads.insert(0, f"{site.incident.calendar.local(site.now_ms):%a %b %d %H:%M:%S %Y}")
    return joined([*heads, *rows])


def remembered(site: Site) -> list[Job]:
    """Jobs that the controller knows now, in squeue's order: those that ended a moment ago come last."""
    now = site.now_ms
    ended = [
        job
        for job in site.incident.jobs
        if job.end_ms is not None and now - KEPT_MS < job.end_ms <= now
    ]
    return [*in_queue(site.incident, now), *sorted(ended, key=lambda job: job.id)]


def _chosen(site: Site, asked: Options) -> list[Job]:
    """The jobs that all given filters let through. Raises Failed."""
    now, jobs = site.now_ms, remembered(site)
    states = _states(asked)
    jobs = [job for job in jobs if state_at(job, now) in states]
    if asked.get("j"):
        numbers = _numbers(asked.get("j") or "")
        found = [job for job in remembered(site) if job.id in numbers]
        if not found and len(numbers) == 1:
            raise Failed("slurm_load_jobs error: Invalid job id specified")
        jobs = [job for job in jobs if job.id in numbers]
    users = [word for value in asked.values.get("u", []) for word in value.split(",")]
    if asked.has("me"):
        return []
    for user in users:
        if user not in USERS and user not in ("root", "slurm") and not user.isdecimal():
            raise Failed(f"squeue: error: Invalid user: {user}")
    tests: list[Callable[[Job], bool]] = []
    if users:
        tests.append(lambda job: job.user in users or str(uid(site.incident, job.user)) in users)
    readers: dict[str, Callable[[Job], str]] = {
        "A": lambda job: job.account,
        "p": lambda job: job.partition,
        "q": lambda job: job.qos,
        "n": lambda job: job.name,
    }
    for key, read in readers.items():
        if asked.has(key):
            words = set((asked.get(key) or "").split(","))
            tests.append(lambda job, read=read, words=words: read(job) in words)  # type: ignore[misc]
    if asked.has("w"):
        hosts = known_hosts(site, "squeue", asked.get("w") or "")
        tests.append(lambda job: bool(hosts & set(job.nodes)) and state_at(job, now) == "RUNNING")
    if asked.has("start"):
        tests.append(lambda job: state_at(job, now) == "PENDING")
    return _sorted(site, [job for job in jobs if all(test(job) for test in tests)], asked.get("S"))


def _states(asked: Options) -> set[str]:
    words = [word for value in asked.values.get("t", []) for word in value.split(",")]
    if not words:
        return {"PENDING", "RUNNING"}
    if "all" in (word.lower() for word in words):
        return set(STATES)
    found = set()
    for word in words:
        state = state_of(word)
        if state is None:
            raise Failed(
                f"squeue: error: Invalid job state specified: {word}\n"
                f"squeue: error: Valid job states include: {','.join(STATES)}"
            )
        found.add(state)
    return found


def _numbers(text: str) -> set[int]:
    found = set()
    for word in text.split(","):
        number = word.partition("_")[0].partition(".")[0]
        if not (number.isascii() and number.isdigit() and len(number) < 12):
            raise Failed(f"squeue: error: Invalid job id: {word}")
        found.add(int(number))
    return found


def _sorted(site: Site, jobs: list[Job], keys: str | None) -> list[Job]:
    known = readers(site)
    for key in reversed((keys or "").split(",")):
        letter = key.lstrip("+-")
        if not letter:
            continue
        if letter not in known:
            raise Failed(f"squeue: error: Invalid sort specification: {keys}")
        read = known[letter][1]
        jobs = sorted(jobs, key=lambda job: _sortable(read(job)), reverse=key.startswith("-"))
    return jobs


def _sortable(cell: str) -> tuple[int, float, str]:
    """Numbers before words, and numbers by size."""
    plain = cell.replace(".", "", 1)
    return (0, float(cell), "") if plain.isascii() and plain.isdigit() else (1, 0.0, cell)


def _columns(site: Site, asked: Options) -> tuple[str, list[Column]]:
    if asked.get("O"):
        return "", named("squeue", asked.get("O") or "", words(site))
    form = _START if asked.has("start") else _LONG if asked.has("l") else _DEFAULT
    return coded(asked.get("o") or form, readers(site))


def _job(read: Callable[[Job], str]) -> Reader:
    return lambda job: read(cast(Job, job))


def where(site: Site, job: Job) -> str:
    """NODELIST(REASON)."""
    return (
        hostlist(job.nodes) if state_at(job, site.now_ms) != "PENDING" else f"({reason(site, job)})"
    )


def reason(site: Site, job: Job) -> str:
    if state_at(job, site.now_ms) != "PENDING":
        return "None"
    return "Priority" if job.reason == "None" else job.reason


def wanted_nodes(site: Site, job: Job) -> int:
    return len(job.nodes) or max(job.gpu_count // site.incident.plant.gpus_per_node, 1)


def priority(job: Job) -> int:
    return 104_000 + job.id % 977


def ran_ms(site: Site, job: Job) -> int:
    """How long a job has run by now."""
    if state_at(job, site.now_ms) == "PENDING":
        return 0
    end = site.now_ms if job.end_ms is None else min(job.end_ms, site.now_ms)
    return end - (job.start_ms or end)


def held_nodes(site: Site, job: Job) -> tuple[str, ...]:
    """The nodes that a job has: none while it waits."""
    return () if state_at(job, site.now_ms) == "PENDING" else job.nodes


def per_node(site: Site, job: Job) -> int:
    return job.gpu_count // wanted_nodes(site, job)


def folder(site: Site, job: Job) -> str:
    training = site.incident.training
    own = job.role in ("slow", "baseline")
    return training.script.rpartition("/")[0] if own else f"/home/{job.user}/{job.name}"


def script(site: Site, job: Job) -> str:
    own = job.role in ("slow", "baseline")
    return site.incident.training.script if own else f"{folder(site, job)}/job.sbatch"


def _starts(site: Site, job: Job) -> str:
    waits = state_at(job, site.now_ms) == "PENDING"
    return "N/A" if waits else stamp(site.incident.calendar, job.start_ms)


def _ends(site: Site, job: Job) -> str:
    if state_at(job, site.now_ms) == "PENDING":
        return "N/A"
    end = (job.start_ms or 0) + job.limit_ms
    done = job.end_ms is not None and job.end_ms <= site.now_ms
    return stamp(site.incident.calendar, job.end_ms if done else end)


def readers(site: Site) -> dict[str, tuple[str, Reader]]:
    """Letters of `-o`: heading and how to read it."""
    now, incident = site.now_ms, site.incident
    kind, calendar = gpu_type(incident.plant), incident.calendar
    found: dict[str, tuple[str, Callable[[Job], str]]] = {
        "a": ("ACCOUNT", lambda j: j.account), "A": ("JOBID", lambda j: str(j.id)),
        "b": ("TRES_PER_NODE", lambda j: f"gres:gpu:{kind}:{per_node(site, j)}"),
        "c": ("MIN_CPUS", lambda j: str(j.cpus // wanted_nodes(site, j))), "C": ("CPUS", lambda j: str(j.cpus)),
        "d": ("MIN_TMP_DISK", lambda j: "0"), "D": ("NODES", lambda j: str(wanted_nodes(site, j))),
        "e": ("END_TIME", lambda j: _ends(site, j)), "f": ("FEATURES", lambda j: "(null)"),
        "F": ("ARRAY_JOB_ID", lambda j: str(j.id)), "g": ("GROUP", lambda j: j.account),
        "G": ("GROUP", lambda j: str(gid(j.account))), "h": ("OVER_SUBSCRIBE", lambda j: "NO"),
        "H": ("SOCKETS_PER_NODE", lambda j: "*"), "i": ("JOBID", lambda j: str(j.id)),
        "j": ("NAME", lambda j: j.name), "k": ("COMMENT", lambda j: "(null)"),
        "K": ("ARRAY_TASK_ID", lambda j: "N/A"), "l": ("TIME_LIMIT", lambda j: short_length(j.limit_ms)),
        "L": ("TIME_LEFT", lambda j: short_length(max(j.limit_ms - ran_ms(site, j), 0))),
        "m": ("MIN_MEMORY", lambda j: f"{per_node(site, j) * MEMORY_PER_GPU_MIB}M"),
        "M": ("TIME", lambda j: short_length(ran_ms(site, j)) if ran_ms(site, j) else "0:00"),
        "n": ("REQ_NODES", lambda j: ""), "N": ("NODELIST", lambda j: hostlist(held_nodes(site, j))),
        "o": ("COMMAND", lambda j: script(site, j)), "O": ("CONTIGUOUS", lambda j: "0"),
        "p": ("PRIORITY", lambda j: f"{priority(j) / 2**32:.14f}"), "P": ("PARTITION", lambda j: j.partition),
        "q": ("QOS", lambda j: j.qos), "Q": ("PRIORITY", lambda j: str(priority(j))),
        "r": ("REASON", lambda j: reason(site, j)), "R": ("NODELIST(REASON)", lambda j: where(site, j)),
        "s": ("SELECT_JOBINFO", lambda j: ""), "S": ("START_TIME", lambda j: _starts(site, j)),
        "t": ("ST", lambda j: SHORT[state_at(j, now)]), "T": ("STATE", lambda j: state_at(j, now)),
        "u": ("USER", lambda j: j.user), "U": ("USER", lambda j: str(uid(incident, j.user))),
        "v": ("RESERVATION", lambda j: "(null)"), "V": ("SUBMIT_TIME", lambda j: stamp(calendar, j.submit_ms)),
        "w": ("WCKEY", lambda j: "(null)"), "W": ("LICENSES", lambda j: "(null)"),
        "x": ("EXC_NODES", lambda j: ""), "X": ("CORE_SPEC", lambda j: "N/A"),
        "y": ("NICE", lambda j: "0"), "Y": ("SCHEDNODES", lambda j: "(null)"),
        "z": ("S:C:T", lambda j: "*:*:*"), "Z": ("WORK_DIR", lambda j: folder(site, j)),
    }  # fmt: skip
    return {letter: (head, _job(read)) for letter, (head, read) in found.items()}


def _exit_code(site: Site, job: Job) -> str:
    ended = job.end_ms is not None and job.end_ms <= site.now_ms
    return job.exit_code.partition(":")[0] if ended else "0"


_WORDS = {
    "account": "a", "jobid": "A", "jobarrayid": "i", "tres-per-node": "b", "gres": "b", "mincpus": "c",
    "numcpus": "C", "mintmpdisk": "d", "numnodes": "D", "endtime": "e", "feature": "f", "groupname": "g",
    "groupid": "G", "oversubscribe": "h", "name": "j", "comment": "k", "timelimit": "l", "timeleft": "L",
    "minmemory": "m", "timeused": "M", "reqnodes": "n", "nodelist": "N", "command": "o", "priority": "p",
    "prioritylong": "Q", "partition": "P", "qos": "q", "reason": "r", "reasonlist": "R", "starttime": "S",
    "statecompact": "t", "state": "T", "username": "u", "userid": "U", "reservation": "v",
    "submittime": "V", "wckey": "w", "nice": "y", "schednodes": "Y", "workdir": "Z",
}  # fmt: skip


def words(site: Site) -> dict[str, tuple[str, Reader]]:
    """Names of `-O`."""
    letters, incident = readers(site), site.incident
    found = {name: letters[letter] for name, letter in _WORDS.items()}
    rest: dict[str, tuple[str, Callable[[Job], str]]] = {
        "tres-alloc": (
            "TRES_ALLOC",
            lambda j: allocated(incident.plant, j) if held_nodes(site, j) else "N/A",
        ),
        "tres": (
            "TRES_ALLOC",
            lambda j: allocated(incident.plant, j) if held_nodes(site, j) else "N/A",
        ),
        "numtasks": (
            "TASKS",
            lambda j: str(j.gpu_count if j.role == "slow" else wanted_nodes(site, j)),
        ),
        "cpus-per-task": ("CPUS_PER_TASK", lambda j: str(CPUS_PER_GPU)),
        "batchhost": ("EXEC_HOST", lambda j: next(iter(held_nodes(site, j)), "n/a")),
        "exit_code": ("EXIT_CODE", lambda j: _exit_code(site, j)),
        "stdout": ("STDOUT", lambda j: f"{folder(site, j)}/slurm-{j.id}.out"),
        "stderr": ("STDERR", lambda j: f"{folder(site, j)}/slurm-{j.id}.out"),
        "timeusedseconds": ("TIME", lambda j: length(ran_ms(site, j))),
    }
    return found | {name: (head, _job(read)) for name, (head, read) in rest.items()}


def _steps(site: Site, asked: Options) -> str:
    """`squeue -s`: one step of srun for each job that runs."""
    numbers = _numbers(asked.get("s") or "") if asked.get("s") else None
    rows = (
        []
        if asked.has("h")
        else [f"{'STEPID':>15} {'NAME':>8} {'PARTITION':>9} {'USER':>8} {'TIME':>9} NODELIST"]
    )
    for job in in_queue(site.incident, site.now_ms):
        if state_at(job, site.now_ms) != "RUNNING" or (numbers and job.id not in numbers):
            continue
        name = "python3" if job.role == "slow" else job.name
        for step, own in (("batch", "batch"), ("0", name)):
            hosts = hostlist(job.nodes) if step == "0" else job.nodes[0]
            ran = short_length(ran_ms(site, job))
            rows.append(
                f"{f'{job.id}.{step}':>15} {own[:8]:>8} {job.partition[:9]:>9} {job.user[:8]:>8} "
                f"{ran:>9} {hosts}"
            )
    return joined(rows)
