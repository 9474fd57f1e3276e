"""Finds out which layers a host gives, which it lacks and what follows from that."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from sandbox import stopwatch

Need = Literal["required", "reducible", "extra"]


@dataclass(frozen=True)
class Layer:
    """One fence. `need`: without a required layer nothing runs; without a reducible one only in
    reduced mode, where every outcome carries `mark`; an extra one is merely welcome."""

    name: str
    works: bool
    need: Need
    meaning: str
    mark: str = ""


@dataclass(frozen=True)
class Report:
    """What one backend found. `refusal` is empty when it may run."""

    backend: str
    layers: list[Layer] = field(default_factory=list)
    refusal: str = ""

    @property
    def usable(self) -> bool:
        return not self.refusal

    @property
    def missing(self) -> str:
        """Name of the layer that a refusal is about; empty when none is missing."""
        fences = [layer for layer in self.layers if not layer.works and layer.need != "extra"]
        gravest_first = sorted(fences, key=lambda layer: layer.need != "required")
        return gravest_first[0].name if gravest_first else ""

    @property
    def working(self) -> list[str]:
        return [layer.name for layer in self.layers if layer.works]

    @property
    def marks(self) -> list[str]:
        return [layer.mark for layer in self.layers if not layer.works and layer.mark]

    def to_dict(self) -> dict[str, Any]:
        return {
            "backend": self.backend,
            "usable": self.usable,
            "refusal": self.refusal,
            "layers": [asdict(layer) for layer in self.layers],
            "reduced": self.marks,
        }


# (name, member of the bootstrap's hello, what its absence would mean)
NAMESPACES = (
    ("user namespace", "user", "the program would keep an identity of the host"),
    ("mount namespace", "mnt", "the program would see the host's files"),
    ("pid namespace", "pid", "the program would see and signal the host's processes"),
    ("network namespace", "net", "the program could reach the network"),
    ("ipc namespace", "ipc", "runs could talk to each other through shared memory"),
    ("uts namespace", "uts", "the program would see the host's name"),
    ("cgroup namespace", "cgroup", "the program would see the host's groups"),
    ("time namespace", "time", "runs would see each other's locks on its file"),
)


def own_namespaces() -> dict[str, str]:
    """This process's namespace numbers, to tell the sandbox's from."""
    files = {key: f"/proc/self/ns/{key}" for _name, key, _why in NAMESPACES}
    return {key: str(os.stat(path).st_ino) for key, path in files.items() if os.path.exists(path)}


def from_hello(
    hello: Mapping[str, object], own: Mapping[str, str], spare: frozenset[str] = frozenset()
) -> list[Layer]:
    """Read the layers off the bootstrap's account of its own process.

    `own` holds the host process's namespace numbers; namespaces named in `spare` are not required
    of this backend.
    """
    layers = [
        Layer(
            name,
            key in hello and hello[key] != own.get(key),
            "extra" if name in spare else "required",
            f"Without it {meaning}.",
        )
        for name, key, meaning in NAMESPACES
    ]
    return [
        *layers,
        _no_capabilities(hello),
        _required(
            "no new privileges",
            hello.get("NoNewPrivs") == "1",
            "a set-uid file could raise the program's rights",
        ),
        _required(
            "system-call filter",
            hello.get("Seccomp") == "2",
            "the program could use every part of the kernel",
        ),
    ]


def has_own_kernel(hello: Mapping[str, object]) -> bool:
    """Whether another kernel than this host's runs the program, as under gVisor."""
    return hello.get("kernel") not in (None, os.uname().release)


def from_own_kernel(hello: Mapping[str, object]) -> list[Layer]:
    """The layers where the runtime brings a kernel of its own, which keeps no namespaces and
    whose system calls are not the host's."""
    return [
        _required(
            "own kernel", has_own_kernel(hello), "the program would speak to the host's kernel"
        ),
        _no_capabilities(hello),
        Layer(
            "system-call filter",
            hello.get("Seccomp") == "2",
            "extra",
            "Without it the program may use all that the runtime's kernel offers, and nothing of "
            "the host's: give the runtime the option --oci-seccomp.",
        ),
    ]


def own_time() -> Layer:
    """Whether a program can be told from its host when it is slow."""
    return Layer(
        "own time",
        stopwatch.is_told(),
        "extra",
        "Without it (a kernel without CONFIG_SCHED_INFO) time in which a program waits for a processor "
        "counts as its own.",
    )


def _no_capabilities(hello: Mapping[str, object]) -> Layer:
    bare = not any(str(hello.get(key, "1")).strip("0") for key in ("CapEff", "CapBnd"))
    return _required("no capabilities", bare, "the program could act as an administrator")


def _required(name: str, works: bool, meaning: str) -> Layer:
    return Layer(name, works, "required", f"Without it {meaning}.")


def refusal(layers: list[Layer], allow_reduced: bool) -> str:
    """One sentence naming the first layer that must be there and is not; empty when none is."""
    for layer in layers:
        if not layer.works and layer.need == "required":
            return f"The layer '{layer.name}' is missing. {layer.meaning}"
    for layer in layers:
        if not layer.works and layer.need == "reducible" and not allow_reduced:
            return (
                f"The layer '{layer.name}' is missing. {layer.meaning} "
                "Set SANDBOX_ALLOW_REDUCED=1 to run all the same, with every result marked."
            )
    return ""
