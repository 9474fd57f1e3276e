"""In which order an answer would act: by the names, numbers and places of its priorities, or by their rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from graders.troubleshooting.catalogue import subjects
from graders.troubleshooting.figures import hours_said
from graders.troubleshooting.labels import by_label, in_places
from graders.troubleshooting.languages import says
from graders.troubleshooting.matches import Read
from graders.troubleshooting.matching import spoken_of
from graders.troubleshooting.patterns import hits
from graders.troubleshooting.places import tokens_in
from graders.troubleshooting.stance import STATES
from graders.troubleshooting.truth import Truth

Json = dict[str, Any]
_THEN = re.compile(
    r"[>→;、。\n]|,(?!\d)|->|\s/\s|\.\s|\b(?:then|next|after that|afterwards|before|lastly|finally|last|dann"
    r"|danach|anschließend"
    r"|zuletzt|zum schluss|am ende|schließlich|puis|ensuite|enfin|après|luego|después|por último|finalmente"
    r"|poi|infine|dopo"
    r"|depois|daarna|tenslotte|potem|następnie|później|na końcu|wreszcie)\b|次に|それから|最後に|その後",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[>→;]|->|\s/\s|\b(?:then|next(?! (?:run|start|job|submi))|after that|dann|danach|puis|ensuite"
    r"|luego|después|poi|depois|daarna|potem)\b|次に|それから",
    re.IGNORECASE,
)
_LINES, _MOST_TOGETHER = 3, 3
_ROUNDED, _NEAR = 0.05, 0.02
_NUMBER = re.compile(
    r"(?<![\w.,-])#?(\d{1,2})(?![\w]|[.,]\d|\s*(?:h|hr|hours?|s|ms|sec|seconds?|min\w*|%|std|stunden?|horas?"
    r"|heures?|ore|uren|nodes?|gpus?|w|c|°)\b)",
    re.IGNORECASE,
)


def ordered(
    reads: Sequence[Read], rows: Sequence[Json], truth: Truth
) -> tuple[list[list[str]], str]:
    """(groups of subjects in the order in which the section on priorities puts them, why).

    What stands in one entry is one group. The reason is "" where there was nothing to read, and says so
    where there was something that could not be read.
    """
    entries = [read for read in reads if read.statement.section == "priorities"]
    if not entries:
        return [], ""
    claimed = _claimed(rows)
    labels = _labels(rows)
    own = _own_words(rows)
    costs = dict(_hours(rows))
    groups: list[list[str]] = []
    texts: list[str] = []
    seen: set[str] = set()
    whole = in_places("\n".join(read.text for read in entries), _own_labels(rows))
    for part in _entries(_without_item_numbers(whole), len(entries)):
        left = {key: hours for key, hours in costs.items() if key not in seen}
        pieces = [
            _named(piece, claimed, labels, truth) or _echoed(piece, own) or _by_figure(piece, left)
            for piece in _AND.split(part)
        ]
        said = list(dict.fromkeys(key for piece in pieces for key in piece))
        said = said or _by_figure(part, left)
        named = [key for key in said if key not in seen]
        seen.update(named)
        if named or (not said and len(part.split()) > 1):
            groups.append(named)
            texts.append(part)
    groups = _last_one(groups, texts, [key for key in claimed if key not in seen])
    if len(seen) >= min(2, len(claimed)):
        return groups, "as its entries say"
    return _by_rule(entries, rows, claimed)


def _own_words(rows: Sequence[Json]) -> dict[str, set[str]]:
    """The longer words of the sentences by which each cause is claimed, and of no other cause's."""
    words: dict[str, set[str]] = {}
    for row in rows:
        said = {word.lower() for word in _LONG.findall(row["text"])}
        for match in row["matches"]:
            if match["verdict"] == STATES:
                words.setdefault(match["subject"], set()).update(said)
    return {
        key: said - {word for other, more in words.items() if other != key for word in more}
        for key, said in words.items()
    }


def _echoed(part: str, own: Mapping[str, set[str]]) -> list[str]:
    """The cause that an entry names in the very words by which it was claimed, where it is one cause alone."""
    said = {word.lower() for word in _LONG.findall(part)}
    found = [key for key, words in own.items() if said & words]
    return found if len(found) == 1 else []


