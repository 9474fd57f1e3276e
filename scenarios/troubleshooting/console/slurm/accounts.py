"""`sacct`: what accounting knows at the end of the window."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenarios.troubleshooting.calendar import DAY, MINUTE
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar, Options
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.account_fields import FIELDS, NAMES, Record, records
from scenarios.troubleshooting.console.slurm.words import USERS, instant, known_hosts, state_of
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.texts.slurm_words import state_at, uid

GRAMMAR = Grammar(
    "sacct",
    "abBcDeghlLnpPTvVXkU",
    "ACEFfgijMNoqrRsSuxWI",
    {
        "allusers": ("a", NONE),
        "accounts": ("A", ONE),
        "brief": ("b", NONE),
        "completion": ("c", NONE),
        "delimiter": ("delimiter", ONE),
        "duplicates": ("D", NONE),
        "helpformat": ("e", NONE),
        "endtime": ("E", ONE),
        "file": ("f", ONE),
        "flags": ("F", ONE),
        "gid": ("g", ONE),
        "group": ("g", ONE),
        "help": ("h", NONE),
        "jobs": ("j", ONE),
        "long": ("l", NONE),
        "allclusters": ("L", NONE),
        "clusters": ("M", ONE),
        "noheader": ("n", NONE),
        "nodelist": ("N", ONE),
        "name": ("name", ONE),
        "format": ("o", ONE),
        "parsable": ("p", NONE),
        "parsable2": ("P", NONE),
        "qos": ("q", ONE),
        "partition": ("r", ONE),
        "state": ("s", ONE),
        "starttime": ("S", ONE),
        "truncate": ("T", NONE),
        "uid": ("u", ONE),
        "user": ("u", ONE),
        "usage": ("h", NONE),
        "units": ("units", ONE),
        "noconvert": ("noconvert", NONE),
        "verbose": ("v", NONE),
        "version": ("V", NONE),
        "allocations": ("X", NONE),
        "ncpus": ("i", ONE),
        "nnodes": ("I", ONE),
        "local": ("local", NONE),
        "batch-script": ("B", MAYBE),
        "env-vars": ("env", NONE),
        "wckeys": ("W", ONE),
    },
    'Try "sacct --help" for more information',
)
_DEFAULT = "jobid,jobname,partition,account,alloccpus,state,exitcode"
_BRIEF = "jobid,state,exitcode"
_LONG = (
    "jobid,jobname,partition,maxrss,avecpu,alloccpus,elapsed,state,exitcode,ntasks,reqmem,alloctres"
)
_PART = re.compile(r"^\s*([A-Za-z/]+)(?:%(-?)(\d{1,4}))?\s*$", re.ASCII)
_UNIT = {"K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}
_MEMORY = re.compile(r"\b(\d+)M\b")


@dataclass(frozen=True, slots=True)
class _Shown:
    """A column: its field, its width, and whether it stands left."""

    name: str
    width: int
    left: bool


def sacct(call: Call) -> str:
    asked = GRAMMAR.read(call.args)
    site = call.site
    if asked.has("V"):
        return f"slurm {site.incident.plant.versions.slurm}\n"
    if asked.has("h"):
        return "sacct [<OPTION>]\n    Valid <OPTION> values are:\n" + joined(
            [
                f"     {'-' + key if len(key) == 1 else '--' + key}, --{name}"
                for name, (key, _) in GRAMMAR.long.items()
            ]
        )
    if asked.has("e"):
        names = [FIELDS[name].head for name in FIELDS]
        return joined(
            [
                "".join(f"{name:<20}" for name in names[at : at + 4]).rstrip()
                for at in range(0, len(names), 4)
            ]
        )
    if asked.rest:
        raise Failed(f"sacct: error: Unrecognized option: {asked.rest[0]}")
    columns = _columns(asked)
    found = [record for job in _chosen(site, asked) for record in _rows(site, asked, job)]
    return _printed(site, asked, columns, found)


def _rows(site: Site, asked: Options, job: Job) -> list[Record]:
    """The job's allocation and, without `-X`, its steps; only the steps that `-j ID.STEP` names."""
    every = records(site, job)
    steps = {word.partition(".")[2] for word in _words(asked, "j") if word.startswith(f"{job.id}.")}
    if steps and str(job.id) not in _words(asked, "j"):
        return [record for record in every if record.step in steps]
    return every[:1] if asked.has("X") else every


def _words(asked: Options, key: str) -> list[str]:
    return [word for value in asked.values.get(key, []) for word in value.split(",") if word]


