"""What the API server knows: nodes and their exporters, from the plant and from when each node started."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE, SECOND
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.gpu_memory import model
from scenarios.troubleshooting.plant import THREADS
from scenarios.troubleshooting.texts.smi_state import driver
from scenarios.troubleshooting.texts.system_commands import TOTAL_GIB
from scenarios.troubleshooting.texts.system_host import boot_ms

VERSION = "v1.29.6+k3s1"
RUNTIME = "containerd://1.7.17-k3s1"
NAMESPACES = (
    "default",
    "gpu-operator",
    "kube-node-lease",
    "kube-public",
    "kube-system",
    "monitoring",
)
_EXPORTERS = (
    ("monitoring", "cadvisor", "gcr.io/cadvisor/cadvisor:v0.49.1"),
    ("monitoring", "ipmi-exporter", "prometheuscommunity/ipmi-exporter:v1.8.0"),
    ("monitoring", "node-exporter", "quay.io/prometheus/node-exporter:v1.8.2"),
    ("gpu-operator", "gpu-feature-discovery", "nvcr.io/nvidia/k8s-device-plugin:v0.15.0"),
)
"""Daemon sets: namespace, name, image. Each has one pod on every GPU node."""
MANAGER = "slurmctl01"


@dataclass(frozen=True, slots=True)
class KubeNode:
    """One node of Kubernetes. `made_ms` is when it joined, `ready_ms` when its kubelet last became ready."""

    name: str
    roles: str
    address: str
    made_ms: int
    ready_ms: int
    labels: tuple[tuple[str, str], ...]
    boot_id: str


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod; all of them run, and restarted when their node did."""

    namespace: str
    name: str
    owner: str
    image: str
    node: str
    address: str
    made_ms: int
    started_ms: int
    restarts: int


def _word(*parts: object) -> int:
    return crc32(" ".join(map(str, parts)).encode())


def _letters(number: int, count: int) -> str:
    """Letters as Kubernetes draws them for names: no vowels."""
    signs, found = "bcdfghjklmnpqrstvwxz2456789", ""
    for _ in range(count):
        number, place = divmod(number, len(signs))
        found += signs[place]
    return found


def kube_nodes(site: Site) -> list[KubeNode]:
    """The controller's host as the control plane, then every GPU server."""
    return site.kept("kube nodes", lambda: _nodes(site))


def _nodes(site: Site) -> list[KubeNode]:
    incident = site.incident
    made = incident.calendar.baseline_start - 190 * DAY
    control = incident.plant.controller
    boot = boot_ms(incident, control, site.traces)
    base = (("kubernetes.io/arch", "amd64"), ("kubernetes.io/os", "linux"))
    found = [
        KubeNode(
            control, "control-plane,master", site.addresses[control], made, boot + 70 * SECOND,
            (*base, ("kubernetes.io/hostname", control), ("node-role.kubernetes.io/control-plane", "true")),
            _boot_id(site, control),
        )
    ]  # fmt: skip
    for node in incident.plant.nodes:
        version, _ = driver(incident, node.name, site.looked_ms)
        product = incident.plant.gpu_product.replace(" ", "-")
        labels = (
            *base,
            ("kubernetes.io/hostname", node.name),
            ("nvidia.com/cuda.driver-version.full", version),
            ("nvidia.com/gpu.count", str(len(node.gpus))),
            ("nvidia.com/gpu.family", _family(site)),
            ("nvidia.com/gpu.memory", str(incident.plant.memory_mib)),
            ("nvidia.com/gpu.product", product),
            ("topology.kubernetes.io/rack", node.rack),
        )
        ready = boot_ms(incident, node.name, site.traces) + 100 * SECOND
        at = made + (20 + node.index) * MINUTE
        found.append(
            KubeNode(
                node.name, "<none>", node.host_ip, at, ready, labels, _boot_id(site, node.name)
            )
        )
    return found


def _family(site: Site) -> str:
    return {"A": "ampere", "H": "hopper", "B": "blackwell"}[model(site.incident.plant)[0]]


def _boot_id(site: Site, host: str) -> str:
    one, two = _word(site.incident.seed, host, "boot"), _word(site.incident.seed, host, "id")
    return f"{one:08x}-{two & 0xFFFF:04x}-4{two >> 20:03x}-a{one & 0xFFF:03x}-{one ^ two:08x}{two & 0xFFFF:04x}"


def pods(site: Site) -> list[Pod]:
    """The control plane's few, then every exporter on every node, by namespace and name."""
    return site.kept("kube pods", lambda: sorted(_pods(site), key=lambda p: (p.namespace, p.name)))


def _pods(site: Site) -> list[Pod]:
    nodes = kube_nodes(site)
    control, workers = nodes[0], nodes[1:]
    made = control.made_ms + 5 * MINUTE
    found = []
    for number, (name, image) in enumerate(
        (
            ("coredns", "rancher/mirrored-coredns-coredns:1.10.1"),
            ("metrics-server", "rancher/mirrored-metrics-server:v0.7.0"),
        )
    ):
        suffix = f"{_letters(_word(name), 9)}-{_letters(_word(name, 1), 5)}"
        found.append(
            Pod(
                "kube-system",
                f"{name}-{suffix}",
                f"ReplicaSet/{name}",
                image,
                control.name,
                f"10.42.0.{number + 4}",
                made,
                control.ready_ms,
                0,
            )
        )
    # They were renewed some weeks before the run to compare with; the maintenance restarted them once.
    since = site.incident.calendar.baseline_start - 26 * DAY - 3 * HOUR
    for namespace, name, image in _EXPORTERS:
        for node in workers:
            own = f"{name}-{_letters(_word(site.incident.seed, name, node.name), 5)}"
            found.append(Pod(namespace, own, f"DaemonSet/{name}", image, node.name, node.address, since,
                             node.ready_ms + 12 * SECOND, 1))  # fmt: skip
    return found


def daemon_sets(site: Site) -> list[tuple[str, str, int, int]]:
    """(namespace, name, pods, created) of every daemon set."""
    since = site.incident.calendar.baseline_start - 190 * DAY + HOUR
    return [(namespace, name, len(site.nodes), since) for namespace, name, _ in sorted(_EXPORTERS)]


def memory_kib() -> int:
    return TOTAL_GIB * 2**20


def cpus(node: KubeNode) -> int:
    return 64 if node.roles != "<none>" else THREADS
