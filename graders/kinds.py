"""What a kind of exercise has of a grader, and where everybody who wants a run or a grade asks."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.report import GradeReport, Json, RunReport
from sandbox import Backend
from scenarios.company.profile import DEFAULT, Profile
from scenarios.kinds import kind_of, part
from scenarios.packs import Pack, load_pack

Progress = Callable[[int, int], None]


def _untold(done: int, of: int) -> None:
    """Nobody wants to know how far it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer (path -> text) to a variant that is to be run or graded, and how.

    `round` is 1 or 2 and `hidden` the number of what is hidden of the variant, None for the pack's own;
    `progress(done, of)` is told after each of them. Setting `cancel` ends at once what runs in a sandbox.
    """

    pack: Pack
    level: str
    seed: int
    files: Mapping[str, str]
    backend: Backend | None = None
    profile: Profile = DEFAULT
    hidden: int | None = None
    round: int = 1
    progress: Progress = _untold
    cancel: threading.Event | None = None

    @property
    def sandbox(self) -> Backend:
        """The backend, for a kind that cannot do without. Raises ValueError."""
        if self.backend is None:
            raise ValueError(f"{self.pack.name} is graded in a sandbox, and none was given.")
        return self.backend


class Grader(ABC):
    """How answers of one kind are run and graded.

    Both raise PackNotFound for an unknown level and ValueError for a workload, a number or a profile
    that cannot be; whatever the answer does is a report.
    """

    needs_sandbox: bool
    """Whether grading runs anything of the answer's; a written answer is read, a plan is played."""

    @abstractmethod
    def run_public(self, asked: Asked, workload: str) -> RunReport:
        """One public workload, as the candidate sees it; the status is `cancelled` where that was asked."""

    @abstractmethod
    def grade(self, asked: Asked) -> GradeReport:
        """Measures and evidence on everything that is hidden of the variant in the round.

        Cancelled it is an infrastructure_error, since nothing was graded.
        """


class PartedGrader(Grader):
    """A grade that is assembled from parts, one for each hidden workload, whoever plays them.

    A part is plain data: `part_from` makes it again of what JSON kept of `to_dict()`.
    """

    @abstractmethod
    def grade_part(self, asked: Asked, number: int) -> Any:
        """One hidden workload (from 1); None where the files cannot be a program."""

    @abstractmethod
    def part_from(self, data: Mapping[str, Any]) -> Any:
        """The part of its plain data."""

    @abstractmethod
    def assemble(self, asked: Asked, parts: Sequence[Any], code: Sequence[Json]) -> GradeReport:
        """The report of the parts, in the order of their numbers, whoever made them."""

    @abstractmethod
    def of_code(self, asked: Asked) -> list[Json]:
        """Evidence about the code itself; no part of any measure."""


def grader_of(pack: str) -> Grader:
    """Who grades answers to the pack. Raises PackNotFound."""
    found = part(kind_of(load_pack(pack).kind), "graders.{}.grading")
    if not isinstance(found, Grader):
        raise TypeError(f"{found!r} is no Grader.")
    return found


def is_parted(pack: str) -> bool:
    """Whether a grade of the pack is assembled from parts that several workers can play."""
    return isinstance(grader_of(pack), PartedGrader)


def parted_grader_of(pack: str) -> PartedGrader:
    """Who plays and assembles the parts of a grade of the pack. Raises TypeError where it has none."""
    found = grader_of(pack)
    if not isinstance(found, PartedGrader):
        raise TypeError(f"A grade of {pack} has no parts.")
    return found


def needs_sandbox(pack: str) -> bool:
    """Whether grading the pack runs anything of the answer's."""
    return grader_of(pack).needs_sandbox


def run_public(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend | None = None,
    workload: str = "public-1",
    profile: Profile | None = None,
    cancel: threading.Event | None = None,
) -> RunReport:
    """One public workload with the candidate's files; see `Grader.run_public`."""
    chosen = load_pack(pack)
    chosen.level(level)
    asked = Asked(chosen, level, seed, files, backend, profile or DEFAULT, cancel=cancel)
    return grader_of(pack).run_public(asked, workload)


def grade(
    pack: str,
    level: str,
    seed: int,
    files: Mapping[str, str],
    backend: Backend | None = None,
    hidden: int | None = None,
    profile: Profile | None = None,
    progress: Progress | None = None,
    round: int = 1,
    cancel: threading.Event | None = None,
) -> GradeReport:
    """The answer's grade on everything that is hidden of the variant in the round; see `Grader.grade`.

    `backend` may be None where the pack needs no sandbox.
    """
    chosen = load_pack(pack)
    chosen.level(level)
    return grader_of(pack).grade(
        Asked(
            chosen,
            level,
            seed,
            files,
            backend,
            profile or DEFAULT,
            hidden,
            round,
            progress or _untold,
            cancel,
        )
    )
