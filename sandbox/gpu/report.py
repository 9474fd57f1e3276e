"""What an operator is told about the host's cards; changes nothing."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from sandbox.gpu import driver
from sandbox.gpu.pool import Pool, Standing
from sandbox.gpu.reading import Reading

FOLDER = "gpu"


def examine(state_dir: Path) -> dict[str, Any]:
    """Plain JSON data: state (`works`, `none` or `unusable`), the reason when it does not work,
    the driver's version, and every unit with its standing and its present reading.

    `state_dir` is the sandbox's; leases are kept in its folder `gpu`. Without a card it is not
    touched.
    """
    seen = driver.survey()
    found: dict[str, Any] = {"state": "none", "reason": seen.reason, "driver": seen.driver}
    found["units"] = []
    if not seen.gpus and not seen.broken:
        return found
    try:
        pool = Pool(state_dir / FOLDER)
        with driver.kept_open():
            found["units"] = [_unit(one) for one in pool.standings()]
        reason = pool.obstacle()
    except OSError as error:
        reason = f"The folder {state_dir / FOLDER} cannot be used: {error.strerror}."
    return found | {"state": "unusable" if reason else "works", "reason": reason}


def plain(found: dict[str, Any]) -> list[str]:
    """The findings as lines for a person."""
    if found["state"] == "none":
        return [f"gpu: none. {found['reason']}"]
    verdict = "works" if found["state"] == "works" else "does not work"
    lines = [f"gpu: {verdict}, driver {found['driver']}"]
    lines += [f"  {found['reason']}"] if found["reason"] else []
    return lines + [_line(unit) for unit in found["units"]]


def _unit(one: Standing) -> dict[str, Any]:
    now: Reading = driver.read(one.unit)
    return asdict(one.unit) | {"state": one.state, "reason": one.reason, "now": now.to_dict()}


def _line(unit: dict[str, Any]) -> str:
    now = unit["now"]
    figures = [
        f"{now[key]:g} {words}"
        for key, words in (
            ("memory_used_mb", "MiB used"),
            ("utilisation", "% busy"),
            ("temperature_c", "°C"),
            ("power_w", "W"),
        )
        if now[key] is not None
    ]
    why = f" {unit['reason']}" if unit["reason"] else ""
    said = f" ({', '.join(figures)})" if figures else ""
    return f"  {unit['state']:8} {unit['uuid']} {unit['name']}{said}{why}"
