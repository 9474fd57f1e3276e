"""The kinds of exercises: what is true of each in one entry, and where its parts lie in every layer.

A part is an object called KIND in the kind's own folder or module of a layer:

    graders/<name>/grading.py           `graders.kinds.Grader`: from an answer to measures with evidence
    assessments/<name>/workplace.py     `assessments.kinds.Workplace`: where the candidate works
    reviews/evidence/<name>.py          `reviews.evidence.kinds.Staff`: what people see of it and do with it

and, where somebody can be asked about their own answer, `graders/<name>/own_work.py`: `graders.own_work.Asker`.

Packs name their generator of materials themselves (`scenarios/packs/generated.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module


class UnknownKind(ValueError):
    """There is no such kind of exercise; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of exercise. `key` is what packs, rows and addresses call it, `name` its one word in code.

    Times are minutes: work on site, work on a take-home link, revision.
    """

    key: str
    name: str
    title: str
    on_site: int
    take_home: int
    revision: int
    is_run: bool = False
    """The answer is a program: the candidate presses Run."""
    has_materials: bool = False
    """The candidate works in a room of generated materials; the answer is written beside them."""
    has_terminal: bool = False
    """In the room there is a cluster to be asked: terminal, logs and metrics."""
    is_released_ahead: bool = False
    """May be read 24 to 48 hours before (requirement E8); the others are a surprise."""
    may_be_pseudocode: bool = False
    """May ask for pseudocode, which people score and nothing runs."""
    needs_card: bool = False
    """Belongs on a GPU: only such workers take it while there is one."""
    needs_cluster: bool = False
    """The work is a cluster that runs: only hosts with its root hold one."""
    practised_as: str = ""
    """Key of the kind whose miniature people practise on, where it has none of its own."""

    @property
    def practice(self) -> str:
        """Name of the pack that people practise on before the clock."""
        return f"practice/{self.practised_as or self.key}"


# Minutes on site: requirements E1 to E4 (upper end of each range). Take-home links: 120 to 180, but for
# troubleshooting, where working under time is part of the exercise.
KINDS = (
    Kind(
        "scaling-plan",
        "scaling",
        "Cluster scaling plan",
        60,
        180,
        10,
        has_materials=True,
        is_released_ahead=True,
    ),
    Kind(
        "troubleshooting",
        "troubleshooting",
        "Performance troubleshooting",
        45,
        45,
        10,
        has_materials=True,
        has_terminal=True,
    ),
    Kind(
        "cost",
        "cost",
        "Cost optimisation",
        60,
        180,
        10,
        has_materials=True,
        is_released_ahead=True,
    ),
    Kind(
        "automation",
        "automation",
        "Automated resource management",
        60,
        180,
        15,
        is_run=True,
        may_be_pseudocode=True,
    ),
    Kind(
        "live-slurm",
        "live_slurm",
        "Repair of a live cluster",
        45,
        60,
        10,
        has_materials=True,
        has_terminal=True,
        needs_cluster=True,
        practised_as="troubleshooting",
    ),
    # The editor and Run are the same for both; a card is not lent for practice.
    Kind(
        "gpu",
        "gpu",
        "Hands-on GPU",
        60,
        120,
        15,
        is_run=True,
        needs_card=True,
        practised_as="automation",
    ),
)
DRAFTS: tuple[Kind, ...] = ()
"""Kinds of which parts are missing yet: the command line plays their packs, and nobody is invited to one."""
CHOICES = [(kind.key, kind.title) for kind in KINDS]


def kind_of(key: str) -> Kind:
    """The kind that packs and rows call so. Raises UnknownKind."""
    for kind in (*KINDS, *DRAFTS):
        if kind.key == key:
            return kind
    raise UnknownKind(
        f"There is no kind of exercise {key[:40]!r}; scenarios/kinds.py has them all."
    )


@cache
def part(kind: Kind, place: str) -> object:
    """What `place`, a module's name with {} for the kind's word, calls KIND; imported when first asked for.

    Raises ImportError where the kind has no such module and AttributeError where that has no KIND.
    """
    return import_module(place.format(kind.name)).KIND
