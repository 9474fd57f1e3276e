"""What the comparison of answers says of copies in disguise and of work done apart, into its README.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.similarity

Programs: the goldens of every automation pack, and what a copier makes of them. Written answers: the goldens of
the other packs. Shares are of the author's own symbols, after what everybody was given.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import graders.sdk
import graders.similarity
from graders.cost.makers import write_golden as cost_golden
from graders.scaling.makers import write_golden as scaling_golden
from graders.similarity.answers import Given, Part, plain_answer
from graders.similarity.compare import compare
from graders.similarity.tests.disguises import first_half, methods_reordered, renamed
from graders.similarity.tests.test_similarity import RETOLD, TOLD
from graders.similarity.tokens import CODE, PROSE
from graders.troubleshooting.makers import write_golden as troubleshooting_golden
from scenarios.packs import Pack, all_packs, load_pack

README = Path(graders.similarity.__file__).parent / "README.md"
BEGIN, END = "<!-- figures: benchmarks/similarity.py -->\n", "<!-- end of the figures -->\n"
LEVEL = "senior"
APART = ("do_nothing", "naive", "competent", "expert", "thrasher", "budget_breaker", "cheater")
WRITTEN = {
    "cost/fleet-bill": (cost_golden, ("naive", "eloquent", "expert")),
    "scaling-plan/growth-year": (scaling_golden, ("naive", "eloquent", "expert")),
    "troubleshooting/slow-training": (
        troubleshooting_golden,
        ("generic", "herring_chaser", "expert"),
    ),
}


class Row(NamedTuple):
    """Pairs of one sort: shares of one answer that stand in the other, and how many were a finding."""

    what: str
    shares: list[float]
    found: int


def programs() -> list[tuple[Pack, Given]]:
    packs = [pack for pack in all_packs() if pack.kind == "automation"]
    return [(pack, given(pack)) for pack in packs]


def given(pack: Pack) -> Given:
    folder = Path(graders.sdk.__path__[0])
    library = [*folder.rglob("*.py"), *folder.glob("*.md")]
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in library]
    documents = [(one.path, one.text) for one in pack.documents(LEVEL)]
    return Given.of([*texts, *pack.template(LEVEL).items(), *documents])


def row(what: str, pairs: Iterator[tuple[list[Part], list[Part]]], kind: str) -> Row:
    shared = [compare(*pair) for pair in pairs]
    return Row(what, [one.share(kind) for one in shared], sum(one.is_found for one in shared))


def code_rows() -> Iterator[Row]:
    packs = programs()

    def changed(change: str) -> Iterator[tuple[list[Part], list[Part]]]:
        for pack, known in packs:
            for name in ("competent", "expert"):
                source = pack.golden(LEVEL, name)
                other = pack.golden(LEVEL, "naive")
                made: Mapping[str, str] = {
                    "copied": source,
                    "renamed": renamed(source),
                    "reordered": methods_reordered(renamed(source), 1),
                    "half": f"{other}\n\n{first_half(renamed(source))}",
                }
                mine, theirs = ({"controller.py": text} for text in (source, made[change]))
                yield plain_answer(mine, known), plain_answer(theirs, known)

    yield row("program copied", changed("copied"), CODE)
    yield row("with other names and literals", changed("renamed"), CODE)
    yield row("and its functions in another order, formatted anew", changed("reordered"), CODE)
    yield row("half copied, renamed, in another's program", changed("half"), CODE)
    yield row("written apart, one exercise", apart(packs), CODE)


def apart(packs: list[tuple[Pack, Given]]) -> Iterator[tuple[list[Part], list[Part]]]:
    for pack, known in packs:
        answers = [plain_answer({"a.py": pack.golden(LEVEL, name)}, known) for name in APART]
        yield from combinations(answers, 2)


def prose_rows() -> Iterator[Row]:
    answers = {
        name: {
            (golden, seed): plain_answer(write(load_pack(name), LEVEL, golden, seed))
            for golden in goldens
            for seed in (1, 2)
        }
        for name, (write, goldens) in WRITTEN.items()
    }
    same = [(one["expert", 1], one["expert", 1]) for one in answers.values()]
    yield row("written answer copied", iter(same), PROSE)
    pairs = [
        (first, second)
        for one in answers.values()
        for (a, first), (b, second) in combinations(one.items(), 2)
        if a[0] != b[0]
    ]
    yield row("written apart, same and different variants", iter(pairs), PROSE)
    told = (plain_answer({"a": TOLD}), plain_answer({"b": RETOLD}))
    yield row("the same told in other words", iter([told]), PROSE)


def table(rows: list[Row], seconds: float) -> str:
    lines = [
        "| pairs | how many | share found, least | mean | most | findings |",
        "|---|---|---|---|---|---|",
    ]
    for one in rows:
        least, mean, most = min(one.shares), fmean(one.shares), max(one.shares)
        figures = f"{least:.0%} | {mean:.0%} | {most:.0%}"
        lines.append(f"| {one.what} | {len(one.shares)} | {figures} | {one.found} |")
    pairs = sum(len(one.shares) for one in rows)
    return "\n".join([*lines, "", f"{1000 * seconds / pairs:.0f} ms of processor time a pair.", ""])


def main() -> None:
    began = time.process_time()
    rows = [*code_rows(), *prose_rows()]
    made = table(rows, time.process_time() - began)
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    README.write_text(
        before + BEGIN + "\n" + made + "\n" + END + rest.split(END)[1], encoding="utf-8"
    )
    print(made)


if __name__ == "__main__":
    main()
