"""What staff see of answers of one kind and do with them; the kind's own module has the parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from assessments.models import Attempt, GradingRun
from hiring.models import Exercise
from reviews.evidence.corrections import Corrected
from reviews.evidence.ordinary_minutes import OrdinaryTime
from reviews.evidence.readings import PLACE
from reviews.evidence.structured import Table
from scenarios import kinds
from scenarios.kinds import part

Report = Mapping[str, Any]


class KeptFile(NamedTuple):
    """A file that a room keeps as JSON: its path, its name for people, its lines, its tables.

    `text` is None where the file is no such thing.
    """

    path: str
    title: str
    text: Callable[[str, OrdinaryTime], str | None]
    tables: Callable[[str], list[Table]] = lambda text: []


class Staff(ABC):
    """The parts of one kind on the pages of staff."""

    evidence: ClassVar[str]
    """Template of a round's evidence; it gets what `round` says, and `round`, `attempt`."""
    hidden: ClassVar[str]
    """What is hidden beside the measures until the own scorecard is in, and what is shown, in words."""
    file: ClassVar[KeptFile | None] = None
    """What the room keeps beside the prose."""
    act: ClassVar[str] = "run"
    """What a candidate does between drafts: run, what-if, command, or "" for nothing."""
    runs: ClassVar[tuple[str, str]] = ("Runs", "The candidate did not press Run.")
    """Title of the list of runs, and what stands there when it is empty; "" for no such list."""
    prints: ClassVar[bool] = True
    """Whether a run has output."""
    needs_focus: ClassVar[bool] = False
    """Whether feedback has to name the one file or section to revise; the rest is read-only then."""
    can_challenge: ClassVar[bool] = False
    """Whether the file is a table of recommendations: feedback praises one and challenges another."""

    @abstractmethod
    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        """What the template shows of a round; nothing that measures count unless the viewer `sees` them."""

    def run(self, report: Report) -> dict[str, Any]:
        """What the page of a run shows beside its measures, for whoever may see those."""
        return {}

    def recommendations(self, text: str) -> dict[str, str]:
        """Id of a row of the table -> what it is called for the candidate, in the table's order."""
        return {}

    def suggestions(self, report: Report | None, held: Corrected) -> list[Mapping[str, Any]]:
        """The recommendations worth challenging, the one with most to talk about first: staff only."""
        return []


class StaffWithKey(Staff):
    """The parts of a kind with materials: each variant has a key."""

    key_page: ClassVar[str]
    """Template of the key."""

    @abstractmethod
    def sheet(self, attempt: Attempt) -> Any:
        """What the key's page shows. Raises as `troubleshooting_key.key_of` does."""


def staff_of(exercise: Exercise) -> Staff:
    """What staff have for exercises of its kind."""
    return _staff(exercise.traits)


def _staff(kind: kinds.Kind) -> Staff:
    found = part(kind, PLACE)
    if not isinstance(found, Staff):
        raise TypeError(f"{found!r} is no Staff.")
    return found


def kept_file(path: str) -> KeptFile | None:
    """The file that some room keeps under that path."""
    return next((one for one in _kept_files() if one.path == path), None)


def _kept_files() -> Iterator[KeptFile]:
    for kind in kinds.KINDS:
        if file := _staff(kind).file:
            yield file
