"""Choose questions for an interview: by a job description, by traits, by what came out weak."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from library.models import HIGHEST, Question, Seniority
from library.vocabulary import Found, find, own_phrases, phrases, read_vocabulary

MINUTES = {Seniority.JUNIOR: 6, Seniority.MID: 8, Seniority.SENIOR: 10}
ARCHITECTURE_MINUTES = 20
# A question one level away from the wanted one counts less; two levels away, much less.
NEARNESS = (1.0, 0.75, 0.4)
# A second question of one section counts less, so that a set covers more of the work.
SAME_SECTION = 0.6
RELATED = 1.5  # for questions that belong to the exercise whose criteria came out weak


@dataclass(frozen=True)
class Weakness:
    """A criterion that came out weak: its title and dimension, and the mean rating, 1 to 5."""

    title: str
    dimension: str
    mean: float


@dataclass
class Wish:
    """What the set is for."""

    text: str = ""
    traits: Sequence[str] = ()
    weaknesses: Sequence[Weakness] = ()
    exercise: str = ""  # kind of exercise that the weaknesses come from
    level: str = "mid"
    minutes: int = 45


@dataclass
class Reason:
    """Why a topic counts: said in words, with its share of the score."""

    said: str
    weight: float


@dataclass
class Chosen:
    question: Question
    minutes: int
    score: float
    reasons: list[Reason]

    @property
    def why(self) -> str:
        return "; ".join(reason.said for reason in self.reasons)


@dataclass
class Proposal:
    """What was chosen, what the words were, what did not fit any more."""

    chosen: list[Chosen] = field(default_factory=list)
    words: list[tuple[str, list[str]]] = field(default_factory=list)  # (words, topics)
    left_out: list[Chosen] = field(default_factory=list)

    @property
    def minutes(self) -> int:
        return sum(item.minutes for item in self.chosen)


def minutes_for(question: Question) -> int:
    """Minutes that a question usually takes, follow-ups included."""
    if question.discussion_points:
        return ARCHITECTURE_MINUTES
    return MINUTES[Seniority(question.level)]


def propose(wish: Wish, questions: Iterable[Question]) -> Proposal:
    """A set from the present questions; the same wish and bank always give the same set."""
    bank = sorted(questions, key=lambda row: (row.topic_id, row.pk))
    own = [row for row in bank if not row.shipped]
    found = find(wish.text, [*phrases(), *own_phrases(own)])
    reasons = _reasons(wish, found)
    candidates = [
        made for question in bank if (made := _candidate(question, reasons, wish)) is not None
    ]
    proposal = Proposal(words=_words(found, bank))
    # "With time to spare": an optional question comes after all the others that speak to the wish.
    for optional in (False, True):
        group = [item for item in candidates if item.question.optional is optional]
        _fill(proposal, group, wish.minutes)
    return proposal


def _reasons(wish: Wish, found: list[Found]) -> dict[str, list[Reason]]:
    """Topic id (or an own question's family) -> why it counts."""
    reasons: dict[str, list[Reason]] = defaultdict(list)
    words: dict[str, list[Found]] = defaultdict(list)
    for item in found:
        words[item.topic].append(item)
    for topic, items in words.items():
        ordered = sorted(items, key=lambda item: -item.weight)
        quoted = ", ".join(f"“{item.words}”" for item in ordered[:5])
        reasons[topic].append(Reason(f"text: {quoted}", sum(item.weight for item in items)))
    data = read_vocabulary()
    for key in wish.traits:
        trait = data["traits"][key]
        for topic, weight in trait["topics"].items():
            reasons[topic].append(Reason(f"trait: {trait['title'].lower()}", weight))
    for weak in wish.weaknesses:
        for topic, weight in data["dimensions"].get(weak.dimension, {}).items():
            said = f"{weak.title} was rated {weak.mean:.1f} of {HIGHEST}"
            reasons[topic].append(Reason(said, weight * (HIGHEST - weak.mean)))
    return reasons


def _candidate(question: Question, reasons: dict[str, list[Reason]], wish: Wish) -> Chosen | None:
    key = question.topic_id if question.shipped else question.family
    why = reasons.get(key, [])
    score = sum(reason.weight for reason in why)
    if not score:
        return None
    levels = Seniority.values
    score *= NEARNESS[abs(levels.index(question.level) - levels.index(wish.level))]
    if wish.exercise and question.related_exercise == wish.exercise:
        score *= RELATED
    return Chosen(question, minutes_for(question), score, why)


def _fill(proposal: Proposal, candidates: list[Chosen], minutes: int) -> None:
    """Take the best that fits, again and again; what remains is left out, best first."""
    sections: dict[str, int] = defaultdict(int)
    for item in proposal.chosen:
        sections[item.question.section] += 1
    remaining = list(candidates)
    while remaining:
        fitting = [item for item in remaining if proposal.minutes + item.minutes <= minutes]
        if not fitting:
            break
        best = max(fitting, key=lambda i: i.score * SAME_SECTION ** sections[i.question.section])
        sections[best.question.section] += 1
        proposal.chosen.append(best)
        remaining.remove(best)
    proposal.left_out += sorted(remaining, key=lambda item: -item.score)


def _words(found: list[Found], bank: list[Question]) -> list[tuple[str, list[str]]]:
    """Each word of the text once, with the topics it led to."""
    titles = {(q.topic_id if q.shipped else q.family): q.topic for q in bank}
    rows: dict[str, list[str]] = {}
    for item in found:
        if item.topic in titles:
            topics = rows.setdefault(item.words.lower(), [])
            if titles[item.topic] not in topics:
                topics.append(titles[item.topic])
    return sorted(rows.items())
