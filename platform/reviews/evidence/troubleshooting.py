"""Evidence of a graded troubleshooting answer as staff read it, before and after their own scorecard.

Before, only what the grader picked out of the text: quotes, and the words and places by which it did.
Which cause they were taken for, and whether that is so, is what the measures count, and comes after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from assessments.models import Attempt, GradingRun
from assessments.troubleshooting.workplace import BOARD
from graders.troubleshooting.catalogue import CAUSE, subjects
from graders.troubleshooting.grading import KIND as GRADER
from reviews.evidence import board_text, corrections, first_mention, troubleshooting_key
from reviews.evidence.answer_text import visible
from reviews.evidence.corrections import Corrected
from reviews.evidence.kinds import KeptFile, StaffWithKey
from reviews.evidence.ordinary_minutes import OrdinaryTime, ordinary_time_of
from reviews.evidence.readings import Choices, Reader
from reviews.evidence.sentences_read import HowRead, how_read, how_sure
from reviews.evidence.troubleshooting_key import line_url
from reviews.models import MatchCorrection

Verdict = MatchCorrection.Verdict
STATES: dict[str, tuple[str, str]] = {
    "found": ("found", "good"),
    "named": ("named, not where", "warn"),
    "named, wrong place": ("named at a wrong place", "bad"),
    "contradicted": ("claimed and put aside", "warn"),
    "put aside": ("put aside", "bad"),
    "missed": ("not mentioned", "bad"),
    "dismissed": ("put aside with evidence", "good"),
    "dismissed without evidence": ("put aside", "info"),
    "ignored": ("not mentioned", ""),
    "swallowed": ("taken for a cause", "bad"),
}
VERDICTS = {
    "states": "claims it",
    "dismisses": "puts it aside",
    "mentions": "mentions it",
    "none": "does not speak of it",
}
PINS = {
    "shows": ("shows it", "good"),
    "about": ("stands at its place", "info"),
    "wrong": ("does not show it", "warn"),
}


@dataclass(frozen=True)
class Match:
    """A statement that was taken to speak of a cause or herring, and what a person corrected in it."""

    statement: str
    subject: str
    where: str
    text: str
    verdict: str
    says: str
    why: str
    words: str
    places: str
    others: str
    elsewhere: str = ""
    given: str = ""
    """What a hypothesis has in its field for the place."""
    guess: bool = False
    sure: str = ""
    correction: MatchCorrection | None = None


@dataclass(frozen=True)
class Pinned:
    """Something that was given as evidence, and whether it shows what it is given for."""

    says: str
    verdict: str
    tone: str
    finding: str
    url: str


@dataclass(frozen=True)
class Subject:
    """What became of one cause or herring, or of a claim that this variant does not bear out."""

    key: str
    title: str
    name: str
    state: str
    tone: str
    matches: list[Match]
    taken_back: list[MatchCorrection] = field(default_factory=list)
    why: str = ""
    true_hours: float | None = None
    said_hours: list[float] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    pins: list[Pinned] = field(default_factory=list)
    minute: int | None = None
    """When it was put on the board."""
    written: int | None = None
    """When a sentence of the sections that claims it first stood in a saved draft."""


@dataclass(frozen=True)
class Quote:
    """Something that the grader picked out, without what it took it for.

    Places that the grader found are left out: it knows only the right ones, so that naming them would
    say which. `given` is what the candidate wrote into a hypothesis's own field for the place.
    """

    statement: str
    where: str
    text: str
    words: str
    given: str = ""


@dataclass(frozen=True)
class Shown:
    """Everything on the page for somebody whose own scorecard is in."""

    causes: list[Subject]
    herrings: list[Subject]
    claims: list[Subject]
    pins: list[tuple[str, str, Pinned]]
    """(hypothesis, its claim, what it was given)"""
    unmatched: list[Quote]
    order: list[dict[str, Any]]
    notes: list[str]
    held: Corrected
    read: HowRead | None = None
    """None in reports from before this was kept."""


def quotes(report: Mapping[str, Any] | None) -> list[Quote]:
    """What may be read before the own scorecard is in: no cause, no verdict, no figure."""
    reading = GRADER.reading_in(report) or {"statements": []}
    return [quote(row) for row in reading["statements"] if row["matches"]]


def quote(row: Mapping[str, Any]) -> Quote:
    """A statement of the reading, or an unmatched one of the evidence."""
    words = dict.fromkeys(word for one in row.get("matches") or [] for word in one["words"])
    name = str(row.get("id") or row.get("statement"))
    given = visible(str(row.get("place", "")))
    return Quote(name, str(row["where"]), visible(str(row["text"])), ", ".join(words), given)


def shown(attempt: Attempt, run: GradingRun, held: Corrected) -> Shown:
    """The evidence with corrections in force, for somebody who may see the round's measures."""
    rows = corrections.rows_with(run.report or {}, held)
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        kinds.setdefault(str(row.get("kind")), []).append(row)
    ordinary_time, room = (
        ordinary_time_of(attempt),
        reverse("admin:attempt-room", args=[attempt.pk]),
    )
    claimed = {text for row in kinds.get("cause", []) for text in _claims(row)}
    subject = _Maker(
        held, ordinary_time, room, first_mention.minutes(attempt, claimed, ordinary_time)
    )
    herrings = {row["key"] for row in kinds.get("herring", [])}
    return Shown(
        causes=[subject.cause(row) for row in kinds.get("cause", [])],
        herrings=[subject.herring(row) for row in kinds.get("herring", [])],
        claims=[subject.claim(row) for row in kinds.get("claim", []) if row["key"] not in herrings],
        pins=[
            (str(row["statement"]).removeprefix("h:"), visible(row["claim"]), _pinned(row, room))
            for row in kinds.get("pin", [])
        ],
        unmatched=[quote(row) for row in kinds.get("unmatched", [])],
        order=[
            _step(row, ordinary_time)
            for one in kinds.get("investigation", [])
            for row in one["order"]
        ],
        notes=[visible(str(row["text"])) for row in kinds.get("note", [])],
        held=held,
        read=next(map(how_read, kinds.get("how_read", [])), None),
    )


