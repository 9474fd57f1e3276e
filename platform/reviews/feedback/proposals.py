"""Questions about this very answer, for explain and defend and for interviews: proposed, never put by itself.

Three sources, in the order of what they tell: what the feedback challenged and the revision answered, what
the program found in the graded answer, and the pack's own guide. The same answer, grading and feedback
always give the same proposals in the same order. Nothing here reaches the candidate but the questions that
somebody puts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from accounts.models import User
from assessments import company
from assessments.models import Attempt, GradingRun
from library.packs import pack_of
from reviews.answers import submission_of
from reviews.evidence.answer_text import Part, parts, section_titles, title_of, visible
from reviews.feedback import challenges
from reviews.models import Feedback
from reviews.visibility import may_see_feedback, may_see_measures
from scenarios.packs import PackNotFound

Json = dict[str, Any]
FROM_REVISION = "what the revision was asked for"
FROM_MACHINE = "what the program found"
FROM_GUIDE = "the exercise’s guide"
WHOLE = "the whole answer"
MOST_FINDINGS, MOST_MEASURES = 6, 2
WEAK = 0.6  # of 1: a measure above it is nothing to ask about
ABOUT = {"What good looks like": "", "Common mistakes": "A common mistake: "}
ASKS = ("Follow-up questions", "Questions for the conversation")
STEM = 6  # first letters by which words are held to be the same
EXCERPT = 90


@dataclass(frozen=True)
class Proposal:
    """A question with the place in the answer that it is about and what a good answer says."""

    source: str
    text: str
    place: str
    expected: tuple[str, ...]

    @property
    def key(self) -> str:
        """What names it in a form: it stays the same as long as the question does."""
        return hashlib.sha256(f"{self.source}\n{self.text}".encode()).hexdigest()[:12]


class _Spot(NamedTuple):
    """A line of the answer with its words."""

    part: Part
    number: int
    text: str
    words: frozenset[str]


def proposals(attempt: Attempt, viewer: User) -> list[Proposal]:
    """What may be asked about the first answer, as far as the viewer may know of it; [] before it is in."""
    answer = submission_of(attempt, 1)
    if answer is None or not viewer.has_perm("assessments.view_submission"):
        return []
    read = parts(answer.body, section_titles(attempt))
    found = [
        *_challenged(attempt, viewer),
        *_measured(attempt, viewer, read),
        *_guided(attempt, read),
    ]
    return list({one.key: one for one in found}.values())


def _challenged(attempt: Attempt, viewer: User) -> Iterator[Proposal]:
    """What the released feedback asked for, and what became of it."""
    feedback = Feedback.objects.filter(attempt=attempt).exclude(released_at=None).first()
    if feedback is None or not may_see_feedback(viewer, attempt):
        return
    place = feedback.improvement_place or WHOLE
    if feedback.focus and not feedback.improvement_place:
        place = title_of(feedback.focus, section_titles(attempt))
    reasons = [str(one) for one in feedback.challenge.get("reasons", [])]
    if asked := feedback.challenge.get("question"):
        yield Proposal(FROM_REVISION, str(asked), place, tuple(reasons) or (feedback.improvement,))
    yield Proposal(
        FROM_REVISION,
        "You were asked to improve one thing. What did you change for it, what did you leave as it was "
        "on purpose, and what would you do with another hour?",
        place,
        (f"The feedback asked: {feedback.improvement}", *reasons),
    )


def _measured(attempt: Attempt, viewer: User, read: Sequence[Part]) -> Iterator[Proposal]:
    """From the newest grading of the first answer; nothing while measures are hidden from the viewer."""
    if not may_see_measures(viewer, attempt, 1):
        return
    rows = GradingRun.objects.filter(
        submission__attempt=attempt,
        submission__round=1,
        submission__superseded_at=None,
        report__isnull=False,
    )
    run = rows.order_by("-pk").first()
    if run is None or not run.report:
        return
    for row in challenges.suggestions(attempt, viewer):
        yield Proposal(FROM_MACHINE, row.question, row.place, tuple(row.reasons))
    made = (_of_row(row, read) for row in run.report.get("evidence") or [])
    yield from [one for one in made if one][:MOST_FINDINGS]
    if gap := _unexplained(run.report.get("evidence") or []):
        yield gap
    yield from _weak_measures(run.report.get("measures") or [], read)


def _of_row(row: Json, read: Sequence[Part]) -> Proposal | None:
    """The question that a row of evidence raises, if it raises one."""
    match row.get("kind"):
        case "finding" if not row.get("aside"):
            return _of_finding(row)
        case "claim" if row.get("statements"):
            said = row["statements"][0]
            return Proposal(
                FROM_MACHINE,
                f"You write “{_short(said['text'])}”. Which reading shows it, and which would have shown "
                "you that it is not so?",
                str(said.get("where") or WHOLE),
                (f"{row['name']}: {row['finding']}", "Names the reading that clears it."),
            )
        case "workload" if row.get("status") == "candidate_error":
            name = row.get("title") or row.get("name") or "a hidden workload"
            return Proposal(
                FROM_MACHINE,
                f"On a day that you did not see ({name}) your program stopped. What could have happened "
                "there, and how would you have noticed before?",
                _first_file(read),
                (
                    f"What happened: {row.get('detail') or 'it stopped with an error of its own.'}",
                    "Names a cause that fits, the place in the program, and a test or a log line that "
                    "would have shown it.",
                ),
            )
    return None


def _of_finding(row: Json) -> Proposal:
    """A finding of the cost or the scaling exercise, about rows of the table or the plan."""
    named = [str(one["text"]) for one in row.get("rows") or [] if one.get("text")]
    given = [str(one) for one in row.get("opportunities") or []]
    place = "; ".join(named[:2]) or (f"row {', '.join(given)} of the table" if given else WHOLE)
    seen = [str(one) for one in row.get("where") or []]
    expected = [str(row["text"]), str(row.get("about") or "")]
    if seen:
        expected.append(f"It could be seen in {', '.join(seen[:3])}.")
    return Proposal(
        FROM_MACHINE,
        f"Take us through {'this part' if place == WHOLE else place}: what did you reckon with, what does it "
        "rest on, and what would have to be otherwise for it not to hold?",
        place,
        tuple(one for one in expected if one),
    )


def _unexplained(evidence: Sequence[Json]) -> Proposal | None:
    """What the answer to a troubleshooting exercise left open; the question does not name the causes."""
    missed = [row for row in evidence if row.get("kind") == "cause" and not row.get("statements")]
    if not missed:
        return None
    told = [f"{row['title']}: {row['hours']['true']:.1f} hours." for row in missed]
    return Proposal(
        FROM_MACHINE,
        "Add up the hours that your causes explain. Which part of the gap is left, and in which part of a "
        "step would you look for it?",
        WHOLE,
        tuple(told),
    )


def _weak_measures(measures: Sequence[Json], read: Sequence[Part]) -> Iterator[Proposal]:
    rated = [row for row in measures if isinstance(row.get("score"), int | float)]
    weak = sorted(
        (row for row in rated if row["score"] < WEAK), key=lambda row: (row["score"], row["key"])
    )
    for row in weak[:MOST_MEASURES]:
        label = str(row["label"])
        facts = (_figures(row), str(row.get("explanation") or ""))
        yield Proposal(
            FROM_MACHINE,
            f"Think of “{label}”: which decision of yours weighs most in it, and what did you get for what it "
            "costs there?",
            _nearest(f"{label} {facts[1]}", read) or _first_file(read),
            (
                *filter(None, facts),
                "Names the rule or value that decides it, and what a change would cost.",
            ),
        )


def _figures(row: Json) -> str:
    value, naive, best = (row.get(name) for name in ("value", "naive", "reference"))
    if not isinstance(value, int | float):
        return ""
    unit = f" {row['unit']}" if row.get("unit") else ""
    said = f"The answer came to {value:.4g}{unit}"
    if isinstance(naive, int | float) and isinstance(best, int | float):
        said += f"; the simple answer to {naive:.4g}, the reference to {best:.4g}"
    return said + "."


def _guided(attempt: Attempt, read: Sequence[Part]) -> Iterator[Proposal]:
    """The guide's questions, each beside the line of this answer that speaks of the same."""
    try:
        pack = pack_of(attempt.pack_version.name)
    except PackNotFound:
        return
    profile = company.of_attempt(attempt)
    guide = _sections(pack.guide(attempt.level, profile, attempt.seed))
    known = [f"{said}{text}" for title, said in ABOUT.items() for text in _items(guide, title)]
    for title in ASKS:
        for text in _items(guide, title):
            yield Proposal(FROM_GUIDE, text, _nearest(text, read) or WHOLE, _closest(text, known))


