"""Draws what is wrong on one candidate's cluster, who waits for it, and what only looks wrong."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from scenarios.live_slurm.faults import Edit, Fault, Holder, Jobs, all_faults, fault_of
from scenarios.live_slurm.files import NODES

LEVELS: Mapping[str, tuple[int, int]] = {"junior": (3, 2), "mid": (3, 3), "senior": (4, 4)}
"""Level -> how many faults and how many oddities."""
DRAWN_NODES = NODES[1:4]
"""Nodes that faults are drawn on: train has them, and nobody's run is on them at the start."""
SECONDS = 6
"""How long a job that waits works once it has started."""
LONG = 36_000
WIDE = "wide-all-nodes"
PROTECTED = "fold-prod"
TEAMS = {
    "ana": "vision",
    "bela": "vision",
    "chen": "speech",
    "dora": "speech",
    "emil": "protein",
    "fay": "protein",
    "gus": "students",
}
CROWD = "-small-"
"""In the names of jobs that people submit while somebody works."""
_REACH = ("partition:train", "defmem", "everybody")
Told = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the crowd. `fault` is what it waits for, "" for one that ought to start in any case."""

    name: str
    user: str
    args: str
    seconds: int
    fault: str = ""
    expendable: bool = False


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something harmless: `state` are the shell lines that make it, `about` the words for it."""

    name: str
    about: str
    title: str
    touches: tuple[str, ...]
    state: tuple[str, ...]
    clears: str


@dataclass(frozen=True)
class Scene:
    """What one seed drew. The faults' words are filled in: they name nodes."""

    level: str
    seed: int
    faults: tuple[Fault, ...]
    oddities: tuple[Oddity, ...]

    @property
    def running(self) -> list[Job]:
        """What runs when the candidate comes: people's runs, and jobs that are part of a fault."""
        runs = [
            Job(PROTECTED, "emil", "-p prod --gres=gpu:8 -t 7-00:00:00", LONG),
            Job("vit-pretrain", "ana", "-w gpu-n001 --gres=gpu:4 -t 2-00:00:00", LONG),
            Job("asr-large", "chen", "-w gpu-n001 --gres=gpu:2 -t 2-00:00:00", LONG),
            Job("notebook-gus", "gus", "-p interactive --gres=gpu:1 -t 8:00:00", LONG),
        ]
        held = [
            Job(one.name, one.user, one.args, LONG, fault.name, expendable=not one.keep)
            for fault in self.faults
            for one in fault.holders
        ]
        return [*runs, *held]

    @property
    def wide(self) -> list[Job]:
        """Who came first and rightly waits for those that run: a job of all nodes, or what a fault brings."""
        found = [
            Job(f"{rows.user}-{_word(fault.name)}-{number}", rows.user, rows.args, SECONDS)
            for fault in self.faults
            for rows in fault.ahead
            for number in range(1, 1 + rows.count)
        ]
        if any(fault.wide for fault in self.faults):
            args = "-N 4 --exclusive --gres=gpu:8 -t 4:00:00"
            found.append(Job(WIDE, "bela", args, 3))
        return found

    @property
    def waiting(self) -> list[Job]:
        """Who waits because of the faults, in the order in which they came."""
        return [
            Job(
                f"{rows.user}-{_word(fault.name)}-{number}",
                rows.user,
                rows.args,
                SECONDS,
                fault.name,
            )
            for fault in self.faults
            for index, rows in enumerate(fault.jobs)
            for number in range(10 * index + 1, 10 * index + 1 + rows.count)
        ]

    def probes(self, turn: int) -> list[Job]:
        """The hidden battery: one job for each kind of job that a fault stops, and what has always worked."""
        of_faults = [
            Job(f"p{turn}-{fault.name}-{index}", rows.user, rows.probe or rows.args, 1, fault.name)
            for fault in self.faults
            for index, rows in enumerate(fault.jobs)
        ]
        usual = [
            Job(f"p{turn}-usual-{index}", user, args, 1) for index, (user, args) in enumerate(USUAL)
        ]
        return [*of_faults, *usual]

    def probes_before(self, turn: int) -> list[Job]:
        """The like of those who rightly wait, before the hidden battery; nobody counts whether they begin."""
        return [
            Job(f"q{turn}-{place}", job.user, job.args, 1) for place, job in enumerate(self.wide)
        ]

    def edits(self, *, unread: bool) -> list[Edit]:
        """What the faults change in the files; with `unread` also what stands there no more."""
        return [edit for fault in self.faults for edit in fault.edits if unread or not edit.unread]


