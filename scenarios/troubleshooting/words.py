"""What the texts for a candidate say of one incident: names, times and sizes, nothing of the causes."""

from __future__ import annotations

from scenarios.troubleshooting.calendar import HOUR, SECOND, Zone
from scenarios.troubleshooting.physics import STEPS
from scenarios.troubleshooting.plant import Plant
from scenarios.troubleshooting.stakes import Stakes
from scenarios.troubleshooting.texts.owners import during
from scenarios.troubleshooting.truth import Incident

_CLUSTER = tuple(
    (
        "cluster nodes gpus gpu gpus_per_node first_node last_node top_w racks rack_count leaves "
        "spines uplinks port_gbps fsname mount oss flash capacity mds nfs login controller system "
        "slurm"
    ).split()
)
_JOB = tuple(
    (
        "job before job_name user script dataset checkpoints job_nodes job_gpus steps hours "
        "before_hours run_start run_end before_start now window window_start window_end zone "
        "zone_short offset constraint"
    ).split()
)
_STAKES = tuple(
    (
        "what who deadline deadline_hours runs delay_usd site site_zone free_nodes free_hours "
        "free_until site_step_s dataset_tb line_gbps"
    ).split()
)
NAMES = (*_CLUSTER, *_JOB, *_STAKES)
"""Every placeholder; those of the second site and the deadline are empty but for senior."""


def words_of(incident: Incident) -> dict[str, str]:
    """Placeholder -> text. Times are the site's own, as its hosts print them."""
    stakes = incident.stakes
    told = cluster_words(incident.plant) | _job(incident)
    return told | (_stakes(incident, stakes) if stakes else dict.fromkeys(_STAKES, ""))


def cluster_words(plant: Plant) -> dict[str, str]:
    """What stands in the hall."""
    storage, leaf = plant.storage, plant.leaves[0]
    return {
        "cluster": plant.cluster,
        "nodes": str(len(plant.nodes)),
        "gpus": str(len(plant.nodes) * plant.gpus_per_node),
        "gpu": plant.gpu_product,
        "gpus_per_node": str(plant.gpus_per_node),
        "first_node": plant.nodes[0].name,
        "last_node": plant.nodes[-1].name,
        "top_w": str(plant.top_w),
        "racks": _racks(plant),
        "rack_count": str(len(plant.racks)),
        "leaves": str(len(plant.leaves)),
        "spines": str(len(plant.spines)),
        "uplinks": str(len(plant.uplinks(leaf.name))),
        "port_gbps": str(plant.port_gbps),
        "fsname": storage.fsname,
        "mount": storage.mount,
        "oss": str(len(storage.oss)),
        "flash": str(len(storage.flash())),
        "capacity": str(len(storage.osts) - len(storage.flash())),
        "mds": storage.mds,
        "nfs": storage.nfs_server,
        "login": plant.login,
        "controller": plant.controller,
        "system": plant.versions.system,
        "slurm": plant.versions.slurm,
    }


def _racks(plant: Plant) -> str:
    """A Markdown table of racks with their nodes and coolers."""
    rows = ["| rack | nodes | fed by |", "|---|---|---|"]
    for rack in plant.racks:
        span = rack.nodes[0] if len(rack.nodes) == 1 else f"{rack.nodes[0]} to {rack.nodes[-1]}"
        rows.append(f"| {rack.name} | {span} | {rack.cooler} |")
    return "\n".join(rows)


def _job(incident: Incident) -> dict[str, str]:
    calendar, training = incident.calendar, incident.training
    slow, before, zone = incident.slow, incident.before, incident.calendar.zone
    return {
        "job": str(slow.id),
        "before": str(before.id),
        "job_name": training.name,
        "user": training.user,
        "script": training.script,
        "dataset": training.dataset,
        "checkpoints": training.checkpoints,
        "job_nodes": str(len(training.nodes)),
        "job_gpus": str(training.ranks),
        "steps": f"{STEPS:,}",
        "hours": _hours(slow.start_ms, slow.end_ms),
        "before_hours": _hours(before.start_ms, before.end_ms),
        "run_start": stamp(zone, slow.start_ms or 0),
        "run_end": stamp(zone, slow.end_ms or 0),
        "before_start": stamp(zone, before.start_ms or 0),
        "now": stamp(zone, during(incident)),
        "window": str((calendar.window_end - calendar.window_start) // HOUR),
        "window_start": stamp(zone, calendar.window_start),
        "window_end": stamp(zone, calendar.window_end),
        "zone": zone.name,
        "zone_short": zone.short,
        "offset": offset(zone),
        "constraint": incident.constraint.told if incident.constraint else "",
    }


def _stakes(incident: Incident, stakes: Stakes) -> dict[str, str]:
    end, zone = incident.calendar.window_end, incident.calendar.zone
    return {
        "what": stakes.what,
        "who": stakes.who,
        "deadline": stamp(zone, stakes.deadline_ms),
        "deadline_hours": str(round((stakes.deadline_ms - end) / HOUR)),
        "runs": str(stakes.runs),
        "delay_usd": f"{stakes.cost_of_delay_usd:,}",
        "site": stakes.site,
        "site_zone": stakes.zone.name,
        "free_nodes": str(stakes.free_nodes),
        "free_hours": str(stakes.free_hours),
        "free_until": stamp(zone, end + stakes.free_hours * HOUR),
        "site_step_s": f"{stakes.step_s:.2f}",
        "dataset_tb": str(stakes.dataset_tb),
        "line_gbps": str(stakes.line_gbps),
    }


def _hours(start_ms: int | None, end_ms: int | None) -> str:
    return f"{((end_ms or 0) - (start_ms or 0)) / HOUR:.1f}"


def stamp(zone: Zone, at_ms: int) -> str:
    """A moment on the site's clock: `Mon 12 Oct 2026, 17:33 EEST`."""
    return f"{zone.at(at_ms // SECOND * SECOND):%a %d %b %Y, %H:%M} {zone.short}"


def offset(zone: Zone) -> str:
    """Hours to UTC as people write them: `UTC+3`."""
    return f"UTC{zone.offset / 60:+g}"
