"""InfiniBand: the adapters as node_exporter shows them, the ports of leaves and spines from the subnet manager.

Adapters are scraped every 30 s, switch ports every minute. What a port receives its peer has sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenarios.troubleshooting.calendar import CELL
from scenarios.troubleshooting.columns import Block, Labels, Metric
from scenarios.troubleshooting.faults.transport import AcsEnabled, PcieDowntrained
from scenarios.troubleshooting.faults.uplinks import FULL, FabricNeighbour, SpineDown
from scenarios.troubleshooting.herrings.in_place import OldSymbols
from scenarios.troubleshooting.plant import Cable, Hca, Node, Switch
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.activity import Activity
from scenarios.troubleshooting.signals.stage import Stage

ADAPTERS, SWITCHES = "node_exporter", "ib_exporter"
EVERY, EVERY_SWITCH = 30, 60
BYTES = 2.0**28
"""Quantum of the traffic counters: 256 MiB, what a busy port moves in a few hundredths of a second."""
CROSSING = 0.5
"""Part of a training's traffic that changes rails and crosses the spines: `physics.CROSS` of `physics.NIC`."""
WAITING = 4.0e4
"""Ticks of xmit-wait that a healthy busy port collects in a second (vendor's clock; compare ratios only)."""
_IB = "node_infiniband_"
_PORT = "ib_switch_port_"


def _adapter(name: str, kind: str, about: str, quantum: float = 1.0) -> Metric:
    return Metric(f"{_IB}{name}", kind, about, ADAPTERS, EVERY, quantum)


def _port(name: str, about: str, quantum: float = 1.0) -> Metric:
    return Metric(f"{_PORT}{name}", "counter", about, SWITCHES, EVERY_SWITCH, quantum)


METRICS = (
    _adapter(
        "port_data_transmitted_bytes_total",
        "counter",
        "Number of data octets sent on all links",
        BYTES,
    ),
    _adapter(
        "port_data_received_bytes_total",
        "counter",
        "Number of data octets received on all links",
        BYTES,
    ),
    _adapter(
        "link_downed_total", "counter", "Number of times the link failed to recover and went down"
    ),
    _adapter("rate_bytes_per_second", "gauge", "Maximum signal transfer rate", 1e6),
    _adapter("state_id", "gauge", "State of the InfiniBand port (4: active)"),
    _port("xmit_data_bytes_total", "Bytes that the port has sent.", BYTES),
    _port("rcv_data_bytes_total", "Bytes that the port has received.", BYTES),
    _port("xmit_wait_total", "Ticks for which the port had data to send and no credit.", 1e4),
    _port("symbol_errors_total", "Symbol errors on the port."),
    _port("link_downed_total", "Times the link went down."),
)


