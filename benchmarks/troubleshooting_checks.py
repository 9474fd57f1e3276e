"""What validators of others say of a built incident: promtool, and slurmctld where it is installed."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.exposition import write_openmetrics

MISSING = "not installed"
_GENUINE = (
    'counter metrics should have "_total" suffix',
    "should be written in 'snake_case' not 'camelCase'",
    "metric name should not include type 'counter'",
)
"""Lint lines that the text of genuine exporters gives as well."""
_STRETCH = 5 * 60_000
"""ms of history on both sides of the snapshot that promtool loads: every metric, ten minutes."""
_SAID = re.compile(r"(?i)fatal|error|unrecognized key")
_OURS = re.compile(
    r"(?i)pmix|munge|hwloc|slurmdbd|No such file|addr|slurm_get_port|MailProg|backup state|gettimeofday"
)
"""What slurmctld says of the machine on which it is tried and not of the file."""
_HERE = tuple(
    (
        "SlurmctldHost SlurmUser AuthType CredType StateSaveLocation SlurmctldPidFile "
        "SlurmctldLogFile AccountingStorageHost AccountingStorageType AccountingStorageEnforce "
        "PriorityType PluginDir SlurmctldPort JobCompType AccountingStorageTRES JobAcctGatherType"
    ).split()
)
"""Keys that name the machine it runs on, or a server that is not there; replaced where it is tried."""


def check(folder: Path, manifest: Mapping[str, Any], scratch: Path) -> dict[str, str]:
    """Validator -> "ok", "not installed", or its first complaints. `folder` is the built variant."""
    return {
        "metrics": _metrics(folder),
        "rules": _promtool("check", "rules", str(folder / "monitoring" / "alerts.rules.yml")),
        "history": _history(folder, int(manifest["incident"]["now_ms"]), scratch),
        "slurm_conf": _slurm(folder, scratch),
    }


def _run(arguments: Sequence[str], given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        arguments, input=given, capture_output=True, text=True, check=False, timeout=300
    )


def _promtool(*arguments: str) -> str:
    path = shutil.which("promtool")
    if path is None:
        return MISSING
    done = _run([path, *arguments])
    return "ok" if done.returncode == 0 else (done.stderr or done.stdout).strip()[:400]


def _metrics(folder: Path) -> str:
    path = shutil.which("promtool")
    if path is None:
        return MISSING
    for scrape in sorted((folder / "metrics" / "scrapes").rglob("*.prom")):
        done = _run([path, "check", "metrics"], scrape.read_text(encoding="utf-8"))
        said = [line for line in done.stderr.splitlines() if not any(g in line for g in _GENUINE)]
        # 3 says that there are lint lines, of which only the genuine ones may be left
        if said or done.returncode not in (0, 3):
            return f"{scrape.relative_to(folder)}: {' '.join(said)[:300]}"
    return "ok"


def _history(folder: Path, now_ms: int, scratch: Path) -> str:
    if shutil.which("promtool") is None:
        return MISSING
    columns = Columns.open(folder / "metrics" / "history.hncol")
    export = scratch / "history.om"
    names = list(columns.metrics)
    write_openmetrics(columns, names, now_ms - _STRETCH, now_ms + _STRETCH, export)
    blocks = str(scratch / "blocks")
    return _promtool("tsdb", "create-blocks-from", "openmetrics", str(export), blocks)


def _slurm(folder: Path, scratch: Path) -> str:
    """A few seconds of slurmctld with the variant's files, as no flag of it only checks them."""
    path, wait = shutil.which("slurmctld"), shutil.which("timeout")
    if path is None or wait is None:
        return MISSING
    etc = scratch / "slurm"
    shutil.copytree(folder / "config" / "now" / "slurmctl01" / "etc" / "slurm", etc)
    conf = etc / "slurm.conf"
    conf.write_text(_here(conf.read_text(encoding="utf-8"), scratch), encoding="utf-8")
    done = _run([wait, "-k", "2", "6", path, "-D", "-c", "-f", str(conf)])
    lines = [line for line in (done.stdout + done.stderr).splitlines() if _SAID.search(line)]
    said = [line for line in lines if not _OURS.search(line)]
    return "ok" if not said else " ".join(said)[:400]


def _here(text: str, scratch: Path) -> str:
    """The configuration for this machine: without daemons, accounts and folders that it does not have."""
    lines = [line for line in text.splitlines() if line.partition("=")[0].strip() not in _HERE]
    state = scratch / "state"
    state.mkdir()
    lines += [
        f"SlurmctldHost={socket.gethostname().partition('.')[0]}",
        f"SlurmUser={getpass.getuser()}",
        "AuthType=auth/none",
        "CredType=cred/none",
        "SlurmctldPort=16817",
        f"StateSaveLocation={state}",
        f"SlurmctldPidFile={scratch / 'slurmctld.pid'}",
    ]
    if plugins := os.environ.get("SLURM_PLUGIN_DIR"):
        lines.append(f"PluginDir={plugins}")
    return "\n".join(lines) + "\n"
