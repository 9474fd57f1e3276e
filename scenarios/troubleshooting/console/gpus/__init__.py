"""nvidia-smi and dcgmi."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import NODE, Command
from scenarios.troubleshooting.console.gpus.dcgmi import dcgmi
from scenarios.troubleshooting.console.gpus.smi import nvidia_smi

COMMANDS = {
    "nvidia-smi": Command(
        nvidia_smi,
        (NODE, "login"),
        "State of the GPUs of a node: table, -L, -q, --query-gpu, dmon, pmon, topo, nvlink.",
    ),
    "dcgmi": Command(
        dcgmi,
        (NODE, "login"),
        "Data Center GPU Manager of a node: discovery, health, diag, dmon, nvlink; --host asks another node.",
    ),
}
