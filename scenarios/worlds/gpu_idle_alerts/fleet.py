"""The servers, their GPUs and MIG slices, and the teams around them; no behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from scenarios.company.profile import GpuModel
from scenarios.worlds import reading

_DATA = reading.table(__file__, "data.toml")
GPUS: Mapping[str, Mapping[str, Any]] = _DATA["gpus"]
"""By model: `hottest` operating temperature in °C, `mig` profiles of four and of two memory slices,
`usable_gib` of a whole GPU."""
OPS = "ops"


@dataclass(frozen=True, slots=True)
class Server:
    """`lanes` are the sizes of job that its GPUs are cut up for; `joins` in ticks."""

    name: str
    zone: str
    lanes: tuple[int, ...]
    joins: int = 0
    mig: bool = False
    contract: str = ""

    @property
    def gpus(self) -> int:
        """GPUs in the server, whole ones."""
        return sum(self.lanes)


@dataclass(frozen=True, slots=True)
class Contact:
    """A team: when its desk works (hours of the day, Monday to Friday), what it agreed to."""

    team: str
    zone: str
    opens: int
    closes: int
    cancel: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """A GPU, or a MIG slice of one. A GPU that is cut into slices takes no job itself."""

    number: int
    name: str
    server: int
    index: int
    uuid: str
    memory: int
    profile: str
    parent: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """GPUs that are given out together, to jobs of one size."""

    server: int
    units: tuple[int, ...]
    pool: str


SERVERS = {
    name: tuple(Server(**{**row, "lanes": tuple(row["lanes"])}) for row in fleet["servers"])
    for name, fleet in _DATA["fleets"].items()
}
CONTACTS = {
    name: tuple(Contact(**row) for row in fleet["contacts"])
    for name, fleet in _DATA["fleets"].items()
}
TEAMS: Mapping[str, Sequence[tuple[str, str]]] = {
    name: [(team, zone) for team, zone in fleet["teams"]] for name, fleet in _DATA["fleets"].items()
}
"""Teams that hand in jobs, with the zone in which theirs run."""


def _uuid(seed: str, name: str, kind: str) -> str:
    code = sha256(f"{seed} {name}".encode()).hexdigest()
    return f"{kind}-{code[:8]}-{code[8:12]}-{code[12:16]}-{code[16:20]}-{code[20:32]}"


@dataclass(frozen=True)
class Fleet:
    """Every unit and lane of a level's servers, in a fixed order."""

    servers: tuple[Server, ...]
    units: tuple[Unit, ...]
    lanes: tuple[Lane, ...]
    contacts: tuple[Contact, ...]


def build_fleet(name: str, gpu: GpuModel, seed: str) -> Fleet:
    """The fleet of that name with the company's GPU model."""
    units: list[Unit] = []
    lanes: list[Lane] = []
    for number, server in enumerate(SERVERS[name]):
        index = 0
        for size in server.lanes:
            members = [_gpu(units, number, server, index + i, gpu, seed) for i in range(size)]
            index += size
            if server.mig:
                slices = _slices(units, members[0], gpu, seed)
                lanes += [Lane(number, (one,), f"mig-{server.zone}") for one in slices]
            else:
                pool = server.contract or f"gpu{size}-{server.zone}"
                lanes.append(Lane(number, tuple(members), pool))
    return Fleet(SERVERS[name], tuple(units), tuple(lanes), CONTACTS[name])


def _gpu(
    units: list[Unit], number: int, server: Server, index: int, gpu: GpuModel, seed: str
) -> int:
    name = f"{server.name}/{index}"
    uuid = _uuid(seed, name, "GPU")
    memory = gpu.memory_mib
    units.append(Unit(len(units), name, number, index, uuid, memory, "", -1, not server.mig))
    return len(units) - 1


def _slices(units: list[Unit], parent: int, gpu: GpuModel, seed: str) -> list[int]:
    """Two slices of a quarter of the memory and one of half, named by their first memory slice."""
    big, small = GPUS[gpu.name]["mig"]
    whole, made = units[parent], []
    for first, (profile, share) in ((0, (small, 2)), (2, (small, 2)), (4, (big, 4))):
        name = f"{whole.name}/{first}"
        memory = gpu.memory_mib * share // 8 // 64 * 64
        uuid = _uuid(seed, name, "MIG")
        made.append(len(units))
        units.append(
            Unit(len(units), name, whole.server, whole.index, uuid, memory, profile, parent, True)
        )
    return made
