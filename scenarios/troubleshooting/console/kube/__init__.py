"""kubectl: the small Kubernetes that runs exporters beside Slurm."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import CONTROLLER, LOGIN, OTHER, Command
from scenarios.troubleshooting.console.kube.kubectl import kubectl

COMMANDS = {
    "kubectl": Command(
        kubectl,
        (LOGIN, CONTROLLER, OTHER),
        "get and describe nodes, pods, daemonsets, events; it runs exporters only, jobs are Slurm's.",
    )
}
