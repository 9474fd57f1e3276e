"""Divides what was written into statements: sentences of the sections, and the claims of hypotheses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graders.troubleshooting.answer import Answer

_BULLET = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)]|\[[ xX]\])\s+(.*)$")
_NUMBERED = re.compile(r"^\s*\d{1,3}[.)]\s")
_FIGURE_LAST = re.compile(
    r"\d\s?(?:h|hrs?|hours?|s|sec|std|stunden|heures?|horas?|ore|uur)\b[)\].;]*$", re.IGNORECASE
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*$|^\s*\*\*([^*]{2,120})\*\*:?\s*$")
_RULE = re.compile(r"^\s*\|?[\s:|-]{3,}\|?\s*$")
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bca\.)(?<!\bapprox\.)\s+(?=[A-Z0-9\"'(`*])"
    r"(?!(?<=\d\.\s)(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
    r"|(?<=\w\w\w\w[.!?])(?<!incl\.)(?<!inkl\.)(?<!resp\.)(?<!evtl\.)(?<!approx\.)(?<!appr\.)\s+(?=[a-z])"
    r"|(?<=[\u3002\uff01\uff1f])"
)
OF_ACTIONS = ("immediate", "long_term", "priorities", "business")
"""Sections about what is to be done: what is left alone, taken back or struck there may still be a cause."""
MOST_STATEMENTS = 3_000
_MANY = 3
"""Semicolons from which on a sentence is a list."""
_LONGEST = 700
"""Characters of a sentence; what follows is another statement, so that one cannot hold everything."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that was said. `section` is "" for a hypothesis, whose id is in `hypothesis`.

    Statements of one paragraph or list entry share `block`; `under` is the heading or the leading line
    that they stand below. `more` is what a hypothesis adds to its claim (reason, actions, pins),
    `place` what its own field says.
    """

    id: str
    where: str
    text: str
    section: str
    block: int
    under: str = ""
    hypothesis: str = ""
    more: str = ""
    place: str = ""

    def beside(self, other: Statement) -> bool:
        """Whether both stand in the same block."""
        return (self.section, self.block) == (other.section, other.block)


def statements(answer: Answer) -> list[Statement]:
    """Every statement in the order of the answer: sections first, then hypotheses."""
    found: list[Statement] = []
    for key, text in answer.sections.items():
        for number, (block, under, sentence) in enumerate(_sentences(text), start=1):
            where = f"{key.replace('_', ' ')}, sentence {number}"
            found.append(Statement(f"{key}:{number}", where, sentence, key, block, under))
    found = found[:MOST_STATEMENTS]
    for number, one in enumerate(answer.hypotheses, start=1):
        pins = [f"{pin.text} {pin.note} {pin.says()}" for pin in one.pins[:40]]
        more = "\n".join([one.reason, one.mitigation, one.prevention, *pins])
        where = f"hypothesis {number}"
        card = Statement(f"h:{one.id}", where, one.claim, "", -number, "", one.id, more, one.place)
        found.append(card)
    return found


def _sentences(text: str) -> Iterator[tuple[int, str, str]]:
    """(number of the block, heading or leading line above it, sentence)."""
    for number, (under, block) in enumerate(_blocks(text)):
        for line in block:
            for sentence in _labelled(_END.split(line)):
                for part in _parts(sentence.strip()):
                    if any(sign.isalnum() for sign in part):
                        yield number, under, part


_LABEL = re.compile(r"^\W?[A-HJ-Z]\W{0,2}$")


def _labelled(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences; a lone letter by which somebody calls a finding ("B.") belongs to the next."""
    label = ""
    for sentence in sentences:
        if _LABEL.match(sentence.strip()):
            label = f"{label}{sentence.strip()} "
            continue
        yield f"{label}{sentence}"
        label = ""
    if label:
        yield label


