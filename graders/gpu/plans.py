"""Which trainings an answer is run on: sizes from the pack, kinds of data by family, seeds by a keyed hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Literal

from graders.workloads import hidden_key, hidden_name, hidden_title
from scenarios.packs import Pack

HIDDEN_KEY = b"headnode hidden trainings v1"
PUBLIC_KEY = b"headnode public trainings v1"
"""Separate keys: knowing a public training's seed says nothing about any hidden one's."""
Device = Literal["cuda", "cpu"]

FAMILIES: Mapping[str, Mapping[str, float]] = {
    "plain": {},
    "many-classes": {"classes": 24},
    "noisy": {"noise": 9},
    "uneven": {"odd_records": 1},
    "short-epochs": {"records_share": 0.5},
}
"""Family -> what differs. `odd_records` leaves a last batch, and in it a last micro-batch, that is
smaller; `records_share` shrinks the data, so that there are more epochs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One training, exactly what the program is told: see task.py of the pack.

    `side` in pixels, `rate` the learning rate, `weights` of the classes or None.
    """

    seed: int
    records: int
    side: int
    classes: int
    noise: int
    batch: int
    micro: int
    steps: int
    rate: float
    momentum: float
    weights: list[float] | None
    hidden: int
    layers: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)

    @property
    def samples(self) -> int:
        """How many samples all steps use together: the last batch of an epoch may be smaller."""
        epochs, rest = divmod(self.steps, -(-self.records // self.batch))
        return epochs * self.records + rest * self.batch


@dataclass(frozen=True, slots=True)
class Training:
    """A named training of a variant; its plan depends on the device it is run on."""

    name: str
    title: str
    family: str
    seed: str
    settings: Mapping[str, Any]

    def plan(self, device: Device) -> Plan:
        """The plan for a card or for the practice on a processor."""
        table = self.settings
        sizes = {**table["common"], **table[device]}
        family = FAMILIES[self.family]
        records = int(sizes["records"] * family.get("records_share", 1))
        if family.get("odd_records"):
            records -= sizes["batch"] // 2 + sizes["micro"] // 2 - 1
        classes = int(family.get("classes", sizes["classes"]))
        return Plan(
            seed=int(self.seed[:12], 16),
            records=records,
            side=sizes["side"],
            classes=classes,
            noise=int(family.get("noise", sizes["noise"])),
            batch=sizes["batch"],
            micro=sizes["micro"],
            steps=sizes["steps"],
            rate=sizes["rate"],
            momentum=sizes["momentum"],
            weights=_weights(self.seed, classes) if table["weighted"] else None,
            hidden=sizes["hidden"],
            layers=sizes["layers"],
        )


def _weights(seed: str, classes: int) -> list[float]:
    """Between 0.25 and 4, as rare classes of defects are weighted."""
    drawn = [blake2b(f"{seed} class {n}".encode()).digest()[0] / 255 for n in range(classes)]
    return [round(2 ** (4 * one - 2), 3) for one in drawn]


def _derive(key: bytes, *parts: object) -> str:
    text = "\n".join(str(part) for part in parts)
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()


def hidden_trainings(
    pack: Pack, level: str, seed: int, count: int | None = None, round: int = 1
) -> list[Training]:
    """The hidden trainings of a variant: the pack's families in turn.

    Raises ValueError when there would be fewer than one or more than 100.
    """
    table = pack.level(level)
    wanted = int(table["hidden"]) if count is None else count
    if not 1 <= wanted <= 100:
        raise ValueError("The number of hidden workloads must be from 1 to 100.")
    families = table["families"]
    return [
        Training(
            hidden_name(round, number),
            hidden_title("training", round, number),
            families[(number - 1) % len(families)],
            _derive(hidden_key(HIDDEN_KEY, round), pack.name, level, seed, number),
            table["settings"],
        )
        for number in range(1, wanted + 1)
    ]


def public_training(pack: Pack, level: str, seed: int, name: str) -> Training:
    """A training the candidate may run. Raises ValueError for a name the pack does not have."""
    table = pack.level(level)
    for row in table["public"]:
        if row["name"] == name:
            derived = _derive(PUBLIC_KEY, pack.name, level, seed, name)
            return Training(name, row["title"], row["family"], derived, table["settings"])
    names = ", ".join(known for known, _ in pack.public_workloads(level))
    raise ValueError(f"There is no workload {name[:40]!r}; there is {names}.")