_ORDINAL = re.compile(
    r"\W*(?:first|second|third|fourth|zuerst|erst|erstens|zweitens|drittens|d['’]abord|premier|primero|segundo|tercero"
    r"|prima|primo|najpierw|eerst|1er|2e|3e|\d[.)])(?:ly)?\b",
    re.IGNORECASE,
)
_LONG = re.compile(r"[^\W\d_]{6,}")
_AND = re.compile(r"\s+(?:and|und|et|y|e|en|i|oraz|&|\+)\s+|\s*\+\s*(?=[^\W\d])|と", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_ITEM = re.compile(r"(?:(?<=^)|(?<=\s))\(?(\d{1,2})[.)]\s+(?=[^\W\d])")


def _without_item_numbers(text: str) -> str:
    """The text of a numbered list ("1. this. 2. that."): its numbers count entries and name no finding."""
    found = [int(match.group(1)) for match in _ITEM.finditer(text)]
    return _ITEM.sub("; ", text) if found == list(range(1, len(found) + 1)) else text


def _entries(text: str, sentences: int) -> Iterator[str]:
    """The entries of a section: its lines if there are several that do not go on in words, else their parts."""
    for line in text.split("\n"):
        if sentences >= _LINES and not _GOES_ON.search(line):
            yield line
        else:
            yield from _parts(line)


def _by_figure(part: str, costs: Mapping[str, float]) -> list[str]:
    """The claims whose hours make up the one figure of an entry that names none ("other nodes, 3.7 h")."""
    said = hours_said(part, 0.0, ())
    if len(said) != 1:
        return []
    fits = [
        list(keys)
        for count in range(1, _MOST_TOGETHER + 1)
        for keys in combinations(costs, count)
        if abs(sum(costs[key] for key in keys) - said[0]) <= max(_ROUNDED, _NEAR * said[0])
    ]
    return fits[0] if len(fits) == 1 else []


def _parts(text: str) -> Iterator[str]:
    """The entries of some lines; what stands in brackets belongs to the entry before it."""
    asides = [match.span() for match in _ASIDE.finditer(text)]
    start = 0
    for border in _THEN.finditer(text):
        if not any(first < border.start() < last for first, last in asides):
            yield text[start : border.start()]
            start = border.end()
    yield text[start:]


def _last_one(
    groups: list[list[str]], texts: Sequence[str], left: Sequence[str]
) -> list[list[str]]:
    """The groups without empty ones; a single entry that says nothing known means the single claim left.

    One that speaks of several ("the other two", "the three nodes") means all claims that are left.
    """
    empty = [at for at, group in enumerate(groups) if not group]
    rest = [at for at in empty if _REST.search(texts[at])]
    if left and rest:
        groups[rest[-1]] = list(left)
    elif len(left) == 1 and (counted := [at for at in empty if _ORDINAL.match(texts[at])]):
        groups[counted[0]] = list(left)
    elif len(left) == 1 and empty and (len(empty) == 1 or empty[-1] == len(groups) - 1):
        groups[empty[-1]] = list(left)
    return [group for group in groups if group]


def _claimed(rows: Sequence[Json]) -> list[str]:
    found = [m["subject"] for row in rows for m in row["matches"] if m["verdict"] == STATES]
    return list(dict.fromkeys(found))


def _labels(rows: Sequence[Json]) -> list[list[str]]:
    """What the first, second, ... finding of the issues claims: by its own number, else by its block.

    Without any, what the cards claim.
    """
    own = _own_labels(rows)
    if len(own) >= _PAIR and all(one.isalpha() for one in own):
        return list(own.values())
    if own and set(own) == {str(n) for n in range(1, len(own) + 1)}:
        return [own[str(n)] for n in range(1, len(own) + 1)]
    blocks: dict[Any, list[str]] = {}
    for row in rows:
        place = row["block"] if row["section"] == "issues" else None
        for match in row["matches"]:
            if place is not None and match["verdict"] == STATES:
                blocks.setdefault(place, []).append(match["subject"])
    if blocks:
        return [list(dict.fromkeys(keys)) for _, keys in sorted(blocks.items())]
    return [
        [m["subject"] for m in row["matches"] if m["verdict"] == STATES]
        for row in rows
        if row["hypothesis"]
    ]


def _own_labels(rows: Sequence[Json]) -> dict[str, list[str]]:
    """What the findings claim by the numbers or letters that they have."""
    return by_label(
        (
            row["block"],
            row["text"],
            [(m["subject"], len(m["words"])) for m in row["matches"] if m["verdict"] == STATES],
        )
        for row in rows
        if row["section"] == "issues"
    )


def _named(
    part: str, claimed: Sequence[str], labels: Sequence[Sequence[str]], truth: Truth
) -> list[str]:
    """The claimed subjects of which a part of an entry speaks: the plainest, or those of its numbers."""
    said = {subject.key for subject, _ in spoken_of(part)}
    weight = {key: _weight(key, part, said, truth) for key in claimed}
    plain = [key for key in claimed if weight[key] >= _PLAIN]
    if plain:
        return plain
    if machines := _of_machines(part, claimed, truth):
        return machines
    numbers = numbered(part, labels)
    if numbers:
        return numbers
    best = max(weight.values(), default=0)
    vague = [key for key in claimed if best and weight[key] == best]
    return vague if len(vague) == 1 else []


_PLAIN = 2


_MACHINES = re.compile(
    r"\b(?:(both|two|beiden?|zwei|deux|ambos|dos|entrambi|due|ambos os|dois|twee|obie|obu|dwóch|dwa)"
    r"|(three|drei|trois|tres|tre|três|drie|trzy|trzech)|(four|vier|quatre|cuatro|quattro|quatro|cztery|czterech))"
    r"\s+(?:[\w-]+\s+){0,2}?(?:nodes?|machines?|hosts?|knoten|rechner\w*|maschinen|n(?:œ|oe)uds?|nodos?|nodi|nós"
    r"|máquinas?|machine|węz\w+)\b",
    re.IGNORECASE,
)


def _of_machines(part: str, claimed: Sequence[str], truth: Truth) -> list[str]:
    """What is claimed of single machines, where an entry counts these ("both bad nodes out")."""
    match = _MACHINES.search(part)
    if match is None:
        return []
    count = next(number for number, one in enumerate(match.groups(), start=_PAIR) if one)
    nodes = {
        key: spot.names for key in claimed if (spot := truth.spots.get(key)) and spot.kind == "node"
    }
    named = set().union(*nodes.values())
    return list(nodes) if count in (len(nodes), len(named)) else []


def _weight(key: str, part: str, said: set[str], truth: Truth) -> int:
    subject, spot = subjects()[key], truth.spots.get(key)
    placed = bool(spot and tokens_in(spot, part))
    words = {hit.words.lower() for hit in hits(subject.words, part)} if subject.words else set()
    topic = {hit.words.lower() for hit in hits(subject.topic, part)} if subject.topic else set()
    return 2 * (placed + (key in said)) + 2 * bool(words) + bool(topic - words)


def numbered(part: str, labels: Sequence[Sequence[str]]) -> list[str]:
    """What the numbers in a text mean, if all of them are numbers of findings."""
    numbers = [int(match.group(1)) for match in _NUMBER.finditer(part)]
    if not numbers or any(not 1 <= number <= len(labels) for number in numbers):
        return []
    return [key for number in numbers for key in labels[number - 1]]


def _by_rule(
    entries: Sequence[Read], rows: Sequence[Json], claimed: Sequence[str]
) -> tuple[list[list[str]], str]:
    if any(says("by_hours", read.text, read.languages) for read in entries):
        hours = dict(_hours(rows))
        keys = sorted((key for key in claimed if key in hours), key=lambda key: -hours[key])
        return [[key] for key in keys], "by the hours that it gives"
    if any(says("as_listed", read.text, read.languages) for read in entries):
        return [[key] for key in claimed], "as it lists them"
    return [], "could not be read"


def _hours(rows: Sequence[Json]) -> Iterator[tuple[str, float]]:
    for row in rows:
        for match in row["matches"]:
            if match["verdict"] == STATES and match["hours"]:
                yield match["subject"], match["hours"][0]


def together(reads: Sequence[Read], rows: Sequence[Json]) -> list[Json]:
    """Figures that a sentence puts on several subjects at once: those it names, numbers, or says before it."""
    labels = _labels(rows)
    found: list[Json] = []
    before: list[str] = []
    for read, row in zip(reads, rows, strict=True):
        stated = [m["subject"] for m in row["matches"] if m["verdict"] == STATES]
        if row["hours"] and row["section"] and says("together", read.text, read.languages):
            keys = _several(read, stated, labels, before)
            if len(keys) >= _PAIR:
                found.append({"statement": row["id"], "subjects": keys, "hours": row["hours"][-1:]})
        before += [key for key in stated if key not in before]
    return found


_PAIR = 2
_REST = re.compile(
    r"\b(?:rest|others?|remaining|both|two|three|four|nodes|übrigen?|anderen?|beiden?|drei|knoten|autres?|reste"
    r"|deux|trois|nœuds|demás|otros?|otras?|resto|dos|tres|nodos|reszt\w*|pozostał\w*|węzł\w*)\b|残り|他の",
    re.IGNORECASE,
)


def _several(
    read: Read, stated: Sequence[str], labels: Sequence[Sequence[str]], before: Sequence[str]
) -> list[str]:
    if len(stated) >= _PAIR:
        return list(stated)
    numbers = numbered(read.text, labels)
    if len(numbers) >= _PAIR:
        return numbers
    return [*before[-1:], *stated] if stated else list(before[-2:])