def _parts(sentence: str) -> Iterator[str]:
    """The sentence, or pieces of it where it goes on for ever: at its semicolons, else where it is full."""
    if sentence.count("; ") >= _MANY or (len(sentence) > _LONGEST and "; " in sentence):
        for piece in sentence.split("; "):
            yield from _parts(piece)
        return
    while len(sentence) > _LONGEST:
        cut = sentence.rfind(" ", _LONGEST // 2, _LONGEST)
        cut = cut if cut > 0 else _LONGEST
        yield sentence[:cut].strip()
        sentence = sentence[cut:].strip()
    yield sentence


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """(what it stands under, lines): a paragraph, an entry of a list with what lies below it, or a row."""
    under, lead, indent = "", "", -1
    block: list[str] = []
    columns: dict[int, str] = {}
    lines = [*text.splitlines(), ""]
    broken = _broken(lines)
    one_number = sum(bool(_NUMBERED.match(line)) for line in lines) == 1
    for at, line in enumerate(lines):
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        bullet = None if one_number and _NUMBERED.match(line) else bullet
        row = line.strip().startswith("|")
        inner = bullet and block and indent >= 0 and len(bullet.group(1)) > indent
        if inner and bullet:
            block.append(bullet.group(2))
            continue
        if block and (not line.strip() or heading or bullet or row):
            yield lead or under, block
            lead = _lead(block, lead, bool(bullet) or not line.strip(), indent)
            block, indent = [], -1
        if heading:
            under, lead = (heading.group(1) or heading.group(2)).strip(), ""
            block = [under]
        elif bullet:
            block, indent = [bullet.group(2)], len(bullet.group(1))
        elif row and not _RULE.match(line):
            cells = [cell.strip() for cell in line.strip("| \t").split("|")]
            columns = columns if at and lines[at - 1].strip().startswith("|") else _columns(cells)
            yield (
                lead or under,
                [" , ".join(_with_unit(n, cell, columns) for n, cell in enumerate(cells))],
            )
        elif line.strip():
            lead = lead if block else ""
            _add(block, line.strip().replace(" | ", ": ", 1).replace(" | ", ", "), at in broken)


_HOURS = re.compile(
    r"(?:.*\()?\s*(?:h|hrs?|hours?|std\.?|stunden|heures|horas|ore|uur)\s*\)?$", re.IGNORECASE
)
_SECONDS = re.compile(r".*\b(?:s|sec|seconds)\s*(?:/|per|a)\s*step\b.*", re.IGNORECASE)
_BARE_FIGURE = re.compile(r"[~≈+]?\d{1,3}(?:[.,]\d{1,3})?$")


def _columns(header: Sequence[str]) -> dict[int, str]:
    """Column -> the unit that a table's first row gives to its figures."""
    units = {n: " h" for n, cell in enumerate(header) if _HOURS.match(cell)}
    return units | {n: " s/step" for n, cell in enumerate(header) if _SECONDS.match(cell)}


def _with_unit(number: int, cell: str, columns: Mapping[int, str]) -> str:
    return f"{cell}{columns[number]}" if number in columns and _BARE_FIGURE.match(cell) else cell


def _lead(block: list[str], before: str, listed: bool, indent: int) -> str:
    """The line that leads in a list ("Ruled out:"), until a paragraph that belongs to no list."""
    if indent >= 0:
        return before
    return block[-1] if listed and block[-1].endswith(":") and len(block[-1]) < 200 else ""


def _broken(lines: Sequence[str]) -> set[int]:
    """Lines that begin something new: the one before them had room left for their first word.

    A paragraph that was only wrapped has no such lines; one of short notes has many. Nor does a wrapped one
    end most of its lines with what something costs.
    """
    found: set[int] = set()
    start = 0
    for at, line in enumerate(lines):
        if line.strip():
            continue
        part = range(start + 1, at)
        widest = max((len(lines[n]) for n in range(start, at)), default=0)
        new = {n for n in part if len(lines[n - 1]) + 1 + len(lines[n].split()[0]) <= widest}
        if 2 * sum(bool(_FIGURE_LAST.search(lines[n - 1])) for n in part) > len(part) > 1:
            new = set(part)
        if len(new) * 2 >= len(part) and not any(lines[n - 1].rstrip().endswith(",") for n in new):
            found.update(part)
        start = at + 1
    return found


def _add(block: list[str], line: str, new: bool) -> None:
    """Lines of a paragraph are one text; a heading stays by itself, and so does a note of one line."""
    if block and not new and not block[-1].endswith((":", ".")):
        block[-1] = f"{block[-1]} {line}"
    else:
        block.append(line)