def _sections(markdown: str) -> dict[str, str]:
    """Heading -> what stands below it, of the second level."""
    pieces = re.split(r"^## +(.+)$", markdown, flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def _items(guide: dict[str, str], title: str) -> list[str]:
    """The points of a list, each on one line, without Markdown's marks; a section without a list gives none."""
    text = next((body for name, body in guide.items() if name.startswith(title)), "")
    found = re.split(r"^(?:\d+\.|[-*]) +", text, flags=re.MULTILINE)[1:]
    plain = (re.sub(r"[*`]+|(?<!\w)_|_(?!\w)", "", one.split("\n\n")[0]) for one in found)
    return [" ".join(one.split()) for one in plain]


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:STEM].lower() for word in re.findall(r"[^\W\d_]{4,}", text))


def _closest(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The points of the guide that share most words with a question, two at most; else its first."""
    wanted = _words(text)
    ranked = sorted(known, key=lambda one: (-len(wanted & _words(one)), known.index(one)))
    close = [one for one in ranked[:2] if wanted & _words(one)]
    return tuple(close or known[:1])


def _nearest(text: str, read: Sequence[Part]) -> str:
    """The line of the answer that shares most words with a text, told with its place; "" where none does."""
    wanted = _words(text)
    spots = (
        _Spot(part, line.number or 0, line.text, _words(line.text))
        for part in read
        for line in part.lines
    )
    best = max(spots, key=lambda spot: len(spot.words & wanted), default=None)
    if best is None or len(best.words & wanted) < 2:
        return ""
    return f"{best.part.title}, line {best.number}: “{_short(best.text.strip())}”"


def _first_file(read: Sequence[Part]) -> str:
    """The answer's own title for its first file that was written, else for its first part."""
    named = [part.title for part in read if part.is_code] or [part.title for part in read]
    return named[0] if named else WHOLE


def _short(text: str) -> str:
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= EXCERPT else shown[: EXCERPT - 1].rstrip() + "…"
