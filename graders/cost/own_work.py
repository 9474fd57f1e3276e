"""Questions about a table of savings: what its figures rest on, and what becomes of them beside each other.

Everything is right by construction: a row's filter selects cost rows of the bill, which are added up; what two
savings leave of each other follows from the bill's own model, in which each acts on what the other left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, zip_longest
from typing import Any

from graders.cost.answer import Answer, parse
from graders.cost.reading import read
from graders.cost.scope import Group, groups_of
from graders.cost.tally import Tally, tally, usd
from graders.own_work import NUMBER, OPTIONS, PLACE, Asker, Own, Question, choice, drawn
from graders.written import BadAnswer
from scenarios.cost.catalogue import levers

Json = dict[str, Any]
BANDS = (
    (0.05, "Less than a twentieth of it"),
    (0.15, "A twentieth to a seventh of it"),
    (0.35, "A seventh to a third of it"),
    (0.65, "A third to two thirds of it"),
    (1.0, "More than two thirds of it"),
)
"""Part of what rows cost up to which a figure lies in a band."""
EDGE = 0.15
"""So near the edge of a band, as a part of it, the one beside it would be as right."""
LEFT = (
    (0.03, "Nothing of it is left: the two act on the same money and only one can be had."),
    (0.45, "Less than half of it is left."),
    (0.9, "It becomes smaller; more than half of it is left."),
    (1.0, "It stays as it is: the two do not touch the same money."),
)
"""Part of a saving that is left when another is taken first, up to which each sentence holds."""
CLEAR = 0.02
HURT, CLEARLY = 0.9, 0.1
"""What a row keeps at most that counts as losing, and how much less than any other it has to keep."""
MOST_LABEL = 90


@dataclass(frozen=True, slots=True)
class Table:
    """The answer beside the bill: what was read of it, and the groups of cost rows."""

    answer: Answer
    found: Tally
    groups: Sequence[Group]

    def name(self, row: Json) -> str:
        """How a question calls a row of the table."""
        what = " ".join(str(row["text"]).split())
        short = what if len(what) <= MOST_LABEL else what[: MOST_LABEL - 1].rstrip() + "…"
        return f"“{short}”" if short else f"row {row['id']}"

    def selecting(self) -> list[Json]:
        """Rows whose filter selects something, the dearest first."""
        rows = [
            row for row in self.found.rows if row["selected_rows"] and row["selected_cents"] > 0
        ]
        return sorted(rows, key=lambda row: (-row["selected_cents"], row["id"]))


class TableAsker(Asker):
    """Asks about tables of savings; nothing of the answer's is run."""

    needs_sandbox = False

    def proposed(self, own: Own) -> Iterator[Question]:
        """In turn: what is left after another, what rows cost, which rows, which part, what shares money."""
        asked = own.asked
        try:
            answer = parse(asked.files.get(asked.pack.entry, ""))
        except BadAnswer:
            return
        found = tally(read(answer, asked.profile, asked.level, asked.seed))
        table = Table(answer, found, groups_of(asked.profile, asked.level, asked.seed))
        kinds = [make(own, table) for make in (_hurt, _left, _rests, _shares, _cost, _part)]
        for in_turn in zip_longest(*kinds):
            yield from (one for one in in_turn if one)


KIND = TableAsker()


def _hurt(own: Own, table: Table) -> Iterator[Question]:
    """Which own row loses most of its saving when another is taken first; none where that is not clear."""
    one = table.found
    for other in one.real:
        parts = {key: _part_left(one, key, other) for key in one.real if key != other}
        ranked = sorted((part, key) for key, part in parts.items() if part is not None)
        if len(ranked) < OPTIONS or ranked[0][0] > HURT or ranked[1][0] - ranked[0][0] < CLEARLY:
            continue
        names = {key: table.name(one.row(one.named[key][0])) for _, key in ranked}
        least, key = ranked[0]
        question = choice(
            own,
            f"hurt/{other}",
            "hurt",
            f"{table.name(one.row(one.named[other][0]))} is carried out first. Which of these rows of yours"
            " loses the largest part of its saving by it?",
            names[key],
            drawn(f"{own.digest}/hurt/{other}", [names[more] for _, more in ranked[1:]]),
            f"{levers()[key].title} keeps {least:.0%} of what it saves by itself; of the others each keeps"
            f" {ranked[1][0]:.0%} or more.",
            form=PLACE,
        )
        if question:
            yield question


def _left(own: Own, table: Table) -> Iterator[Question]:
    """What of one saving is left when another of the same table is taken first.

    Pairs are taken from each band in turn, so that no sentence is right more often than others.
    """
    one, said = table.found, [text for _, text in LEFT]
    bands: dict[str, list[str]] = {}
    parts: dict[str, float] = {}
    for key, other in permutations(one.real, 2):
        part = _part_left(one, key, other)
        if part is not None and _is_clear(part):
            bands.setdefault(said[_band(part)], []).append(f"{key}/{other}")
            parts[f"{key}/{other}"] = part
    rows = [
        drawn(f"{own.digest}/left", bands[band])
        for band in drawn(f"{own.digest}/bands", list(bands))
    ]
    for pair in (one for in_turn in zip_longest(*rows) for one in in_turn if one):
        key, other = pair.split("/")
        mine, theirs = (one.row(one.named[each][0]) for each in (key, other))
        part, alone = parts[pair], one.lever(key)["alone"]
        at = _band(part)
        question = choice(
            own,
            f"left/{pair}",
            "left",
            f"{table.name(theirs)} is carried out first. What is then left of the saving of"
            f" {table.name(mine)}?",
            said[at],
            [text for text in said if text != said[at]],
            f"In this bill {levers()[key].title.lower()} saves {usd(alone)} by itself and"
            f" {usd(part * alone)} after {levers()[other].title.lower()}: {part:.0%}.",
            near=[said[near] for near in (at - 1, at + 1) if 0 <= near < len(said)],
        )
        if question:
            yield question


