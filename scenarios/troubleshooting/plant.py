"""What stands in the hall: racks, nodes, GPUs, adapters, switches, cables, storage."""

from __future__ import annotations

from dataclasses import dataclass

CORES_PER_SOCKET = 56
SOCKETS = 2
THREADS = 2 * SOCKETS * CORES_PER_SOCKET
NODE_MEMORY_MIB = 2_000_000
"""What Slurm may give away of a node's 2 TiB."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU. `bus_id` as NVML prints it (eight-digit domain); `numa` is its socket.

    `warmth` is how many degrees C it runs above the mean of its node in health, `pace` its
    compute time in health as a part of the slowest healthy GPU's (0.97 to 1.0).
    """

    node: str
    index: int
    uuid: str
    bus_id: str
    serial: str
    vbios: str
    numa: int
    warmth: float
    pace: float

    @property
    def name(self) -> str:
        return f"{self.node}/gpu{self.index}"

    @property
    def minor(self) -> int:
        return self.index


@dataclass(frozen=True, slots=True)
class Hca:
    """One adapter of the compute fabric; rail i is cabled to leaf i of the node's scalable unit."""

    node: str
    index: int
    guid: str
    port_guid: str
    lid: int
    bus_id: str
    firmware: str
    leaf: str
    leaf_port: int

    @property
    def device(self) -> str:
        return f"mlx5_{self.index}"

    @property
    def netdev(self) -> str:
        return f"ib{self.index}"

    @property
    def name(self) -> str:
        return f"{self.node}/{self.device}"


@dataclass(frozen=True, slots=True)
class Node:
    """A GPU server. `bond_ip` is in-band and storage (2 x 100 GbE), `bmc_ip` out of band."""

    name: str
    index: int
    rack: str
    unit: int
    serial: str
    host_ip: str
    bond_ip: str
    bond_mac: str
    bmc: str
    bmc_ip: str
    fans: tuple[str, ...]
    power_supplies: tuple[str, ...]
    gpus: tuple[Gpu, ...]
    hcas: tuple[Hca, ...]

    def gpu(self, index: int) -> Gpu:
        return self.gpus[index]


@dataclass(frozen=True, slots=True)
class Switch:
    """A leaf or spine of the compute fabric; ports are numbered from 1."""

    name: str
    role: str
    guid: str
    lid: int
    ports: int


@dataclass(frozen=True, slots=True)
class Cable:
    """Joins two ports, each named `device/port`: `gpu-n003/mlx5_2`, `leaf03/17`, `spine1/4`."""

    a: str
    b: str
    serial: str
    part: str
    metres: int


@dataclass(frozen=True, slots=True)
class Ost:
    """An object storage target: `pool` is `flash` or `capacity`, `device` its block device."""

    name: str
    index: int
    oss: str
    pool: str
    device: str
    size_tib: int
    used: float


@dataclass(frozen=True, slots=True)
class Storage:
    """Lustre for data and checkpoints, NFS for homes and the shuffle index."""

    fsname: str
    mount: str
    mds: str
    mds_ip: str
    oss: tuple[str, ...]
    oss_ips: tuple[str, ...]
    osts: tuple[Ost, ...]
    nfs_server: str
    nfs_ip: str
    nfs_export: str
    home: str
    vlan: int

    def flash(self) -> tuple[Ost, ...]:
        return tuple(ost for ost in self.osts if ost.pool == "flash")


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack; `cooler` is the in-row unit that feeds its cold aisle, `pdus` its two feeds."""

    name: str
    cooler: str
    pdus: tuple[str, str]
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """What every node runs unless a fault says otherwise."""

    driver: str
    cuda: str
    nccl: str
    kernel: str
    system: str
    slurm: str
    hca_firmware: str
    bios: str


@dataclass(frozen=True, slots=True)
class Plant:
    """The whole cluster; every name and number that artefacts share is here and nowhere else.

    `management_switch` and `storage_switches` are Ethernet, the rest of `switches` InfiniBand.
    `nvlinks` is the number of links of one GPU, `peer_gbps` the rate of an adapter (Gb/s).
    """

    cluster: str
    domain: str
    gpu_product: str
    top_mhz: int
    top_w: int
    idle_w: int
    idle_mhz: int
    memory_mib: int
    nvlinks: int
    port_gbps: int
    versions: Versions
    racks: tuple[Rack, ...]
    nodes: tuple[Node, ...]
    leaves: tuple[Switch, ...]
    spines: tuple[Switch, ...]
    cables: tuple[Cable, ...]
    storage: Storage
    login: str
    controller: str
    management_switch: str
    storage_switches: tuple[str, str]

    def node(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def gpu(self, name: str) -> Gpu:
        """By `node/gpuN`."""
        node, _, index = name.rpartition("/gpu")
        return self.node(node).gpus[int(index)]

    def hca(self, name: str) -> Hca:
        """By `node/mlx5_N`."""
        node, _, index = name.rpartition("/mlx5_")
        return self.node(node).hcas[int(index)]

    def rack(self, name: str) -> Rack:
        return next(rack for rack in self.racks if rack.name == name)

    def uplinks(self, leaf: str) -> tuple[Cable, ...]:
        """Cables from a leaf to the spines, in order of the leaf's ports; end `a` is the leaf's."""
        return tuple(c for c in self.cables if c.a.startswith(f"{leaf}/"))

    @property
    def gpus_per_node(self) -> int:
        return len(self.nodes[0].gpus)
