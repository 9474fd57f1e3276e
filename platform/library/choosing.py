"""Choose questions for an interview: by a job description, by traits, by what came out weak."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from library.models import HIGHEST, Question, Seniority
from library.vocabulary import Found, find, own_phrases, phrases, read_vocabulary

MINUTES = {Seniority.JUNIOR: 6, Seniority.MID: 8, Seniority.SENIOR: 10}
ARCHITECTURE_MINUTES = 20
# Where other levels are asked for too: one level away counts less; two levels away, much less.
NEARNESS = (1.0, 0.75, 0.4)
# A second question of one section counts less, so that a set covers more of the work.
SAME_SECTION = 0.6
SAME_TOPIC = 0.1  # two questions of one topic share much of what they find out
RELATED = 1.5  # for questions that belong to the exercise whose criteria came out weak
HINT = 2  # words below this only hint at a topic ("A100"): it is proposed where nothing else speaks
HINTS = 3  # that many together are as good as a name
MAIN = 2.0  # so many times as much as of any other topic a wish speaks of what the job is about


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
    other_levels: bool = False  # whether questions of other levels may be proposed as well
    minutes: int = 45


@dataclass
class Reason:
    """Why a topic counts: said in words, with its share of the score; named, or only hinted at."""

    said: str
    weight: float
    named: bool = True


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
    """A set from the present questions; the same wish and bank always give the same set.

    Of two that are as good the one that was asked less often comes first (`times_asked`, where the
    questions have it).
    """
    bank = sorted(questions, key=lambda row: (row.topic_id, getattr(row, "times_asked", 0), row.pk))
    own = [row for row in bank if not row.shipped]
    found = find(wish.text, [*phrases(), *own_phrases(own)])
    reasons = _reasons(wish, found)
    candidates = [
        made for question in bank if (made := _candidate(question, reasons, wish)) is not None
    ]
    proposal = Proposal(words=_words(found, bank))
    named = [item for item in candidates if any(each.named for each in item.reasons)]
    hinted = [item for item in candidates if item not in named] if named else []
    candidates = named or candidates
    # "With time to spare": an optional question comes after all the others that speak to the wish,
    # but not for whoever is to do just this.
    main = _main(candidates)
    for waits in (False, True):
        group = [
            item
            for item in candidates
            if (item.question.optional and item.question.topic_id != main) is waits
        ]
        _fill(proposal, group, wish.minutes)
    proposal.left_out += sorted(hinted, key=lambda item: -item.score)
    return proposal


def _main(candidates: Sequence[Chosen]) -> str:
    """The topic that the wish speaks of far more than of any other, or nothing."""
    weights: dict[str, float] = {}
    for item in candidates:
        topic = item.question.topic_id
        weights[topic] = max(weights.get(topic, 0), sum(each.weight for each in item.reasons))
    ordered = sorted(weights.items(), key=lambda row: -row[1])
    if not ordered or (len(ordered) > 1 and ordered[0][1] < MAIN * ordered[1][1]):
        return ""
    return ordered[0][0]


def _reasons(wish: Wish, found: list[Found]) -> dict[str, list[Reason]]:
    """Topic id (or an own question's family) -> why it counts."""
    reasons: dict[str, list[Reason]] = defaultdict(list)
    words: dict[str, list[Found]] = defaultdict(list)
    for item in found:
        words[item.topic].append(item)
    for topic, items in words.items():
        ordered = _once(items)
        quoted = ", ".join(f"“{item.words}”" for item in ordered[:5])
        weight = sum(item.weight for item in ordered)
        named = weight >= HINTS or ordered[0].weight >= HINT
        reasons[topic].append(Reason(f"text: {quoted}", weight, named))
    data = read_vocabulary()
    for key in wish.traits:
        trait = data["traits"][key]
        for topic, weight in trait["topics"].items():
            said = f"trait: {trait['title'].lower()}"
            reasons[topic].append(Reason(said, weight, weight >= HINT))
    for weak in wish.weaknesses:
        for topic, weight in data["dimensions"].get(weak.dimension, {}).items():
            said = f"{weak.title} was rated {weak.mean:.1f} of {HIGHEST}"
            share = weight * (HIGHEST - weak.mean)
            reasons[topic].append(Reason(said, share, share >= HINT))
    return reasons


def _once(items: list[Found]) -> list[Found]:
    """The heaviest of those that are the same words of the text, heaviest first."""
    ordered = sorted(items, key=lambda item: -item.weight)
    return list({item.words.lower(): item for item in reversed(ordered)}.values())[::-1]


def _candidate(question: Question, reasons: dict[str, list[Reason]], wish: Wish) -> Chosen | None:
    key = question.topic_id if question.shipped else question.family
    why = reasons.get(key, [])
    score = sum(reason.weight for reason in why)
    if not score:
        return None
    if question.level != wish.level and not wish.other_levels:
        return None
    levels = Seniority.values
    score *= NEARNESS[abs(levels.index(question.level) - levels.index(wish.level))]
    if wish.exercise and question.related_exercise == wish.exercise:
        score *= RELATED
    return Chosen(question, minutes_for(question), score, why)


def _fill(proposal: Proposal, candidates: list[Chosen], minutes: int) -> None:
    """Take the best that fits, again and again; what remains is left out, best first."""
    taken = Counter(mark for item in proposal.chosen for mark in _marks(item))
    remaining = list(candidates)
    while remaining:
        fitting = [item for item in remaining if proposal.minutes + item.minutes <= minutes]
        if not fitting:
            break
        best = max(fitting, key=lambda item: item.score * _freshness(item, taken))
        taken.update(_marks(best))
        proposal.chosen.append(best)
        remaining.remove(best)
    proposal.left_out += sorted(remaining, key=lambda item: -item.score)


def _marks(item: Chosen) -> tuple[str, str]:
    return f"section {item.question.section}", f"topic {item.question.topic_id}"


def _freshness(item: Chosen, taken: Counter[str]) -> float:
    section, topic = _marks(item)
    return float(SAME_SECTION ** taken[section] * SAME_TOPIC ** taken[topic])


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
