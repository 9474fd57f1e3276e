"""MIG by legal placement: which profiles can stand where on a GPU, and what still fits.

A GPU is a mask of its memory slices. Starts and widths are those that
`nvidia-smi mig -lgipp` prints on A100, H100, H200, B200 and A30.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of instance: compute slices, legal first memory slices, memory slices it covers.

    `most` is how many fit on one GPU, a bound of its own only for the profiles with media
    engines, of which one exists per GPU.
    """

    name: str
    number: int
    compute: int
    starts: tuple[int, ...]
    width: int
    most: int

    @property
    def media(self) -> bool:
        """True for the profile that brings the media engines."""
        return self.name.endswith("+me")

    @property
    def double(self) -> bool:
        """True for one compute slice with twice the memory."""
        return self.compute == 1 and self.width == 2

    def holds(self, asked: Profile) -> bool:
        """Whether what asks for `asked` runs on an instance of this profile."""
        return self.compute >= asked.compute and self.width >= asked.width

    def instance(self, start: int) -> int:
        """The id that the driver gives the instance at `start` of a GPU with eight memory slices."""
        return {8: 0, 4: 1, 2: 3, 1: 7}[self.width] + start // self.width

    def mask(self, start: int) -> int:
        """The memory slices it covers from `start`, as bits."""
        return ((1 << self.width) - 1) << start


Instance = tuple[str, int]
"""(profile name, first memory slice)."""
Layout = frozenset[Instance]