USUAL = (
    ("ana", "-w gpu-n001 --gres=gpu:1 -t 0:30:00"),
    ("bela", "-p train -n 1 --mem=100 -t 0:30:00"),
    ("gus", "-p interactive -n 1 --mem=100 -t 0:05:00"),
    ("emil", "-p prod -n 1 --mem=100 -t 1:00:00"),
)
"""Jobs of shapes that every cluster of these ought to start: what worked has to go on working."""


def _word(name: str) -> str:
    """A word for a job's name that does not tell the fault."""
    words = ("eval", "tune", "train", "sweep", "prep", "distill", "align", "bench")
    return words[sum(name.encode()) % len(words)] + str(sum(name.encode()) % 89 + 10)


@cache
def oddities() -> tuple[Oddity, ...]:
    path = Path(__file__).parent / "oddities.toml"
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["oddity"]
    return tuple(
        Oddity(**{**row, "touches": tuple(row["touches"]), "state": tuple(row["state"])})
        for row in rows
    )


def draw(level: str, seed: int) -> Scene:
    """The scene of a level and seed. Raises ValueError for a level that there is not."""
    if level not in LEVELS:
        raise ValueError(f"There is no level {level[:40]!r}; there is {', '.join(LEVELS)}.")
    rng = random.Random(f"live-slurm {level} {seed}")  # noqa: S311 - a draw, and no secret
    many, odd = LEVELS[level]
    faults = _draw_faults(rng, many)
    touched = {thing for fault in faults for thing in fault.touches}
    fitting = [one for one in oddities() if not touched & {*one.touches}]
    chosen = rng.sample(fitting, min(odd, len(fitting)))
    return Scene(level, seed, tuple(faults), tuple(chosen))


def scene_of(
    names: Sequence[str], node: str = DRAWN_NODES[0], other: str = DRAWN_NODES[1]
) -> Scene:
    """A scene of exactly these faults and no oddities, for trying them."""
    return Scene("junior", 0, tuple(filled(fault_of(name), node, other) for name in names), ())


def _draw_faults(rng: random.Random, many: int) -> list[Fault]:
    """So many that go together; where the first of a draw leave no room for enough others it is drawn anew."""
    for _ in range(20):
        if len(found := _go_together(_shuffled(rng), many)) == many:
            return found
    raise AssertionError("six families hold four faults that go together")


def _go_together(shuffled: Iterable[Fault], many: int) -> list[Fault]:
    """Of different families, none touching what another does; at most one that a restart would cure."""
    found: list[Fault] = []
    for fault in shuffled:
        clash = {thing for one in found for thing in one.touches} & {*fault.touches}
        twice = fault.restart_cures and any(one.restart_cures for one in found)
        family = any(one.family == fault.family for one in found)
        if not (clash or twice or family or _hide_each_other(fault, found)):
            found.append(fault)
        if len(found) == many:
            break
    return found


def _hide_each_other(fault: Fault, found: Sequence[Fault]) -> bool:
    """A job that others rightly wait behind stands first only while nothing else keeps it from its nodes.

    One that names its nodes is kept from no others: who touches the same has been left out already.
    """
    pairs = [(one, fault) for one in found] + [(fault, one) for one in found]
    return any(
        thing.startswith(("node:", *_REACH) if first.wide else _REACH)
        for first, other in pairs
        if first.wide or first.ahead
        for thing in other.touches
    )


def _shuffled(rng: random.Random) -> Iterator[Fault]:
    everything = list(all_faults())
    rng.shuffle(everything)
    for fault in everything:
        node, other = rng.sample(DRAWN_NODES, 2)
        yield filled(fault, node, other)


def filled(fault: Fault, node: str, other: str) -> Fault:
    """The fault on these nodes."""
    words = {
        "{node}": node,
        "{other}": other,
        "{port}": f"700{node[-1]}",
        "{{": "{",
        "}}": "}",
    }

    def told(text: str) -> str:
        for word, value in words.items():
            text = text.replace(word, value)
        return text

    def lines(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(told(one) for one in texts)

    return replace(
        fault,
        what=told(fault.what),
        ticket=told(fault.ticket),
        change=told(fault.change),
        where=told(fault.where),
        touches=lines(fault.touches),
        signs=lines(fault.signs),
        cure=lines(fault.cure),
        state=lines(fault.state),
        shows=lines(fault.shows),
        running=lines(fault.running),
        edits=tuple(
            replace(one, line=told(one.line), find=told(one.find), put=told(one.put))
            for one in fault.edits
        ),
        jobs=tuple(_of(one, told) for one in fault.jobs),
        holders=tuple(_held(one, told) for one in fault.holders),
        ahead=tuple(_of(one, told) for one in fault.ahead),
    )


def _of(rows: Jobs, told: Told) -> Jobs:
    return replace(rows, args=told(rows.args), probe=told(rows.probe))


def _held(one: Holder, told: Told) -> Holder:
    return replace(one, args=told(one.args), said=told(one.said))
