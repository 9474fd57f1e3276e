"""Causes on the way between a GPU and its adapter, or in NCCL's choice of adapters; all nodes pay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import HOUR, MINUTE
from scenarios.troubleshooting.condition import JOB, Effect
from scenarios.troubleshooting.faults.base import Fault, Past, Scene, during
from scenarios.troubleshooting.physics import NIC, path_gbytes, rail_gbytes
from scenarios.troubleshooting.plant import Plant
from scenarios.troubleshooting.traces import Mark, Trace


def gbytes_for(plant: Plant, seconds: float) -> float:
    """What is left of an adapter's way (GB/s, one decimal) when its traffic takes `seconds` longer."""
    return round(rail_gbytes(plant) / (1 + seconds / NIC), 1)


def seconds_for(plant: Plant, gbytes: float) -> float:
    """The reverse: seconds per step lost when one way moves only `gbytes` GB/s."""
    return NIC * (rail_gbytes(plant) / gbytes - 1)


@dataclass(frozen=True)
class AdaptersLeftOut(
    Fault,
    key="nccl-adapters-left-out",
    number=9,
    group="wire",
    component="communication",
    costs=(0.3, 0.9),
):
    rails: int
    used: int
    script: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        rails = scene.plant.gpus_per_node
        counts = range(rails // 2, rails)
        used = min(counts, key=lambda n: abs(NIC * (rails / n - 1) - seconds))
        return cls(NIC * (rails / used - 1), rails, used, scene.training.script)

    def effects(self) -> tuple[Effect, ...]:
        return (self.effect(JOB, "rails", self.used / self.rails),)

    def places(self) -> tuple[str, ...]:
        return (JOB,)

    def facts(self) -> dict[str, object]:
        return super().facts() | {"unused": self.rails - self.used, "lastused": self.used - 1}

    def traces(self, past: Past) -> Iterator[Trace]:
        listed = ",".join(f"mlx5_{i}" for i in range(self.used))
        yield self.trace(
            "config.setting",
            past.calendar.job_start - 8 * HOUR,
            past.plant.login,
            path=self.script,
            key="NCCL_IB_HCA",
            before="mlx5",
            after=f"={listed}",
        )
        for rank in range(0, past.training.ranks, self.rails):
            node, _ = past.training.place(rank)
            devices = " ".join(f"[{i}]mlx5_{i}:1/IB" for i in range(self.used))
            yield self.trace(
                "nccl.line",
                past.first_ms - 70_000,
                node.name,
                rank=rank,
                severity="INFO",
                text=f"NCCL_IB_HCA set to ={listed}",
            )
            yield self.trace(
                "nccl.line",
                past.first_ms - 69_000,
                node.name,
                rank=rank,
                severity="INFO",
                text=f"NET/IB : Using {devices} [RO]; OOB bond0:{node.bond_ip}<0>",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        for rail in range(self.used, self.rails):
            idle = "Nearly nothing is sent during the run, on any of its nodes."
            yield self.mark(
                past,
                "node_infiniband_port_data_transmitted_bytes_total",
                idle,
                device=f"mlx5_{rail}",
            )


@dataclass(frozen=True)
class DriverMismatch(
    Fault,
    key="driver-mismatch",
    number=21,
    group="wire",
    component="communication",
    costs=(0.3, 0.95),
):
    nodes: tuple[str, ...]
    gbytes: float
    driver: str
    fleet: str
    rails: int

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        gbytes = gbytes_for(scene.plant, seconds)
        fleet = scene.plant.versions.driver
        older = {"550": "550.90.12", "520": "515.105.01", "570": "570.124.06"}[fleet[:3]]
        nodes = scene.nodes(draw, 2 + int(draw.between(0, 2)))
        return cls(
            seconds=seconds_for(scene.plant, gbytes),
            nodes=tuple(node.name for node in nodes),
            gbytes=gbytes,
            driver=older,
            fleet=fleet,
            rails=scene.plant.gpus_per_node,
        )

    def effects(self) -> tuple[Effect, ...]:
        return tuple(self.effect(node, "gdr_gbytes", self.gbytes) for node in self.nodes)

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="m.ferrari",
            status="closed",
            title=f"Rolling driver update to {self.fleet}",
            text=(
                "Updated rack by rack while nodes were empty. A few nodes were busy and will follow with "
                "the next drain; closing, as the rest is done."
            ),
        )
        for node in self.nodes:
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="nvidia-smi",
                shows=f"Driver Version: {self.driver} (fleet: {self.fleet})",
            )
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="lsmod | grep peermem",
                shows="no output",
            )
            yield self.trace(
                "syslog.line", at + 3 * HOUR, node, unit="systemd-modules-load", severity="err",
                text="Failed to insert module 'nvidia_peermem': Invalid argument",
            )  # fmt: skip
            rank = past.training.rank(node, 0)
            yield self.trace(
                "nccl.line", past.first_ms - 68_000, node, rank=rank, severity="INFO",
                text=f"Channel 00/0 : {rank}[0] -> {(rank + self.rails) % past.training.ranks}[0] "
                "[send] via NET/IB/0",
            )  # fmt: skip

    def marks(self, past: Past) -> Iterator[Mark]:
        pcie = (
            "Higher than on other nodes: traffic goes through host memory and crosses PCIe twice."
        )
        cpu = "System time above that of the other nodes."
        for node in self.nodes:
            yield self.mark(past, "DCGM_FI_PROF_PCIE_RX_BYTES", pcie, node=node)
            yield self.mark(past, "node_cpu_seconds_total", cpu, node=node, mode="system")


