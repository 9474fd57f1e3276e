"""kubectl: the small Kubernetes that runs exporters beside Slurm."""

from __future__ import annotations

from scenarios.incident.console.command import CONTROLLER, LOGIN, OTHER, Command
from scenarios.incident.console.kube.kubectl import kubectl

COMMANDS = {
    "kubectl": Command(
        kubectl, (LOGIN, CONTROLLER, OTHER),
        "get and describe nodes, pods, daemonsets, events; it runs exporters only, jobs are Slurm's.",
    )
}  # fmt: skip