@dataclass(frozen=True)
class _Maker:
    """Makes the page's subjects of the evidence's rows."""

    held: Corrected
    ordinary_time: OrdinaryTime
    room: str
    written: Mapping[str, int]
    """Sentence -> minute of the first draft that held it."""

    def cause(self, row: Mapping[str, Any]) -> Subject:
        says, tone = STATES.get(row["state"], (str(row["state"]), ""))
        board = row.get("minute")
        return Subject(
            key=row["key"],
            title=row["title"],
            name=row["name"],
            state=says,
            tone=tone,
            matches=self._matches(row),
            taken_back=self._removed(row),
            true_hours=row["hours"]["true"],
            said_hours=row["hours"]["said"],
            actions=[
                f"{part}: {visible(one['words'])} ({one['where']})"
                for part, found in row["actions"].items()
                for one in found
            ],
            pins=[_pinned(one, self.room) for one in row["pins"]],
            minute=None if board is None else self.ordinary_time.minute(board),
            written=min((self.written[t] for t in _claims(row) if t in self.written), default=None),
        )

    def herring(self, row: Mapping[str, Any]) -> Subject:
        says, tone = STATES.get(row["state"], (str(row["state"]), ""))
        return Subject(
            row["key"],
            row["title"],
            row["name"],
            says,
            tone,
            self._matches(row),
            self._removed(row),
            row["why"],
        )

    def claim(self, row: Mapping[str, Any]) -> Subject:
        return Subject(
            row["key"],
            row["name"],
            row["name"],
            str(row["finding"]).rstrip("."),
            "warn",
            self._matches(row),
            self._removed(row),
        )

    def _matches(self, row: Mapping[str, Any]) -> list[Match]:
        return [_match(one, self.held) for one in row["statements"]]

    def _removed(self, row: Mapping[str, Any]) -> list[MatchCorrection]:
        """Statements that a person took away from this subject."""
        return [
            one
            for (_, subject), one in self.held.newest.items()
            if subject == row["key"] and one.verdict == Verdict.NONE
        ]


def _claims(row: Mapping[str, Any]) -> list[str]:
    """Sentences of the sections that claim a cause, as the answer has them."""
    said = [one for one in row["statements"] if one["verdict"] == "states"]
    return [str(one["text"]) for one in said if not str(one["statement"]).startswith("h:")]