def _chosen(site: Site, asked: Options) -> list[Job]:
    """The jobs that all filters let through, by number. Raises Failed."""
    incident = site.incident
    numbers = _numbers(asked)
    end = (
        instant(site, "sacct", asked.get("E") or "")
        if asked.has("E")
        else incident.calendar.window_end
    )
    start = _start(site, asked, bool(numbers))
    states = _states(asked)
    jobs = [job for job in incident.jobs if job.submit_ms <= end and (job.end_ms or end) >= start]
    if numbers:
        jobs = [job for job in jobs if job.id in numbers]
    users = _words(asked, "u")
    for user in users:
        if user not in USERS and user not in ("root", "slurm") and not user.isdecimal():
            raise Failed(f"sacct: error: Invalid user id: {user}")
    # Nobody's jobs but one's own are shown until all users, jobs or nodes are asked for.
    if not (asked.has("a", "L", "N") or users or numbers):
        return []
    if users:
        jobs = [j for j in jobs if j.user in users or str(uid(incident, j.user)) in users]
    for key, name in (("A", "account"), ("r", "partition"), ("q", "qos"), ("name", "name")):
        if asked.has(key):
            jobs = [job for job in jobs if getattr(job, name) in _words(asked, key)]
    if asked.has("N"):
        hosts = known_hosts(site, "sacct", asked.get("N") or "")
        jobs = [job for job in jobs if hosts & set(job.nodes)]
    if states:
        jobs = [job for job in jobs if _was(job, states, start, end)]
    return jobs


def _was(job: Job, states: set[str], start: int, end: int) -> bool:
    """Whether the job was in one of the states between two instants."""
    if job.state in states:
        return True
    ran = job.start_ms is not None and job.start_ms <= end and (job.end_ms or end) >= start
    return ("RUNNING" in states and ran) or (
        "PENDING" in states and state_at(job, end) == "PENDING"
    )


def _start(site: Site, asked: Options, by_number: bool) -> int:
    """Without `-S` the day begins at midnight; jobs asked for by number are found whenever they ran."""
    if asked.has("S"):
        return instant(site, "sacct", asked.get("S") or "")
    if by_number:
        return 0
    offset = site.incident.calendar.zone.offset * MINUTE
    return (site.now_ms + offset) // DAY * DAY - offset


def _numbers(asked: Options) -> set[int]:
    found = set()
    for word in _words(asked, "j"):
        number = word.partition(".")[0].partition("_")[0]
        if not (number.isascii() and number.isdigit() and len(number) < 12):
            raise Failed(f"sacct: fatal: Bad job/step specified: {word}")
        found.add(int(number))
    return found


def _states(asked: Options) -> set[str]:
    found = set()
    for word in _words(asked, "s"):
        state = state_of(word)
        if state is None:
            raise Failed(f"sacct: fatal: unrecognized job state value: {word}")
        found.add(state)
    return found


def _columns(asked: Options) -> list[_Shown]:
    """The fields asked for. Raises Failed for one that does not exist."""
    form = _BRIEF if asked.has("b") else _LONG if asked.has("l") else _DEFAULT
    found = []
    for part in (asked.get("o") or form).split(","):
        if not part.strip():
            continue
        match = _PART.match(part)
        name = NAMES.get(match[1].lower()) if match else None
        if match is None or name is None:
            word = part.partition("%")[0].strip()
            raise Failed(f'sacct: error: Invalid field requested: "{word}"')
        known = FIELDS[name]
        width = int(match[3]) if match[3] else known.width
        found.append(_Shown(name, width, bool(match[2]) or (known.left and not match[3])))
    return found


def _printed(site: Site, asked: Options, columns: list[_Shown], found: list[Record]) -> str:
    cells = [[_cell(site, asked, record, column) for column in columns] for record in found]
    heads = [FIELDS[column.name].head for column in columns]
    if asked.has("p", "P"):
        sign = asked.get("delimiter") or "|"
        end = sign if asked.has("p") else ""
        table = cells if asked.has("n") else [heads, *cells]
        return joined([sign.join(row) + end for row in table])
    rows = [
        "".join(_placed(cell, c) for cell, c in zip(row, columns, strict=True)) for row in cells
    ]
    if not asked.has("n"):
        top = "".join(_placed(head, c) for head, c in zip(heads, columns, strict=True))
        rows = [top, "".join("-" * c.width + " " for c in columns), *rows]
    return joined(rows)


def _cell(site: Site, asked: Options, record: Record, column: _Shown) -> str:
    text = FIELDS[column.name].read(site, record)
    unit = (asked.get("units") or "").upper()
    if unit:
        if unit not in _UNIT:
            raise Failed(f"sacct: fatal: Invalid units type: {asked.get('units')}")
        if column.name in ("alloctres", "reqtres", "reqmem", "maxrss"):
            return _MEMORY.sub(lambda m: f"{int(m[1]) / _UNIT[unit]:g}{unit}", text)
    return text


def _placed(cell: str, column: _Shown) -> str:
    """A cell in its column; what is too long ends in a plus."""
    width = column.width
    if len(cell) > width > 0:
        cell = f"{cell[: width - 1]}+"
    return f"{cell.ljust(width) if column.left else cell.rjust(width)} "
