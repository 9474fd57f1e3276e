"""`sdiag` and `sprio`: the scheduler's own state."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.troubleshooting.calendar import DAY
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import NONE, ONE, Grammar
from scenarios.troubleshooting.console.site import Site, text
from scenarios.troubleshooting.console.slurm.queue import priority
from scenarios.troubleshooting.console.slurm.words import Reader, coded, heading, row
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.texts.slurm_jobs import in_queue
from scenarios.troubleshooting.texts.slurm_nodes import sdiag as diagnostics
from scenarios.troubleshooting.texts.slurm_words import state_at

_HINT = 'Try "{0} --help" for more information'
_AGE, _QOS = 2_000, {"normal": 5_000, "high": 50_000}
"""Weight of age (slurm.conf), and what each QOS brings."""
_SDIAG = Grammar(
    "sdiag",
    "ahrsitTMV",
    "",
    {
        "all": ("a", NONE),
        "help": ("h", NONE),
        "reset": ("r", NONE),
        "sort-by-id": ("i", NONE),
        "sort-by-time": ("t", NONE),
        "version": ("V", NONE),
    },
    _HINT.format("sdiag"),
)
_SPRIO = Grammar(
    "sprio",
    "hlnvVw",
    "jMopSu",
    {
        "noheader": ("h", NONE),
        "jobs": ("j", ONE),
        "long": ("l", NONE),
        "norm": ("n", NONE),
        "format": ("o", ONE),
        "partition": ("p", ONE),
        "sort": ("S", ONE),
        "user": ("u", ONE),
        "verbose": ("v", NONE),
        "version": ("V", NONE),
        "weights": ("w", NONE),
        "help": ("help", NONE),
    },
    _HINT.format("sprio"),
)


def sdiag(call: Call) -> str:
    asked = _SDIAG.read(call.args)
    if asked.has("r"):
        raise Failed("slurm_reset_statistics: Access/permission denied")
    if asked.has("V"):
        return f"slurm {call.site.incident.plant.versions.slurm}\n"
    return text(diagnostics(call.site.incident, call.site.now_ms).lines)


def factors(site: Site, job: Job) -> dict[str, int]:
    """What the priority of a waiting job is made of; the parts add up to what scontrol shows."""
    waited = site.now_ms - job.submit_ms
    age = min(_AGE * waited // (7 * DAY), _AGE)
    qos = _QOS[job.qos]
    return {"AGE": age, "FAIRSHARE": priority(job) - age - qos, "QOS": qos}


def sprio(call: Call) -> str:
    asked, site = _SPRIO.read(call.args), call.site
    if asked.has("V"):
        return f"slurm {site.incident.plant.versions.slurm}\n"
    form = asked.get("o") or (
        "%.15i %9r %.8u %.10Y %.10S %.10A %.10F %.10Q"
        if asked.has("l")
        else "%.15i %9r %.10Y %.10S %.10A %.10F %.10Q"
    )
    before, columns = coded(form, _readers(site))
    heads = [] if asked.has("h") else [heading(columns, before)]
    if asked.has("w"):
        weights = {"A": "2000", "F": "100000", "Q": "50000", "S": "1", "i": "Weights"}
        letters = {head: letter for letter, (head, _) in _readers(site).items()}
        return joined([*heads, row(columns, [weights.get(letters[c.head], "") for c in columns])])
    jobs = [
        j for j in in_queue(site.incident, site.now_ms) if state_at(j, site.now_ms) == "PENDING"
    ]
    for key, read in (
        ("u", lambda j: j.user),
        ("j", lambda j: str(j.id)),
        ("p", lambda j: j.partition),
    ):
        if asked.has(key):
            words = (asked.get(key) or "").split(",")
            jobs = [job for job in jobs if read(job) in words]
    if asked.has("j") and not jobs:
        raise Failed("Unable to find jobs matching user/id(s) specified")
    rows = [row(columns, [column.read(job) for column in columns], before) for job in jobs]
    return joined([*heads, *rows])


def _readers(site: Site) -> dict[str, tuple[str, Reader]]:
    def reader(read: Callable[[Job], object]) -> Reader:
        return lambda job: str(read(job))  # type: ignore[arg-type]

    found: dict[str, tuple[str, Callable[[Job], object]]] = {
        "i": ("JOBID", lambda j: j.id),
        "r": ("PARTITION", lambda j: j.partition),
        "u": ("USER", lambda j: j.user),
        "Y": ("PRIORITY", priority),
        "S": ("SITE", lambda j: 0),
        "A": ("AGE", lambda j: factors(site, j)["AGE"]),
        "N": ("NICE", lambda j: 0),
        "F": ("FAIRSHARE", lambda j: factors(site, j)["FAIRSHARE"]),
        "Q": ("QOS", lambda j: factors(site, j)["QOS"]),
        "o": ("ACCOUNT", lambda j: j.account),
    }
    return {letter: (head, reader(read)) for letter, (head, read) in found.items()}