def _match(row: Mapping[str, Any], held: Corrected) -> Match:
    return Match(
        statement=row["statement"],
        subject=row["subject"],
        where=row["where"],
        text=visible(row["text"]),
        verdict=row["verdict"],
        says=VERDICTS.get(row["verdict"], str(row["verdict"])),
        why=visible(str(row["why"])),
        words=", ".join(row["words"]),
        places=", ".join(row["places"]),
        others=", ".join(row["wrong_places"]),
        elsewhere=", ".join(row.get("elsewhere", ())),
        given=visible(str(row.get("place", ""))),
        guess=bool(row.get("guess")),
        sure=how_sure(row.get("sure")),
        correction=held.newest.get((row["statement"], row["subject"])),
    )


def _pinned(row: Mapping[str, Any], room: str) -> Pinned:
    verdict, tone = PINS.get(str(row.get("verdict", "wrong")), PINS["wrong"])
    path, line = str(row.get("path") or ""), int(row.get("line") or 0)
    url = line_url(room, path, line) if path and line > 0 else ""
    return Pinned(visible(str(row["says"])), verdict, tone, visible(str(row["finding"])), url)


def _step(row: Mapping[str, Any], ordinary_time: OrdinaryTime) -> dict[str, Any]:
    """One hypothesis in the order in which they were written down."""
    decided = row.get("decided")
    return {
        "minute": ordinary_time.minute(row["minute"]),
        "decided": None if decided is None else ordinary_time.minute(decided),
        "claim": visible(row["claim"]),
        "status": row["status"],
        "subjects": ", ".join(subjects()[key].name for key in row["subjects"] if key in subjects()),
    }


class TroubleshootingStaff(StaffWithKey, Reader):
    """Answers to troubleshooting exercises: prose and a board, held against causes and red herrings."""

    grader = GRADER
    verdicts = {
        "states": "names it as a cause",
        "dismisses": "says that it is harmless",
        "none": "does not speak of it",
    }
    said = {
        "states": "“{quote}” names {name} as a cause.",
        "dismisses": "“{quote}” says that {name} is harmless.",
        "none": "“{quote}” does not speak of {name}.",
        "withdrawn": "“{quote}” and {name}: as the machine read it.",
    }
    nothing = "It fits no cause and no red herring that it knows."
    evidence = "reviews/_troubleshooting_evidence.html"
    hidden = (
        "So is which cause was found: counting those is the measure. The key is open to you, and what "
        "the machine picked out of the answer is quoted."
    )
    key_page = "reviews/key_troubleshooting.html"
    file = KeptFile(BOARD, board_text.TITLE, board_text.readable)
    act, runs = "command", ("", "")

    def round(
        self, attempt: Attempt, run: GradingRun | None, held: Corrected, *, sees: bool
    ) -> dict[str, Any]:
        """What was picked out of the answer, or all that was made of it."""
        if run is None:
            return {"shown": None, "before": None}
        return {"shown": shown(attempt, run, held)} if sees else {"before": quotes(run.report)}

    def sheet(self, attempt: Attempt) -> troubleshooting_key.Sheet:
        """Causes and red herrings, and where they show."""
        return troubleshooting_key.sheet(attempt)

    def knows(self, subject: str) -> bool:
        return subject in subjects()

    def name(self, subject: str) -> str:
        return subjects()[subject].name

    def choices(self, reading: Mapping[str, Any]) -> Choices:
        truth = reading.get("truth") or {"causes": [], "herrings": []}
        own = {row["key"] for kind in ("causes", "herrings") for row in truth[kind]}
        groups = [
            ("Causes of this variant", True, True),
            ("Red herrings of this variant", True, False),
            ("Other causes", False, True),
            ("Other red herrings", False, False),
        ]
        found = [
            (
                title,
                [
                    (one.key, one.name)
                    for one in subjects().values()
                    if (one.key in own, one.kind == CAUSE) == (is_own, is_cause)
                ],
            )
            for title, is_own, is_cause in groups
        ]
        return [(title, rows) for title, rows in found if rows]

    def place(self, row: Mapping[str, Any]) -> str:
        return str(row["where"])


KIND = TroubleshootingStaff()
