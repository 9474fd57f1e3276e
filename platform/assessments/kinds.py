"""Where the candidate works at an exercise, and what becomes of the answer on the way to its grader."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from assessments.escapes import writable
from assessments.models import Attempt
from hiring.models import Exercise
from library.packs import pack_of
from scenarios.kinds import part

Json = dict[str, Any]


class Workplace:
    """A program is written in an editor, beside documents; other workplaces say what differs."""

    name: ClassVar[str] = ""
    """The page's room, as its scripts know it; "" where there is none."""
    sheets: ClassVar[tuple[str, ...]] = ()
    """Style sheets of the room, `assessments/NAME.css`; later ones may overrule earlier ones.

    Each is linked by its own: a browser would ask for an imported sheet only after it has read the
    first, and whoever reads imported sheets from a script looks for them beside the page.
    """
    recorded: ClassVar[str] = (
        "Each time you press Run, and what your program printed. Runs are there to help you: the "
        "interviewers can see them, and they are not scored."
    )
    """What is recorded beside the answer, in the words of the page before the start."""
    keeps_terminal: ClassVar[bool] = False
    """Whether a terminal that runs is never started anew: what it stands on is the candidate's work."""
    ending_words: ClassVar[Mapping[str, object]] = {}
    """How a terminal ended, or "queued" or "away" -> what the page says in place of the usual sentence."""
    run_words: ClassVar[Mapping[str, str]] = {}
    """State of a run -> what the candidate reads in place of its detail."""

    def template(self, attempt: Attempt) -> dict[str, str]:
        """The files that an answer starts with."""
        return dict(pack_of(attempt.pack_version.name).template(attempt.level))

    def program(self, attempt: Attempt, body: Json) -> dict[str, str]:
        """What is graded: the candidate's files under the pack's read-only ones."""
        pack = pack_of(attempt.pack_version.name)
        template = pack.template(attempt.level)
        fixed = {path: template[path] for path in pack.read_only(attempt.level)}
        return {**body["files"], **fixed}

    def handed_in(self, attempt: Attempt, body: Json, round_: int) -> dict[str, str]:
        """What is graded of the round; may wait for what is still being kept of it."""
        return self.program(attempt, body)

    def play(
        self, attempt: Attempt, files: Mapping[str, str], workload: str, cancel: threading.Event
    ) -> Json | None:
        """The report of a run that needs no sandbox; None: the sandbox runs it."""
        return None

    def guest(self, row: Any, news: threading.Event) -> object:
        """What a terminal's host hosts for this session, a `terminal.guests.Guest`; None: a copied cluster."""
        return None

    def built(self, folder: Path) -> None:
        """What is made of the materials by the worker that built them, before anybody waits for it."""

    def opened(self, folder: Path) -> None:
        """What begins when a room is opened, so that it is there when it is asked for."""


DESIGN_STARTER = """\
# Pseudocode

Write the loop that your automation runs, step by step, in any notation that a colleague can follow.
Say what it reads, what it decides and by which thresholds, what it calls, and what it does when a
call fails. Nothing here is run; people read it.

"""


class Design(Workplace):
    """Pseudocode in place of a program: nothing is run, people read it."""

    recorded = ""

    def template(self, attempt: Attempt) -> dict[str, str]:
        """One text."""
        return {"design.md": DESIGN_STARTER}


WRITTEN = "answer.json"


class Room(Workplace):
    """Materials to look at, a file that the page keeps of what is pinned or planned, and prose.

    `key` is the graded answer's key for the file `path`; where the file is an object with that very
    key, `inside`, what stands under it is taken, else the whole object. `empty` counts where the file
    cannot be read.
    """

    recorded = ""
    path: ClassVar[str]
    starter: ClassVar[str]
    key: ClassVar[str]
    inside: ClassVar[bool] = True
    empty: ClassVar[Any] = []

    def template(self, attempt: Attempt) -> dict[str, str]:
        """The file as it is before anything is in it."""
        return {self.path: self.starter}

    def program(self, attempt: Attempt, body: Json) -> dict[str, str]:
        """The written answer."""
        return {WRITTEN: self.written(body)}

    def written(self, body: Json) -> str:
        """The file and the sections as the one object that graders of written answers read.

        A file that cannot be read counts as empty: the prose is an answer without it. What no page and
        no database could hold is replaced, so that one half of an emoji does not take the whole answer
        with it.
        """
        found = self._read(body["files"].get(self.path, ""))
        whole = {"sections": body["sections"], self.key: found}
        return writable(json.dumps(whole, ensure_ascii=False, sort_keys=True))

    def _read(self, text: str) -> Any:
        """What the file says, or `empty`; the text itself stays in the draft as it is."""
        try:
            data = json.loads(text, parse_constant=_nothing, parse_float=_finite)
            found = data[self.key] if self.inside else data
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.empty
        return found if isinstance(found, type(self.empty)) else self.empty


def _nothing(name: str) -> None:
    """In place of NaN and Infinity, which Python reads and writes and JSON does not have."""


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


DESIGN = Design()


def workplace_of(exercise: Exercise) -> Workplace:
    """Where the exercise is worked at."""
    if not exercise.is_measured:
        return DESIGN
    found = part(exercise.traits, "assessments.{}.workplace")
    if not isinstance(found, Workplace):
        raise TypeError(f"{found!r} is no Workplace.")
    return found
