"""GPU models: what telemetry of one looks like, and what a node of eight of them usually is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuModel:
    """What telemetry of a GPU model looks like: clocks in MHz, power in W, memory in MiB.

    Figures: domain handbook 2.1 (top clock, board power, idle power, memory). `link` is what joins the GPUs
    of a node, `link_gbs` GB/s of one GPU's links both ways; `price_usd` is of one GPU, 0 if a node's is known.
    """

    name: str
    product: str
    top_mhz: int
    idle_mhz: int
    top_w: int
    idle_w: int
    memory_mib: int
    vendor: str = "NVIDIA"
    link: str = "NVLink"
    link_gbs: int = 900
    has_mig: bool = True
    price_usd: float = 0.0


GPU_MODELS = {
    gpu.name: gpu
    for gpu in (
        GpuModel("A100", "NVIDIA A100-SXM4-80GB", 1410, 210, 400, 60, 81_920, link_gbs=600),
        GpuModel("H100", "NVIDIA H100 80GB HBM3", 1980, 345, 700, 78, 81_559),
        GpuModel("H200", "NVIDIA H200", 1980, 345, 700, 80, 143_771),
        GpuModel("B200", "NVIDIA B200", 1965, 345, 1000, 130, 183_359, link_gbs=1800),
        GpuModel(
            "L40S",
            "NVIDIA L40S",
            2520,
            210,
            350,
            35,
            46_068,
            link="PCIe",
            link_gbs=64,
            has_mig=False,
        ),
        GpuModel(
            "MI300X", "AMD Instinct MI300X", 2100, 132, 750, 140, 196_592, "AMD", "xGMI", 896, False
        ),
    )
}
"""The models whose figures we know; a profile may bring others with figures of its own."""


NO_MODELS: Mapping[str, GpuModel] = {}


@dataclass(frozen=True, slots=True)
class Build:
    """A usual node of eight GPUs of one model.

    power_kw: most it draws; price_usd: purchase; memory_gib: the host's memory. From the domain
    handbook 2.4 (power, units) and 2.9 (prices); A100, H200 and smaller cards are assumptions between those.
    """

    power_kw: float
    rack_units: int
    price_usd: float
    cpus: int
    memory_gib: int
    nvme_tb: float


BUILDS = {
    "none": Build(0.8, 1, 14_000.0, 64, 512, 1.9),
    "T4": Build(1.4, 4, 38_000.0, 48, 384, 3.8),
    "L4": Build(1.5, 4, 46_000.0, 64, 512, 3.8),
    "A10G": Build(2.4, 4, 62_000.0, 96, 512, 7.6),
    "L40S": Build(4.2, 4, 105_000.0, 96, 1024, 15.4),
    "V100": Build(3.5, 4, 90_000.0, 40, 768, 7.7),
    "A100": Build(6.5, 6, 165_000.0, 128, 1024, 15.4),
    "H100": Build(10.2, 8, 310_000.0, 112, 2048, 30.7),
    "H200": Build(10.2, 8, 330_000.0, 112, 2048, 30.7),
    "B200": Build(14.3, 10, 515_000.0, 112, 2048, 30.7),
    "B300": Build(14.5, 10, 560_000.0, 112, 2048, 30.7),
    "GB200": Build(14.0, 8, 600_000.0, 144, 1920, 30.7),
    "MI300X": Build(9.6, 8, 250_000.0, 128, 2304, 30.7),
    "MI325X": Build(12.0, 8, 290_000.0, 128, 3072, 30.7),
    "MI355X": Build(16.5, 10, 400_000.0, 128, 3072, 30.7),
}
"""Model (or "none": a node without GPUs) -> its usual build. The models that a company may own."""


def build_for(model: GpuModel) -> Build:
    """A usual node of eight GPUs that we know by their own figures only: half more power than the GPUs draw,
    and a fifth more than their price. Assumptions, between the nodes above."""
    kw = round(8 * model.top_w * 1.5 / 1000 + 0.8, 1)
    memory = max(512, 2 * 8 * model.memory_mib // 1024)
    return Build(kw, 8 if kw > 6 else 4, round(8 * model.price_usd * 1.2, -2), 128, memory, 30.7)


def build_of(gpu: str, gpus: int, own: Mapping[str, GpuModel] = NO_MODELS) -> Build:
    """The usual node of that many GPUs: a smaller one has its share of power, space and price.

    `own` are models that the profile brings.
    """
    whole = build_for(own[gpu]) if gpu in own else BUILDS[gpu]
    if gpu == "none" or gpus == 8:
        return whole
    part = 0.1 + 0.9 * gpus / 8  # a tenth is chassis, fans and host, however few GPUs there are
    return Build(
        power_kw=round(whole.power_kw * part, 2),
        rack_units=max(1, round(whole.rack_units * part)),
        price_usd=float(round(whole.price_usd * part, -2)),
        cpus=max(8, whole.cpus * gpus // 8),
        memory_gib=max(64, whole.memory_gib * gpus // 8),
        nvme_tb=round(whole.nvme_tb * part, 1),
    )
