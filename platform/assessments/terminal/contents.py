"""What is put into the sandbox of a terminal: our programs, the materials, the words at the door."""

from __future__ import annotations

import json
import threading
import weakref
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assessments.terminal.cluster import METRICS, Cluster
from sandbox import Limits, Spec
from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting.console import HELP, Console
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.truth import make_incident

INSIDE = Path(__file__).parent / "inside"
PLACE = ".headnode"
# From our files to their places in the sandbox.
PROGRAMS = {
    "shell.py": "shell.py",
    "judge.py": "assessments/terminal/inside/judge.py",
    "errands.py": "assessments/terminal/inside/errands.py",
    "command.py": "command.py",
    "rc": "rc",
    "ssh": "bin/ssh",
    "date": "bin/date",
}
EVERYWHERE = [METRICS, "headnode-enter", "headnode-files"]
LIMITS = Limits(
    wall_s=6 * 3600,
    cpu_s=3600,
    memory_mb=512,
    pids=128,
    work_mb=96,
    inodes=8192,
    file_mb=64,
    frame_kb=512,
    unread_kb=2048,
    calls=2_000_000,
)
NOT_SHOWN = (".hncol", "sections.json", "manifest.json")
_clusters: weakref.WeakValueDictionary[tuple[str, int, Profile], Cluster] = (
    weakref.WeakValueDictionary()
)
_building = threading.Lock()


def cluster_of(
    folder: Path, manifest: dict[str, Any], level: str, seed: int, profile: Profile = DEFAULT
) -> Cluster:
    """The variant's cluster, one for all terminals of this process that look at it."""
    with _building:
        found = _clusters.get((level, seed, profile))
        if found is None:
            found = _build(folder, manifest, level, seed, profile)
            _clusters[level, seed, profile] = found
        return found


def _build(
    folder: Path, manifest: dict[str, Any], level: str, seed: int, profile: Profile
) -> Cluster:
    facts = manifest["incident"]
    incident = make_incident(profile, LEVELS[level], seed)
    console = Console(incident)
    return Cluster(
        console=console,
        name=facts["cluster"],
        login=incident.plant.login,
        hosts=console.hosts,
        zone=facts["zone"],
        now_ms=facts["now_ms"],
        metrics=folder / "metrics/history.hncol",
        baseline=folder / "metrics/baseline.hncol",
        help=HELP,
    )


def spec_of(
    folder: Path, manifest: dict[str, Any], cluster: Cluster, columns: int, rows: int
) -> Spec:
    """The sandbox of one terminal, with a window of that size."""
    settings = {
        "host": cluster.login,
        "zone": cluster.zone,
        "now_ms": cluster.now_ms,
        "size": [columns, rows],
        "commands": cluster.commands(cluster.login),
        "everywhere": EVERYWHERE,
    }
    files = {f"{PLACE}/{to}": (INSIDE / name).read_bytes() for name, to in PROGRAMS.items()}
    files[f"{PLACE}/settings.json"] = json.dumps(settings).encode()
    files[f"{PLACE}/motd"] = motd(cluster).encode()
    files[f"{PLACE}/about"] = about(cluster).encode()
    for row in manifest["files"]:
        path = row["path"]
        if not path.endswith(NOT_SHOWN) and not path.startswith("template/"):
            files[f"incident/{path}"] = (folder / path).read_bytes()
    return Spec(files, entry=f"{PLACE}/shell.py", root="login", limits=LIMITS)


def motd(cluster: Cluster) -> str:
    at = datetime.fromtimestamp(cluster.now_ms / 1000, ZoneInfo(cluster.zone))
    return (
        f"{cluster.name} as it was on {at:%a %d %b %Y, %H:%M:%S %Z}. Time stands still here.\n"
        "Collected files, for reading: ~/incident. The commands there are: about\n"
        "What you run is recorded with its time, for your interviewers.\n"
    )


def about(cluster: Cluster) -> str:
    """What `about` prints, the same list as the page's help."""
    width = max((len(name) for name, _ in helped(cluster)), default=0)
    rows = "".join(f"  {name:<{width}}  {text}\n" for name, text in helped(cluster))
    return (
        f"Commands of the cluster, on {cluster.login} or after ssh HOST:\n{rows}\n"
        "Beside them bash, grep, sed, awk, jq, sort, less, vi, diff, find and python3 with pandas.\n"
        "On a host, cat, less, grep, tail, awk and their like read its own files at their paths: "
        "ssh HOST cat /etc/fstab.\n"
        "Files you make here last as long as this terminal.\n"
    )


OWN = (
    ("ssh", "Another host of the cluster: ssh HOST, or ssh HOST COMMAND."),
    (METRICS, "The history of a metric as CSV; without a name, the list of metrics."),
    ("about", "This list, in the terminal."),
)


def helped(cluster: Cluster) -> list[tuple[str, str]]:
    return [*cluster.help, *OWN]


def help_of() -> list[tuple[str, str]]:
    """The same list where no cluster has been built."""
    return [*HELP, *OWN]