@dataclass(frozen=True)
class Model:
    """A GPU that can be partitioned: memory slices, compute slices and profiles."""

    name: str
    memory_slices: int
    compute_slices: int
    profiles: tuple[Profile, ...]

    @cached_property
    def by_name(self) -> dict[str, Profile]:
        """Profiles by name."""
        return {profile.name: profile for profile in self.profiles}

    def profile(self, name: str) -> Profile:
        """The profile; ValueError naming those the model has."""
        if name not in self.by_name:
            raise ValueError(
                f"{self.name} has no profile {name}; it has {', '.join(self.by_name)}."
            )
        return self.by_name[name]

    @cached_property
    def plain(self) -> tuple[Profile, ...]:
        """The profiles without media engines, smallest first; alike on all models of seven slices."""
        return tuple(profile for profile in self.profiles if not profile.media)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the plain profiles."""
        return tuple(profile.name for profile in self.plain)

    @cached_property
    def arrangements(self) -> dict[tuple[str, ...], tuple[Instance, ...]]:
        """Where the instances of every set that fits stand, lowest first, by their sorted names.

        Of several layouts of one set it is the first in the order of (name, first memory slice).
        """
        found: dict[tuple[str, ...], tuple[Instance, ...]] = {}
        for layout in sorted(sorted(one) for one in self.layouts()):
            names = tuple(name for name, _ in layout)
            found.setdefault(names, tuple(sorted(layout, key=lambda one: one[1])))
        return found

    def mask(self, layout: Iterable[Instance]) -> int:
        """The memory slices in use; ValueError where two instances overlap or one is illegal.

        Compute slices need no count of their own: no legal set of memory slices exceeds them.
        """
        used = 0
        counts: Counter[str] = Counter()
        for name, start in layout:
            profile = self.profile(name)
            counts[name] += 1
            if start not in profile.starts or used & profile.mask(start):
                raise ValueError(f"{name} cannot stand at memory slice {start} of {self.name}.")
            if counts[name] > profile.most:
                raise ValueError(f"{self.name} takes at most {profile.most} of {name}.")
            used |= profile.mask(start)
        return used

    def starts(self, used: int, name: str) -> list[int]:
        """Where the profile can stand on a GPU whose slices `used` are taken."""
        profile = self.profile(name)
        return [start for start in profile.starts if not used & profile.mask(start)]

    @cached_property
    def choices(self) -> list[int]:
        """For every mask, how many placements of any profile are still open."""
        masks = [p.mask(start) for p in self.profiles for start in p.starts]
        return [sum(not used & m for m in masks) for used in range(1 << self.memory_slices)]

    @cached_property
    def best_start(self) -> list[dict[str, int]]:
        """For every mask and profile that fits, the start that leaves most choices open.

        The highest start wins among equals.
        """
        return [
            {
                profile.name: max(
                    starts,
                    key=lambda s: (self.choices[used | profile.mask(s)], s),
                )
                for profile in self.profiles
                if (starts := self.starts(used, profile.name))
            }
            for used in range(1 << self.memory_slices)
        ]

    def layouts(self, media: bool = False, double: bool = True) -> set[Layout]:
        """Every layout that can be reached from the empty GPU, the empty one included.

        `media` takes in the profile with media engines, which stands wherever the plain
        one does; `double` the one compute slice with twice the memory.
        """
        profiles = [p for p in self.profiles if (media or not p.media) and (double or not p.double)]
        reached: set[Layout] = set()
        edge: list[Layout] = [frozenset()]
        while edge:
            layout = edge.pop()
            if layout not in reached:
                reached.add(layout)
                edge.extend(layout | {instance} for instance in self._room(layout, profiles))
        return reached

    def maximal(self, media: bool = False, double: bool = True) -> set[Layout]:
        """The layouts to which no further instance can be added."""
        layouts = self.layouts(media, double)
        grown = {layout - {instance} for layout in layouts for instance in layout}
        return layouts - grown

    def _room(self, layout: Layout, profiles: list[Profile]) -> Iterator[Instance]:
        used, names = self.mask(layout), Counter(name for name, _ in layout)
        for profile in profiles:
            if names[profile.name] < profile.most:
                for start in self.starts(used, profile.name):
                    yield profile.name, start


class Partitions:
    """The instances on a row of equal GPUs; a mask of taken slices per GPU.

    A new instance goes to the GPU with the fewest choices left that still has room, the
    lowest number among equals, so that whole GPUs stay whole.
    """

    __slots__ = ("masks", "model", "standing")

    def __init__(self, model: Model, gpus: int) -> None:
        self.model = model
        self.masks = [0] * gpus
        self.standing: list[set[Instance]] = [set() for _ in range(gpus)]

    def place(self, name: str) -> tuple[int, int] | None:
        """(GPU, first memory slice) for one more instance, taken; None where none has room.

        ValueError for a profile the model does not have.
        """
        profile, best, choices = self.model.profile(name), self.model.best_start, self.model.choices
        room = [
            gpu
            for gpu, used in enumerate(self.masks)
            if name in best[used] and not (profile.media and self._has_media(gpu))
        ]
        if not room:
            return None
        gpu = min(room, key=lambda gpu: choices[self.masks[gpu]])
        start = best[self.masks[gpu]][name]
        self.masks[gpu] |= profile.mask(start)
        self.standing[gpu].add((name, start))
        return gpu, start

    def remove(self, gpu: int, name: str, start: int) -> None:
        """Give the slices of an instance back; ValueError where it does not stand."""
        if (name, start) not in self.standing[gpu]:
            raise ValueError(f"GPU {gpu} has no {name} at memory slice {start}.")
        self.standing[gpu].remove((name, start))
        self.masks[gpu] ^= self.model.profile(name).mask(start)

    def _has_media(self, gpu: int) -> bool:
        return any(self.model.by_name[name].media for name, _ in self.standing[gpu])


def _sevenths(name: str, sizes: tuple[int, int, int, int]) -> Model:
    """A model with 8 memory and 7 compute slices; memory in GB of 1, 2, 4 and 8 slices."""
    one, two, four, eight = sizes
    return Model(
        name,
        8,
        7,
        (
            Profile(f"1g.{one}gb", 19, 1, (0, 1, 2, 3, 4, 5, 6), 1, 7),
            Profile(f"1g.{one}gb+me", 20, 1, (0, 1, 2, 3, 4, 5, 6), 1, 1),
            Profile(f"1g.{two}gb", 15, 1, (0, 2, 4, 6), 2, 4),
            Profile(f"2g.{two}gb", 14, 2, (0, 2, 4), 2, 3),
            Profile(f"3g.{four}gb", 9, 3, (0, 4), 4, 2),
            Profile(f"4g.{four}gb", 5, 4, (0,), 4, 1),
            Profile(f"7g.{eight}gb", 0, 7, (0,), 8, 1),
        ),
    )


A100 = _sevenths("A100-40GB", (5, 10, 20, 40))
A100_80 = _sevenths("A100-80GB", (10, 20, 40, 80))
H100 = _sevenths("H100-80GB", (10, 20, 40, 80))
H200 = _sevenths("H200-141GB", (18, 35, 71, 141))
A30 = Model(
    "A30-24GB",
    4,
    4,
    (
        Profile("1g.6gb", 14, 1, (0, 1, 2, 3), 1, 4),
        Profile("2g.12gb", 5, 2, (0, 2), 2, 2),
        Profile("4g.24gb", 0, 4, (0,), 4, 1),
    ),
)
B200 = _sevenths("B200-180GB", (23, 45, 90, 180))
MODELS = {model.name: model for model in (A100, A100_80, H100, H200, B200, A30)}