class Traffic:
    """GB/s that every adapter sends, on the grid, collected node by node; then the switches' view.

    `minutes` are those whose counters are kept when the switches are told of: in `shown`, by switch and
    metric, a row for each port.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.sent: dict[str, Array] = {}
        self.minutes: tuple[int, ...] = ()
        self.shown: dict[tuple[str, str], tuple[tuple[Labels, ...], NDArray[np.int64]]] = {}

    def keep(self, minutes: Iterable[int]) -> None:
        """Keep the switches' counters of these minutes of the window, the last one for any after it."""
        wanted = tuple(sorted({min(max(one, 0), self.last) for one in minutes}))
        if not set(wanted) <= set(self.minutes):
            self.minutes, self.shown = wanted, {}

    def adapters(self, node: Node, doing: Activity) -> Iterator[Block]:
        """The adapters of one node."""
        stage = self.stage
        thin = slice(None, None, EVERY * 1_000 // CELL)
        shake = stage.noise.bell(f"wire {node.name}", len(node.hcas), stage.cells)
        rates = doing.wire * (1 + 0.012 * shake) * (doing.wire > 0.01)
        fallen = np.zeros((len(node.hcas), stage.cells))[:, thin]
        for row, hca in enumerate(node.hcas):
            if stage.departs(hca.name, "symbol_errors"):
                downs = _downs(stage, hca)
                rates[row] *= 1 - 0.6 * downs
                fallen[row] = np.cumsum(downs)[thin]
        minutes = (len(node.hcas), -1, EVERY_SWITCH * 1_000 // CELL)
        sent = rates.reshape(minutes).mean(axis=2).astype(np.float64)
        self.sent |= zip((hca.name for hca in node.hcas), sent, strict=True)
        bytes_ = np.cumsum(rates.astype(np.float64), axis=1)[:, thin] * (CELL / 1_000) * 1e9
        named: tuple[Labels, ...] = tuple(
            (("instance", f"{node.name}:9100"), ("device", hca.device), ("port", "1"))
            for hca in node.hcas
        )
        gaps = stage.gaps(node.name, EVERY)
        rated = [stage.over(hca.name, "rate_gbps")[thin] / 8 * 1e9 for hca in node.hcas]
        found = {
            "port_data_transmitted_bytes_total": _boot(stage, node.hcas, "tx") + bytes_,
            "port_data_received_bytes_total": _boot(stage, node.hcas, "rx") + bytes_,
            "link_downed_total": fallen,
            "rate_bytes_per_second": np.array(rated),
            "state_id": np.full(bytes_.shape, 4),
        }
        for metric in METRICS[: len(found)]:
            values = np.rint(found[metric.name.removeprefix(_IB)] / metric.quantum).astype(np.int64)
            yield Block(metric.name, node.name, named, values, gaps)

    def knows(self, node: Node) -> bool:
        """Whether the node's adapters have been collected."""
        return all(hca.name in self.sent for hca in node.hcas)

    def switches(self) -> Iterator[Block]:
        """Every cabled port of leaves and spines; called when all adapters are known."""
        stage = self.stage
        out = stage.told(SpineDown)
        spines: dict[str, list[tuple[int, Array, Array, Array]]] = {
            s.name: [] for s in stage.plant.spines
        }
        for leaf in stage.plant.leaves:
            ports = self._down(leaf) + self._up(leaf, "" if out is None else out.spine)
            yield from self._blocks(leaf, [port[:4] for port in ports])
            for _, sent, received, waited, far in ports:
                if far:
                    spine, _, number = far.partition("/")
                    spines[spine].append((int(number), received, sent, waited * 0.6))
        for top in stage.plant.spines:
            yield from self._blocks(top, sorted(spines[top.name], key=lambda port: port[0]))

    def _hosts(self, leaf: Switch) -> list[tuple[Node, Hca]]:
        found = [(n, h) for n in self.stage.hosts for h in n.hcas if h.leaf == leaf.name]
        return sorted(found, key=lambda pair: pair[1].leaf_port)

    def _down(self, leaf: Switch) -> list[tuple[int, Array, Array, Array, str]]:
        """Ports to hosts: what they send waits only where a host takes its data slowly."""
        found = []
        slow = slow_receivers(self.stage)
        for _, hca in self._hosts(leaf):
            sent = self.sent[hca.name]
            waited = WAITING * sent / 10.0 * slow.get(hca.name, 1.0)
            found.append((hca.leaf_port, sent, sent, waited, ""))
        return found

    def _up(self, leaf: Switch, out: str) -> list[tuple[int, Array, Array, Array, str]]:
        """Ports to the spines share what leaves the leaf; those to a spine that is out carry nothing."""
        stage = self.stage
        foreign = self._minute(stage.over(leaf.name, "foreign_gbps")) / 8
        cables = stage.plant.uplinks(leaf.name)
        alive = [c for c in cables if not c.b.startswith(f"{out}/")] if out else list(cables)
        full = crowded(stage, leaf, alive)
        usual = self._leaving(leaf, foreign) / len(alive)
        most = FULL * stage.plant.port_gbps / 8
        times, calm = (self._minute(values) for values in self._waits(leaf))
        found = []
        for cable in cables:
            number = int(cable.a.rpartition("/")[2])
            sent = usual * (0.85 + 0.3 * stage.noise.unit(f"spread {cable.a}")) * (cable in alive)
            if cable in full:
                sent = np.minimum(sent + foreign / len(full), most)
            waited = WAITING * 3.0 * sent / 10.0 * (times if cable in full or not full else calm)
            found.append((number, sent, sent * 0.98, waited, cable.b))
        return found

    def _leaving(self, leaf: Switch, foreign: Array) -> Array:
        """GB/s from the leaf's hosts to the spines, without the other job's while that is told apart."""
        other = self.stage.told(FabricNeighbour)
        apart = () if other is None else other.nodes
        total = np.zeros(self._minutes)
        for node, hca in self._hosts(leaf):
            counted = foreign == 0 if node.name in apart else 1.0
            total = total + self.sent[hca.name] * CROSSING * counted
        return total

    def _waits(self, leaf: Switch) -> tuple[Array, Array]:
        """Times as long as in health that uplinks wait: where the other job's traffic goes, and elsewhere."""
        stage = self.stage
        elsewhere = stage.condition.without(FabricNeighbour.key).over(leaf.name, "xmit_wait")
        usual = np.ones(stage.cells) if elsewhere is None else elsewhere
        return stage.over(leaf.name, "xmit_wait"), usual

    @property
    def last(self) -> int:
        """The window's last minute."""
        return self._minutes - 1

    @property
    def _minutes(self) -> int:
        return self.stage.cells * CELL // (EVERY_SWITCH * 1_000)

    def _minute(self, values: Array) -> Array:
        return values[:: EVERY_SWITCH * 1_000 // CELL]

    def _blocks(
        self, switch: Switch, ports: list[tuple[int, Array, Array, Array]]
    ) -> Iterator[Block]:
        if not ports:
            return
        stage = self.stage
        named: tuple[Labels, ...] = tuple(
            (("switch", switch.name), ("guid", f"0x{switch.guid}"), ("port", str(port[0])))
            for port in ports
        )
        shake = stage.noise.bell(f"wait {switch.name}", len(ports), self._minutes)
        waits = np.array([port[3] for port in ports]) * (1 + 0.1 * shake)
        errors, downs = self._errors(switch, [port[0] for port in ports])
        unit = np.array([stage.noise.unit(f"{switch.name} {port[0]}") for port in ports])[:, None]
        lively = np.array([port[1].max() > 0 for port in ports])[:, None]
        found = {
            "xmit_data_bytes_total": _counted([p[1] for p in ports], unit * 4e14 * lively, 1e9),
            "rcv_data_bytes_total": _counted([p[2] for p in ports], unit * 4e14 * lively, 1e9),
            "xmit_wait_total": _counted(np.maximum(waits, 0), unit * 2e9, 1.0),
            "symbol_errors_total": errors,
            "link_downed_total": downs,
        }
        for metric in METRICS[5:]:
            values = found[metric.name.removeprefix(_PORT)]
            values /= metric.quantum
            whole = np.rint(values, out=values).astype(np.int64)
            self.shown[switch.name, metric.name] = named, whole[:, self.minutes]
            yield Block(metric.name, switch.name, named, whole)

    def _errors(self, switch: Switch, ports: list[int]) -> tuple[Array, Array]:
        """Symbol errors and downs of each port: the leaf's side of a bad cable, and old ones that stay."""
        stage = self.stage
        errors, downs = np.zeros((2, len(ports), self._minutes))
        old = stage.told(OldSymbols)
        for node in stage.hosts:
            for hca in node.hcas:
                rate = stage.condition.over(hca.name, "symbol_errors")
                if rate is not None and hca.leaf == switch.name and hca.leaf_port in ports:
                    row = ports.index(hca.leaf_port)
                    errors[row] = self._minute(np.cumsum(rate) * (CELL / 3_600_000))
                    downs[row] = self._minute(np.cumsum(_downs(stage, hca)))
        if old is not None and old.switch == switch.name and old.port in ports:
            errors[ports.index(old.port)] += old.count
        return np.floor(errors), downs


def _counted(rates: ArrayLike, before: Array, unit: float) -> Array:
    """What counters show that stood at `before` (one a row) and grow by `rates` of `unit` a second."""
    found: Array = np.array(rates, np.float64)
    np.cumsum(found, axis=1, out=found)
    found *= float(EVERY_SWITCH)
    found *= unit
    found += before
    return found


@lru_cache(maxsize=2)  # the slow run's and the one to compare with
def traffic_of(stage: Stage) -> Traffic:
    """The stage's traffic, as far as it has been collected: the metrics and the switches' tools share it."""
    return Traffic(stage)


def crowded(stage: Stage, leaf: Switch, alive: Sequence[Cable]) -> tuple[Cable, ...]:
    """Uplinks of a leaf on which another job's traffic meets the training's; none without such a job."""
    other = stage.told(FabricNeighbour)
    if other is None or leaf.name not in other.leaves:
        return ()
    return other.crowded(alive, stage.plant.port_gbps, stage.seed)


def slow_receivers(stage: Stage) -> Mapping[str, float]:
    """Adapters behind a slow way to memory: their leaf's port waits for credit so many times as long."""
    found: dict[str, float] = {}
    acs, narrow = stage.told(AcsEnabled), stage.told(PcieDowntrained)
    if acs is not None:
        found |= {h.name: 25.0 for n in stage.hosts if n.name in acs.nodes for h in n.hcas}
    if narrow is not None:
        found[f"{narrow.node}/mlx5_{narrow.gpu}"] = 25.0
    return found


def _downs(stage: Stage, hca: Hca) -> Array:
    """1 in the cell in which the link goes down: forty seconds into each burst of symbol errors."""
    found = np.zeros(stage.cells)
    rate = stage.condition.over(hca.name, "symbol_errors")
    if rate is not None:
        high = rate > (rate.min() + rate.max()) / 2
        begins = np.flatnonzero(high[1:] & ~high[:-1]) + 1
        found[np.minimum(begins + 2, stage.cells - 1)] = 1.0
    return found


def _boot(stage: Stage, hcas: tuple[Hca, ...], way: str) -> Array:
    """What each adapter had moved when the window began."""
    units = [stage.noise.unit(f"{way} {hca.guid}") for hca in hcas]
    return np.array(units)[:, None] * 6e14 + 2e13
