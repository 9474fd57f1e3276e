"""MIG by legal placement: which profiles can stand where on a GPU, and what still fits.

A GPU is a mask of its memory slices. Starts and widths are those that
`nvidia-smi mig -lgipp` prints on A100, H100, H200 and B200.
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
    """A GPU that can be partitioned: compute slices and profiles."""

    name: str
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

    def layouts(self) -> set[Layout]:
        """Every layout that can be reached from the empty GPU, the empty one included."""
        reached: set[Layout] = set()
        edge: list[Layout] = [frozenset()]
        while edge:
            layout = edge.pop()
            if layout not in reached:
                reached.add(layout)
                edge.extend(layout | {instance} for instance in self._room(layout))
        return reached

    def _room(self, layout: Layout) -> Iterator[Instance]:
        """What can still be added, media engines left out: they stand wherever the plain ones do."""
        used, names = self.mask(layout), Counter(name for name, _ in layout)
        for profile in self.plain:
            if names[profile.name] < profile.most:
                for start in profile.starts:
                    if not used & profile.mask(start):
                        yield profile.name, start


def _sevenths(name: str, sizes: tuple[int, int, int, int]) -> Model:
    """A model with 8 memory and 7 compute slices; memory in GB of 1, 2, 4 and 8 slices."""
    one, two, four, eight = sizes
    return Model(
        name,
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


A100_80 = _sevenths("A100-80GB", (10, 20, 40, 80))
H100 = _sevenths("H100-80GB", (10, 20, 40, 80))
H200 = _sevenths("H200-141GB", (18, 35, 71, 141))
B200 = _sevenths("B200-180GB", (23, 45, 90, 180))