@dataclass(frozen=True)
class AcsEnabled(
    Fault,
    key="acs-enabled",
    number=23,
    group="wire",
    component="communication",
    costs=(0.3, 0.95),
    levels=("mid", "senior"),
):
    nodes: tuple[str, ...]
    gbytes: float
    bios: str
    before: str

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        gbytes = gbytes_for(scene.plant, seconds)
        bios = scene.plant.versions.bios
        names = tuple(n.name for n in scene.nodes(draw, 1 + int(draw.between(0, 2))))
        return cls(seconds_for(scene.plant, gbytes), names, gbytes, "2.4.0", bios)

    def effects(self) -> tuple[Effect, ...]:
        return tuple(self.effect(node, "gdr_gbytes", self.gbytes) for node in self.nodes)

    def places(self) -> tuple[str, ...]:
        return self.nodes

    def traces(self, past: Past) -> Iterator[Trace]:
        at = past.calendar.maintenance + 90 * MINUTE
        yield self.trace(
            "ticket.change",
            at,
            "tickets",
            id="",
            who="d.okoye",
            status="closed",
            title=f"BIOS {self.bios} on {', '.join(self.nodes)} (canary)",
            text=(
                f"BIOS updated from {self.before} to {self.bios}, vendor defaults loaded, boot order "
                "restored. Nodes pass the health check. Rest of the fleet after two weeks."
            ),
        )
        for node in self.nodes:
            yield self.trace(
                "dmesg.line",
                at + 8 * MINUTE,
                node,
                text="DMAR: IOMMU enabled",
            )
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="lspci -vvv | grep ACSCtl",
                shows="ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ on every PCIe switch port",
            )
            yield self.trace(
                "state.command",
                past.first_ms,
                node,
                command="ib_write_bw --use_cuda=0",
                shows=f"{self.gbytes:.1f} GB/s from GPU memory, full rate from host memory",
            )

    def marks(self, past: Past) -> Iterator[Mark]:
        slow = (
            "The leaves' ports to this node wait for credit tens of times longer than those to other "
            "nodes: it takes data more slowly than the link brings it."
        )
        for node in self.nodes:
            for hca in past.plant.node(node).hcas:
                metric, port = "ib_switch_port_xmit_wait_total", hca.leaf_port
                yield self.mark(past, metric, slow, switch=hca.leaf, port=port)


@dataclass(frozen=True)
class PcieDowntrained(
    Fault,
    key="pcie-downtrained",
    number=8,
    group="wire",
    component="communication",
    costs=(0.5, 0.95),
):
    node: str
    gpu: int
    bus_id: str
    rank: int
    full_gen: int
    lanes: int
    gbytes: float

    @classmethod
    def strike(cls, scene: Scene, seconds: float, draw: Stream) -> Self:
        plant, node = scene.plant, scene.node(draw)
        gpu = node.gpus[int(draw.between(0, len(node.gpus)))]
        # Half the lanes give half the rate; corrected errors and their replays take up to a tenth more.
        half = path_gbytes(plant) / 2
        gbytes = min(max(gbytes_for(plant, seconds), round(half * 0.88, 1)), round(half, 1))
        return cls(
            seconds=seconds_for(plant, gbytes),
            node=node.name,
            gpu=gpu.index,
            bus_id=gpu.bus_id,
            rank=scene.training.rank(node.name, gpu.index),
            full_gen=5 if plant.port_gbps >= 400 else 4,
            lanes=8,
            gbytes=gbytes,
        )

    def effects(self) -> tuple[Effect, ...]:
        name = f"{self.node}/gpu{self.gpu}"
        return (
            self.effect(f"{self.node}/mlx5_{self.gpu}", "path_gbytes", self.gbytes),
            self.effect(name, "pcie_width", float(self.lanes)),
            self.effect(name, "replays", 420.0),
        )

    def places(self) -> tuple[str, ...]:
        return (f"{self.node}/gpu{self.gpu}", self.node)

    def facts(self) -> dict[str, object]:
        return super().facts() | {"short_bus": self.bus_id.removeprefix("0000").lower()}

    def traces(self, past: Past) -> Iterator[Trace]:
        bus = self.bus_id.removeprefix("0000").lower()
        full, half = ("504.112", "252.056") if self.full_gen == 5 else ("252.048", "126.024")
        rate = "32.0" if self.full_gen == 5 else "16.0"
        boot = past.calendar.maintenance + 2 * HOUR
        yield self.trace(
            "dmesg.line",
            boot,
            self.node,
            text=f"pci {bus}: {half} Gb/s available PCIe bandwidth, limited by {rate} GT/s PCIe x8 link "
            f"(capable of {full} Gb/s with {rate} GT/s PCIe x16 link)",
        )
        for at in during(past, past.draw(self.key), 30, most=24):
            yield self.trace(
                "dmesg.line",
                at,
                self.node,
                text=f"pcieport {bus[:-4]}01.0: AER: Corrected error received: {bus}",
            )
        yield self.trace(
            "state.command",
            past.first_ms,
            self.node,
            command="nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current --format=csv",
            shows=f"GPU {self.gpu}: {self.full_gen}, 8 under load; all others {self.full_gen}, 16",
        )

    def marks(self, past: Past) -> Iterator[Mark]:
        replay = "Grows all through the run; flat on every other GPU."
        yield self.mark(
            past, "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", replay, node=self.node, gpu=self.gpu
        )
        waits = "The leaf's port to this adapter waits for credit tens of times longer than its neighbours."
        hca = past.plant.hca(f"{self.node}/mlx5_{self.gpu}")
        metric = "ib_switch_port_xmit_wait_total"
        yield self.mark(past, metric, waits, switch=hca.leaf, port=hca.leaf_port)