def _band(part: float) -> int:
    return next(number for number, (most, _) in enumerate(LEFT) if part <= most + 1e-9)


def _part_left(one: Tally, key: str, other: str) -> float | None:
    alone = one.saved([key])
    if alone <= 0:
        return None
    if levers()[key].group and levers()[key].group == levers()[other].group:
        return 0.0
    return max(0.0, min(1.0, (one.saved([key, other]) - one.saved([other])) / alone))


def _is_clear(part: float) -> bool:
    """Whether no band's edge lies so near that the next one would be as right."""
    return all(abs(part - most) > CLEAR for most, _ in LEFT[:-1])


def _rests(own: Own, table: Table) -> Iterator[Question]:
    """Which of four kinds of cost rows is among those that a row's filter selects."""
    every = list(dict.fromkeys(map(_label, table.groups)))
    for row in table.selecting():
        inside: dict[str, int] = {}
        for at in row["picked"]:
            label = _label(table.groups[at])
            inside[label] = inside.get(label, 0) + table.groups[at].cents
        outside = [label for label in every if label not in inside]
        said = " ".join(text for values in row["where"].values() for text in values).lower()
        hidden = [label for label in inside if not _is_named(label, said)]
        if not hidden or len(outside) < 3:
            continue
        right = drawn(f"{own.digest}/hidden/{row['id']}", hidden)[0]
        question = choice(
            own,
            f"rests/{row['id']}",
            "rests",
            f"The filter of {table.name(row)} selects {row['selected_rows']:,} cost rows. Which of these are"
            " among them?",
            right,
            _like(own, right, outside),
            f"Of these {usd(inside[right])} are selected by the filter; the other three lie outside it.",
        )
        if question:
            yield question


def _label(group: Group) -> str:
    account = group.account[0] if group.account else group.team
    return " · ".join(text for text in (group.service, group.meter, account) if text)


def _is_named(label: str, said: str) -> bool:
    """Whether the filter itself says what the label says."""
    return any(part.lower() in said for part in label.split(" · "))


def _like(own: Own, right: str, outside: Sequence[str]) -> list[str]:
    """What lies outside, what shares most words with the right one first."""
    mine = set(right.split(" · "))
    mixed = drawn(f"{own.digest}/{right}", outside)
    return sorted(mixed, key=lambda label: -len(mine & set(label.split(" · "))))


def _cost(own: Own, table: Table) -> Iterator[Question]:
    """What the rows cost at which a row of the table points."""
    for row in table.selecting():
        dollars = row["selected_cents"] / 100
        if dollars < 100:
            continue
        yield Question(
            key=f"cost/{row['id']}",
            topic="cost",
            prompt=f"What do the cost rows come to, in the twelve months, at which {table.name(row)} points?",
            form=NUMBER,
            right=round(dollars, 2),
            reckoning=f"Its filter selects {row['selected_rows']:,} rows, together {dollars:,.0f} USD.",
            unit="USD",
        )


def _part(own: Own, table: Table) -> Iterator[Question]:
    """Which part of what the selected rows cost a figure is."""
    for row in table.selecting():
        claimed = table.found.figure(row["id"])
        if not claimed or row["figure"][0] == "percent":
            continue
        part = claimed / row["selected_cents"]
        if part > 1 or any(abs(part - most) < EDGE * most for most, _ in BANDS[:-1]):
            continue
        at = next(number for number, (most, _) in enumerate(BANDS) if part <= most)
        said = [text for _, text in BANDS]
        others = sorted((n for n in range(len(BANDS)) if n != at), key=lambda n: abs(n - at))
        question = choice(
            own,
            f"part/{row['id']}",
            "part",
            f"Which part of what its cost rows come to do you save with {table.name(row)}?",
            said[at],
            [said[number] for number in others],
            f"{usd(claimed)} of {usd(row['selected_cents'])}: {part:.0%}.",
            near=[said[number] for number in others[:2] if abs(number - at) == 1],
        )
        if question:
            yield question


def _shares(own: Own, table: Table) -> Iterator[Question]:
    """Which other row of the own table acts on the same cost rows."""
    rows = table.selecting()
    for row in rows:
        mine = set(row["picked"])
        others = [other for other in rows if other["id"] != row["id"]]
        shared = [other for other in others if mine & set(other["picked"])]
        apart = [table.name(other) for other in others if not mine & set(other["picked"])]
        if len(shared) != 1:
            continue
        both = sum(table.groups[at].cents for at in mine & set(shared[0]["picked"]))
        question = choice(
            own,
            f"shares/{row['id']}",
            "shares",
            f"Which of these rows of your table acts on cost rows at which {table.name(row)} points as well?",
            table.name(shared[0]),
            drawn(f"{own.digest}/shares/{row['id']}", apart),
            f"The two share {usd(both)}; the others share nothing with it.",
            form=PLACE,
        )
        if question:
            yield question
