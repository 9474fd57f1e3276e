"""What ipmi_exporter reads from every GPU server's BMC once a minute: air, fans, power supplies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.columns import Block, Metric
from scenarios.troubleshooting.faults.power import PowerBrake
from scenarios.troubleshooting.herrings.in_time import FanElsewhere
from scenarios.troubleshooting.signals.host import Host

EXPORTER, PORT, EVERY = "ipmi_exporter", 9290, 60
SWAP = 14 * MINUTE
"""How long the fan of `FanElsewhere` stands still, from alarm to its end in the event log."""
METRICS = (
    Metric(
        "ipmi_temperature_celsius",
        "gauge",
        "Temperature reading in degree Celsius.",
        EXPORTER,
        EVERY,
    ),
    Metric(
        "ipmi_fan_speed_rpm", "gauge", "Fan speed in rotations per minute.", EXPORTER, EVERY, 60
    ),
    Metric("ipmi_power_watts", "gauge", "Power reading in Watts.", EXPORTER, EVERY, 8),
)


def bmc_blocks(host: Host) -> Iterator[Block]:
    node, stage = host.node, host.stage
    inlet = (
        22.4
        + host.over("inlet_c")
        + 0.5 * stage.noise.slow(f"inlet {host.name}", 1, host.samples, 60)[0]
    )
    outlet = inlet + 4 + host.watts / 520
    names = [{"id": "1", "name": "Inlet Temp"}, {"id": "2", "name": "Outlet Temp"}]
    rows = [inlet, outlet]
    for gpu in node.gpus:
        names.append({"id": str(10 + gpu.index), "name": f"GPU{gpu.index + 1} Temp"})
        rows.append(host.heat[gpu.index])
    yield host.block(METRICS[0], PORT, names, np.array(rows))
    boost = host.over("fan_boost")
    speed = (5_400 + 4_200 * host.busy) * boost
    turns, named, swapped = [], [], stage.told(FanElsewhere)
    for number, fan in enumerate(node.fans):
        left = host.seen(f"{host.name}/{fan}", "fan_rpm")
        if swapped is not None and (swapped.host, swapped.fan) == (host.name, fan):
            at = stage.times(EVERY)
            left = np.where((at >= swapped.at_ms) & (at < swapped.at_ms + SWAP), 0.0, left)
        turned = speed / np.where(left < 1, boost, 1.0) * left
        turns.append(turned * (1 + 0.008 * host.shake(f"fan {fan}")[0]))
        named.append({"id": str(40 + number), "name": f"{fan} Tach"})
    yield host.block(METRICS[1], PORT, named, np.array(turns))
    yield _supplies(host)


def _supplies(host: Host) -> Block:
    """Input power of each supply: what the node draws, shared by those that deliver."""
    node = host.node
    draw = (host.watts + 1_150 + 700 * host.busy) / 0.94
    lost = host.over("supplies_lost")
    dead = _dead(host)
    alive = len(node.power_supplies) - np.where(lost > 0, len(dead), 0)
    rows = []
    for supply in node.power_supplies:
        part = draw / alive * (1 + 0.01 * host.shake(f"supply {supply}")[0])
        rows.append(np.where((lost > 0) & (supply in dead), 0, part))
    named = [
        {"id": str(60 + n), "name": f"{supply} Input Power"}
        for n, supply in enumerate(node.power_supplies)
    ]
    return host.block(METRICS[2], PORT, named, np.array(rows))


def _dead(host: Host) -> tuple[str, ...]:
    """Names of the supplies that failed: where the condition only counts, the cause knows."""
    brake = host.stage.told(PowerBrake)
    if brake is None or brake.node != host.name:
        return ()
    return brake.supplies
