"""Ports of the fabric by LID, and their counters: a switch's own, an adapter's from its node's exporter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from scenarios.troubleshooting.console.command import LOGIN, NODE, Call, Failed
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.plant import Hca, Switch
from scenarios.troubleshooting.texts.fabric_links import peers


@dataclass(frozen=True, slots=True)
class Seen:
    """Counters of one port in the units of perfquery: data in words of four bytes."""

    lid: int
    port: int
    sent: int
    received: int
    symbols: int
    downs: int
    waited: int


def has_adapter(site: Site, host: str) -> bool:
    """Nodes have eight, the login node and the subnet manager's host one; no other host is on the fabric."""
    return site.kind(host) in (NODE, LOGIN) or host == "ufm01"


def opened(call: Call, hint: str = "") -> None:
    """Raises Failed where there is no adapter to send a query from."""
    if not has_adapter(call.site, call.host):
        pid = 100_000 + crc32(f"{call.host} {call.args}".encode()) % 800_000
        why = hint or "Failed to open '(null)' port '0'"
        raise Failed(
            f"ibwarn: [{pid}] mad_rpc_open_port: can't open UMAD port ((null):0)\n"
            f"{call.name}: iberror: failed: {why}",
            255,
        )


def switches(site: Site) -> dict[int, Switch]:
    """Switches of the fabric by LID."""
    plant = site.incident.plant
    return {switch.lid: switch for switch in (*plant.leaves, *plant.spines)}


def hcas(site: Site) -> dict[int, Hca]:
    """Adapters of all nodes by LID."""
    return {hca.lid: hca for node in site.incident.plant.nodes for hca in node.hcas}


def cabled(site: Site) -> dict[str, list[int]]:
    """Switch -> its cabled ports."""
    found: dict[str, list[int]] = {}
    for name, number in sorted(peers(site.incident.plant)):
        found.setdefault(name, []).append(number)
    return found


def of_switch(site: Site, switch: Switch, number: int) -> Seen:
    """Counters of a switch's port as the fabric's exporter has them."""
    read = [
        site.counters.at(switch.name, number, counter, site.now_ms)
        for counter in (
            "xmit_data_bytes_total",
            "rcv_data_bytes_total",
            "symbol_errors_total",
            "link_downed_total",
            "xmit_wait_total",
        )
    ]
    return Seen(switch.lid, number, read[0] // 4, read[1] // 4, *read[2:])


def of_adapter(site: Site, hca: Hca) -> Seen:
    """Counters of an adapter's port as node_exporter has them; it never waits for the switch's credits."""
    readings, at = site.readings(hca.node), site.now_ms
    names = (
        "port_data_transmitted_bytes_total",
        "port_data_received_bytes_total",
        "link_downed_total",
    )
    sent, received, downs = (
        int(readings.at(f"node_infiniband_{name}", at, device=hca.device)) for name in names
    )
    waited = crc32(hca.name.encode()) % 90_000 + sent // 4 // 9_000_000
    return Seen(hca.lid, 1, sent // 4, received // 4, 0, downs, waited)


def extended(seen: Seen) -> Iterator[tuple[str, int]]:
    """`perfquery -x` in the tool's order; a packet carries about 4 KiB."""
    sent, received = seen.sent // 1040, seen.received // 1040
    yield "PortSelect", seen.port
    yield "CounterSelect", 0
    yield "PortXmitData", seen.sent
    yield "PortRcvData", seen.received
    yield "PortXmitPkts", sent
    yield "PortRcvPkts", received
    yield "PortUnicastXmitPkts", sent
    yield "PortUnicastRcvPkts", received
    yield "PortMulticastXmitPkts", 0
    yield "PortMulticastRcvPkts", 0
    yield "CounterSelect2", 0
    yield from _errors(seen, 2**64 - 1)


def _errors(seen: Seen, most: int) -> Iterator[tuple[str, int]]:
    yield "SymbolErrorCounter", min(seen.symbols, most)
    yield "LinkErrorRecoveryCounter", min(seen.downs, most)
    yield "LinkDownedCounter", min(seen.downs, most)
    yield "PortRcvErrors", min(seen.symbols // 7, most)
    yield "PortRcvRemotePhysicalErrors", 0
    yield "PortRcvSwitchRelayErrors", 0
    yield "PortXmitDiscards", 0
    yield "VL15Dropped", 0
    yield "PortXmitWait", seen.waited


def short(seen: Seen) -> Iterator[tuple[str, int]]:
    """`perfquery`: counters of 8, 16 and 32 bits that stop at their largest value."""
    wide = 2**32 - 1
    yield "PortSelect", seen.port
    yield "CounterSelect", 0
    yield "SymbolErrorCounter", min(seen.symbols, 2**16 - 1)
    yield "LinkErrorRecoveryCounter", min(seen.downs, 255)
    yield "LinkDownedCounter", min(seen.downs, 255)
    yield "PortRcvErrors", min(seen.symbols // 7, 2**16 - 1)
    for name in (
        "PortRcvRemotePhysicalErrors",
        "PortRcvSwitchRelayErrors",
        "PortXmitDiscards",
        "PortXmitConstraintErrors",
        "PortRcvConstraintErrors",
        "CounterSelect2",
        "LocalLinkIntegrityErrors",
        "ExcessiveBufferOverrunErrors",
        "QP1Dropped",
        "VL15Dropped",
    ):
        yield name, 0
    yield "PortXmitData", min(seen.sent, wide)
    yield "PortRcvData", min(seen.received, wide)
    yield "PortXmitPkts", min(seen.sent // 1040, wide)
    yield "PortRcvPkts", min(seen.received // 1040, wide)
    yield "PortXmitWait", min(seen.waited, wide)
