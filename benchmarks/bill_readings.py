"""How the bill's grader reads rows that it was not tuned to, and what whole answers come to.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.bill_readings [--mark before]

Rows are in benchmarks/bill_readings.toml: each is read alone, with its filter and without a figure.
Whole answers are made from the key of mid 1 and senior 1: the expert's table as it is, in German, without
filters, without figures, with figures that are another's; and 24 bare names of measures at one price.
Writes benchmarks/bill_readings.json; results under other marks are kept.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.cost.answer import parse
from graders.cost.makers import write_golden
from graders.cost.reading import read
from graders.kinds import grade
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

HERE = Path(__file__).parent
ROWS = HERE / "bill_readings.toml"
TARGET = HERE / "bill_readings.json"
PACK = "cost/fleet-bill"
VARIANTS = (("mid", 1), ("senior", 1))

Json = dict[str, Any]


def sets() -> dict[str, Any]:
    return tomllib.loads(ROWS.read_text(encoding="utf-8"))


def read_rows(rows: list[Any]) -> Json:
    """How many rows were read right, as unknown and wrongly, and the last two with what was made of them."""
    table = [
        {"id": str(n), "what": what, "where": where} for n, (_, what, where) in enumerate(rows)
    ]
    reading = read(parse(json.dumps({"opportunities": table})), DEFAULT, *VARIANTS[0])
    count: Counter[str] = Counter()
    told = []
    for (meant, what, _), row in zip(rows, reading["statements"], strict=True):
        got = row["matches"][0]["subject"] if row["matches"] else ""
        state = "right" if got == meant else "wrong" if got else "unknown"
        count[state] += 1
        if state != "right":
            told.append({"what": what, "means": meant, "read": got})
    return {**{key: count[key] for key in ("right", "unknown", "wrong")}, "not_right": told}


def expert(level: str, seed: int) -> Json:
    answer: Json = json.loads(write_golden(load_pack(PACK), level, "expert", seed)["answer.json"])
    return answer


def in_german(answer: Json) -> Json:
    """The table with its sentences in German; filters and figures stay."""
    said = sets()["german"]
    path = load_pack(PACK).folder / "goldens" / "words.toml"
    keys = {row["expert"]: key for key, row in tomllib.loads(path.read_text("utf-8")).items()}
    for row in answer["opportunities"]:
        words = said[keys[row["what"]]]
        row |= dict(zip(("what", "risk", "timeline"), words, strict=True))
        if row["dependency"]:
            row["dependency"] = "Wirkt auf dasselbe Geld; der Betrag ist, was danach übrig ist"
    return answer


def each(change: Callable[[int, Json], object]) -> Callable[[Json], Json]:
    def changed(answer: Json) -> Json:
        for at, row in enumerate(answer["opportunities"]):
            change(at, row)
        return answer

    return changed


def times(factor: float) -> Callable[[Json], Json]:
    """Every figure so many times what it was."""
    return each(lambda _, row: row["saving"].update(value=row["saving"]["value"] * factor))


def by_lot(answer: Json) -> Json:
    """Every figure from 10,000 to 400,000 USD, scattered by a fixed rule."""
    return each(lambda at, row: row["saving"].update(value=10_000 + at * 147_000 % 390_000))(answer)


def rotated(answer: Json) -> Json:
    """Every row with the figure of the next but two."""
    values = [row["saving"]["value"] for row in answer["opportunities"]]
    for at, row in enumerate(answer["opportunities"]):
        row["saving"]["value"] = values[(at + 3) % len(values)]
    return answer


def keywords(_: Json) -> Json:
    """Bare names at one price, with the filters that belong to them."""
    rows = [
        {
            "id": str(n),
            "what": what,
            "where": where,
            "saving": {"kind": "money", "value": 50_000},
            "complexity": "low",
            "timeline": "2 months",
            "risk": "low",
            "priority": n,
        }
        for n, (what, where) in enumerate(sets()["keywords"], start=1)
    ]
    return {"sections": {}, "opportunities": rows}


def uneven_keywords(answer: Json) -> Json:
    """The same at prices from 30,000 to 99,000 USD, none of them reckoned."""
    table = keywords(answer)
    for at, row in enumerate(table["opportunities"]):
        row["saving"]["value"] = 30_000 + 3_000 * (at * 7 % 24)
    return table


def bare_keywords(answer: Json) -> Json:
    """The same without filters and without anything but the name and the price."""
    kept = ("id", "what", "saving")
    rows = [{key: row[key] for key in kept} for row in keywords(answer)["opportunities"]]
    return {"sections": {}, "opportunities": rows}


def shifted(answer: Json) -> Json:
    wheres = [row["where"] for row in answer["opportunities"]]
    for at, row in enumerate(answer["opportunities"]):
        row["where"] = wheres[(at + 1) % len(wheres)]
    return answer


ANSWERS: Mapping[str, Callable[[Json], Json]] = {
    "expert": lambda answer: answer,
    "in German": in_german,
    "without filters": each(lambda _, row: row.pop("where")),
    "filters of the next row": shifted,
    "without figures": each(lambda _, row: row.pop("saving")),
    "figures of other rows": rotated,
    "figures by lot": by_lot,
    "every figure 2.6 times": times(2.6),
    "every figure a third": times(1 / 3),
    "every figure 50,000 USD": each(lambda _, row: row["saving"].update(value=50_000)),
    "24 bare names at 50,000 USD": keywords,
    "24 bare names at 30,000 to 99,000 USD": uneven_keywords,
    "24 bare names at 50,000 USD, nothing else": bare_keywords,
}


def graded(make: Callable[[Json], Json], level: str, seed: int) -> Json:
    """Score, measures and findings of one answer."""
    text = json.dumps(make(expert(level, seed)))
    report = grade(PACK, level, seed, {"answer.json": text})
    found = Counter(row["finding"] for row in report.evidence if row["kind"] == "finding")
    measures = {one.measure.key: round(one.value, 1) for one in report.measures}
    return {"score": report.score, "measures": measures, "findings": dict(sorted(found.items()))}


def main() -> None:
    parser = argparse.ArgumentParser(description="Readings of rows and scores of whole answers.")
    parser.add_argument("--mark", default="now", help="under which the result is kept")
    mark = parser.parse_args().mark
    kept: Json = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.is_file() else {}
    rows = {
        name: read_rows(part["rows"])
        for name, part in sets().items()
        if name not in ("german", "keywords")
    }
    answers: Json = {}
    for level, seed in VARIANTS:
        for name, make in ANSWERS.items():
            found = graded(make, level, seed)
            answers.setdefault(f"{level} {seed}", {})[name] = found
            print(
                f"{level} {seed}  {name:42} {found['score']:.2f}  {found['measures']} {found['findings']}"
            )
    for name, part in rows.items():
        print(name, {key: value for key, value in part.items() if key != "not_right"})
        for one in part["not_right"]:
            print("   ", one)
    kept[mark] = {"commit": commit(), "rows": rows, "answers": answers}
    TARGET.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
