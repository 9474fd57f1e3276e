"""`kubectl describe` of a node and of a pod."""

from __future__ import annotations

from datetime import UTC, datetime

from scenarios.troubleshooting.console.command import joined
from scenarios.troubleshooting.console.kube.objects import (
    RUNTIME,
    VERSION,
    KubeNode,
    Pod,
    cpus,
    memory_kib,
    pods,
)
from scenarios.troubleshooting.console.site import Site

_HEADS = ("Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason")
_CONDITION = "  {:<17}{:<8}{:<34}{:<34}{}"


def _when(site: Site, at_ms: int) -> str:
    return f"{site.incident.calendar.local(at_ms):%a, %d %b %Y %H:%M:%S %z}"


def describe_node(site: Site, node: KubeNode) -> str:
    """Labels, taints, conditions, what it is, and its pods. GPUs are Slurm's and are not given out here."""
    versions, worker = site.incident.plant.versions, node.roles == "<none>"
    own = [pod for pod in pods(site) if pod.node == node.name]
    memory = memory_kib() if worker else 527_852_544
    rows = [f"Name:               {node.name}", f"Roles:              {node.roles}"]
    for number, (name, value) in enumerate(node.labels):
        rows.append(f"{'Labels:' if number == 0 else '':<20}{name}={value}")
    taint = "slurm.schedmd.com/managed=true:NoSchedule" if worker else "<none>"
    rows += [
        f"CreationTimestamp:  {_when(site, node.made_ms)}",
        f"Taints:             {taint}",
        "Unschedulable:      false",
        "Conditions:",
        _CONDITION.format(*_HEADS),
    ]
    beat = _when(site, site.now_ms - 41_000)
    for name, status, reason in (
        ("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID"),
        ("Ready", "True", "KubeletReady"),
    ):
        rows.append(_CONDITION.format(name, status, beat, _when(site, node.ready_ms), reason))
    rows += ["Addresses:", f"  InternalIP:  {node.address}", f"  Hostname:    {node.name}"]
    for head in ("Capacity:", "Allocatable:"):
        rows += [head, f"  cpu:     {cpus(node)}", f"  memory:  {memory}Ki", "  pods:    110"]
    rows += ["System Info:", f"  Boot ID:                    {node.boot_id}",
             f"  Kernel Version:             {versions.kernel}",
             f"  OS Image:                   {versions.system}",
             "  Operating System:           linux", "  Architecture:               amd64",
             f"  Container Runtime Version:  {RUNTIME}", f"  Kubelet Version:            {VERSION}",
             f"Non-terminated Pods:          ({len(own)} in total)",
             f"  {'Namespace':<16}{'Name':<34}CPU Requests  Memory Requests"]  # fmt: skip
    rows += [f"  {pod.namespace:<16}{pod.name:<34}100m (0%)     64Mi (0%)" for pod in own]
    return joined([*rows, "Events:              <none>"])


def describe_pod(site: Site, pod: Pod) -> str:
    kind, _, owner = pod.owner.partition("/")
    started = datetime.fromtimestamp(pod.started_ms // 1000, UTC)
    rows = [
        f"Name:             {pod.name}",
        f"Namespace:        {pod.namespace}",
        f"Node:             {pod.node}/{pod.address}",
        f"Start Time:       {_when(site, pod.made_ms)}",
        f"Labels:           app={owner}",
        "Status:           Running",
        f"IP:               {pod.address}",
        f"Controlled By:    {kind}/{owner}",
        "Containers:",
        f"  {owner}:",
        f"    Image:          {pod.image}",
        "    State:          Running",
        f"      Started:      {started:%a, %d %b %Y %H:%M:%S +0000}",
        "    Ready:          True",
        f"    Restart Count:  {pod.restarts}",
    ]
    if pod.restarts:
        rows.insert(
            12,
            "    Last State:     Terminated\n      Reason:       Unknown\n      Exit Code:    255",
        )
    return joined([*rows, "Events:            <none>"])
