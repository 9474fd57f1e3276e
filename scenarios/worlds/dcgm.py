"""What Prometheus finds at dcgm-exporter and its like: texts of one scrape.

Names, help texts and label order of the GPU metrics are those of dcgm-exporter 4 (domain handbook 1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

DRIVER = "580.95.05"
TEXTS = {
    "DCGM_FI_DEV_SM_CLOCK": "SM clock frequency (in MHz).",
    "DCGM_FI_DEV_GPU_TEMP": "GPU temperature (in C).",
    "DCGM_FI_DEV_POWER_USAGE": "Power draw (in W).",
    "DCGM_FI_DEV_GPU_UTIL": "GPU utilization (in %).",
    "DCGM_FI_DEV_XID_ERRORS": "Value of the last XID error encountered.",
    "DCGM_FI_DEV_FB_USED": "Framebuffer memory used (in MiB).",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "Ratio of time the graphics engine is active.",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "Ratio of cycles the tensor (HMMA) pipe is active.",
}

Samples = Iterable[tuple[str, object]]
"""(labels as they stand between the braces, value)"""
Metric = tuple[str, str, Samples]
"""(name, help text, samples)"""


def scrape(metrics: Iterable[Metric]) -> str:
    """The metrics, all of them gauges, as an exporter answers them."""
    lines: list[str] = []
    for name, text, samples in metrics:
        lines += [f"# HELP {name} {text}", f"# TYPE {name} gauge"]
        lines += [f"{name}{{{labels}}} {value}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def uuid(name: str) -> str:
    """A GPU's UUID; the same for the same name."""
    code = sha256(name.encode()).hexdigest()
    return "GPU-" + "-".join((code[:8], code[8:12], code[12:16], code[16:20], code[20:32]))


def labels(gpu: int, name: str, bus: Sequence[str], product: str, host: str, part: str = "") -> str:
    """The labels of a GPU: its index on the host, its UUID's name, and `part` for an instance of it."""
    head = f'gpu="{gpu}",UUID="{uuid(name)}",pci_bus_id="00000000:{bus[gpu]}:00.0"'
    whose = f'{part}Hostname="{host}",DCGM_FI_DRIVER_VERSION="{DRIVER}"'
    return f'{head},device="nvidia{gpu}",modelName="{product}",{whose}'
