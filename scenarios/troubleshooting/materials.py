"""Everything that was written down, as documents: what a candidate reads, and what lines belong to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.troubleshooting.texts import (
    chat,
    fabric_links,
    fabric_ports,
    lustre,
    nfs,
    rules,
    tickets,
)
from scenarios.troubleshooting.texts.configs import configs
from scenarios.troubleshooting.texts.lines import Document
from scenarios.troubleshooting.texts.nccl import nccl_log
from scenarios.troubleshooting.texts.owners import during
from scenarios.troubleshooting.texts.slurm_jobs import running_jobs, sacct, squeue, steps
from scenarios.troubleshooting.texts.slurm_log import slurmctld
from scenarios.troubleshooting.texts.slurm_nodes import sdiag, show_nodes, sinfo
from scenarios.troubleshooting.texts.system_documents import documents
from scenarios.troubleshooting.texts.train_files import RUNS, batch, config, requirements
from scenarios.troubleshooting.texts.train_log import rank_table, train_log
from scenarios.troubleshooting.truth import Incident

KINDS = ("log", "command", "config", "table", "people", "rules")


@dataclass(frozen=True, slots=True)
class Material:
    """One file of a variant. `kind` is one of `KINDS`, `title` what its tab is called.

    `before` is the path of the last known good version of a configuration, "" if there is none.
    `splits` is for the key: the file helps to divide the lost time although no line names a cause.
    """

    document: Document
    kind: str
    title: str
    before: str = ""
    splits: bool = False

    @property
    def path(self) -> str:
        return self.document.path


def materials(incident: Incident) -> tuple[Material, ...]:
    """All files of a variant in order of path. Pure: the same incident, the same bytes."""
    found = [*job_materials(incident), *host_materials(incident)]
    return tuple(sorted(found, key=lambda material: material.path))


def job_materials(incident: Incident) -> tuple[Material, ...]:
    """What belongs to jobs, scheduler, fabric, storage, configuration and people."""
    return (
        *_runs(incident),
        *_slurm(incident),
        *_fabric(incident),
        *_storage(incident),
        *_people(incident),
        *_configs(incident),
    )


_NAMES = {"slow": "slow run", "baseline": "run to compare with"}


def _runs(incident: Incident) -> Iterator[Material]:
    """Both runs' logs, timers and files; the slow one's files know the other's as last known good."""
    for run in RUNS:
        name = _NAMES[run]
        yield Material(train_log(incident, run), "log", f"Training log, {name}", splits=True)
        yield Material(rank_table(incident, run), "table", f"Timing by rank, {name}", splits=True)
        yield Material(nccl_log(incident, run), "log", f"NCCL, {name}")
        for make, title in (
            (batch, "Batch script"),
            (config, "Configuration"),
            (requirements, "Packages"),
        ):
            document = make(incident, run)
            good = document.path.replace("runs/slow", "runs/baseline") if run == "slow" else ""
            yield Material(document, "config", f"{title}, {name}", good)


def _slurm(incident: Incident) -> Iterator[Material]:
    at = during(incident)
    yield Material(sacct(incident), "table", "sacct", splits=True)
    yield Material(squeue(incident, at), "command", "squeue during the slow run")
    yield Material(running_jobs(incident, at), "command", "scontrol show job")
    yield Material(steps(incident, at), "command", "scontrol show step")
    yield Material(sinfo(incident, at), "command", "sinfo")
    yield Material(show_nodes(incident, at), "command", "scontrol show node")
    yield Material(sdiag(incident, at), "command", "sdiag")
    yield Material(slurmctld(incident), "log", "slurmctld.log")


def counted(incident: Incident) -> tuple[int, int]:
    """When the switches' counters were read: while the run was slow, and at its end (ms UTC)."""
    return during(incident), incident.run.end_ms


def _fabric(incident: Incident) -> Iterator[Material]:
    at, end = counted(incident)
    counters = fabric_ports.read_counters(incident, at, end)
    first = fabric_ports.query_errors(incident, counters, at, "fabric/ibqueryerrors-1.txt")
    second = fabric_ports.query_errors(incident, counters, end, "fabric/ibqueryerrors-2.txt")
    yield Material(first, "command", "ibqueryerrors during the slow run")
    yield Material(second, "command", "ibqueryerrors at its end")
    yield Material(
        fabric_ports.perfquery(incident, counters, at), "command", "perfquery -x, leaves"
    )
    yield Material(fabric_links.iblinkinfo(incident, at), "command", "iblinkinfo")
    yield Material(fabric_links.ibstat(incident), "command", "ibstat")
    yield Material(fabric_links.manager_log(incident), "log", "Subnet manager")


def _storage(incident: Incident) -> Iterator[Material]:
    at = during(incident)
    yield Material(lustre.space(incident, at), "command", "lfs df")
    yield Material(lustre.waits(incident, at), "command", "Waits by target, one client")
    yield Material(lustre.job_stats(incident, at), "command", "job_stats of the targets")
    yield Material(lustre.metadata(incident, at), "command", "job_stats of the metadata server")
    yield Material(lustre.sizes(incident, at), "command", "brw_stats")
    yield Material(nfs.nfsiostat(incident, at), "command", "nfsiostat of the homes")


def _people(incident: Incident) -> Iterator[Material]:
    yield Material(tickets.changes(incident), "people", "Changes")
    yield Material(chat.chat(incident), "people", "Chat")
    yield Material(rules.runbook(incident), "people", "Runbook")
    yield Material(rules.alert_rules(incident), "rules", "Alert rules")


def _configs(incident: Incident) -> Iterator[Material]:
    for now, good in configs(incident):
        host, _, path = now.path.removeprefix("config/now/").partition("/")
        yield Material(now, "config", f"/{path} ({host})", good.path)
        yield Material(good, "config", f"/{path} ({host}), last known good")


_LOGS = ("journal.log", "dmesg.txt", "ipmi-sel.txt", "bms.log")


def host_materials(incident: Incident) -> Iterator[Material]:
    """Logs and state of the machines; the title is the file's name and the machine it is of."""
    for document in documents(incident):
        folder, _, name = document.path.rpartition("/")
        kind = "log" if name in _LOGS else "table" if name.endswith(".csv") else "command"
        title = f"{name.rpartition('.')[0]}, {folder.rpartition('/')[2]}"
        yield Material(document, kind, title, splits=document.path.startswith("runs/baseline/"))
