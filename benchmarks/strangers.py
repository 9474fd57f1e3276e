"""What the graders of the incident and of the bill make of answers that were written without reading them.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.strangers [--as NAME] [--only PACK] [--part PART]

benchmarks/strangers holds answers to variants that nothing here was tuned to, written from the candidate's
materials and the key alone; `later` those that were written after the rules were mended for the first, and
so on to `twelfth`. Of the bill: whole tables in several languages and styles, tables that deny, doubt or take
back every row, what is made of them by rule (filters of other rows, other figures, bare catchwords), and
single sentences. Bars: right; keeps (at least 80 % of the right one); falls (at most a third of it); lower.
Prints a line for each and what a bar was missed by; writes benchmarks/strangers.json under `after`, or under
another name with --as; other names stay.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.cost.answer import parse
from graders.cost.reading import read
from graders.kinds import grade
from graders.troubleshooting.tests.kinds import table
from scenarios.company.profile import DEFAULT
from scenarios.cost.documents import documents
from scenarios.cost.levels import LEVELS
from scenarios.cost.model import model_of

RESULT = Path(__file__).with_suffix(".json")
FOLDER = Path(__file__).parent / "strangers"
PACK = "cost/fleet-bill"
AS_DRAWN = ("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
"""Written to what candidates have now: clusters on which others work as well, bills with a least sum."""
PARTS = ("", "later", "third", "fourth", "fifth", "sixth", *AS_DRAWN)
KEEPS, FALLS = 0.8, 1 / 3
SAYS_NO = ("denied", "hedged", "retracted")
"""What columns begin with in which no row is proposed any more; all others say what the row says."""
FIELDS = ("what", "where", "money", "complexity", "risk", "timeline", "dependency", "priority")

Json = dict[str, Any]
Rows = list[Json]


def holds(bar: str, score: float, right: float) -> bool:
    """Whether a score is where its bar wants it, beside the right answer's."""
    return {
        "right": True,
        "keeps": score >= KEEPS * right,
        "falls": score <= FALLS * right,
        "lower": score < right,
    }[bar]


def beside_the_right_one(rows: Rows) -> Rows:
    """Each row with the part of its variant's right answer that it reaches, and whether its bar holds."""
    right = {row["variant"]: row["score"] for row in rows if row["bar"] == "right"}
    return [
        {
            **row,
            "part": round(row["score"] / right[row["variant"]], 3),
            "holds": holds(row["bar"], row["score"], right[row["variant"]]),
        }
        for row in rows
    ]


def incident(folder: Path) -> Rows:
    return beside_the_right_one(table(folder, quiet=folder.parent.name not in AS_DRAWN))


def tables(folder: Path) -> dict[tuple[str, int], Rows]:
    """The rows of each variant's file, (level, seed) -> rows."""
    found = {}
    for path in sorted(folder.glob("*-*.toml")):
        level, _, seed = path.stem.partition("-")
        found[level, int(seed)] = tomllib.loads(path.read_text(encoding="utf-8"))["row"]
    return found


def as_answer(rows: Rows, language: str = "what") -> Json:
    """The table as a candidate hands it in, its sentences in a language."""
    kept = ("where", "complexity", "risk", "timeline", "dependency", "priority")
    return {
        "sections": {},
        "opportunities": [
            {
                "id": str(n),
                "what": row[language],
                "saving": {"kind": "money", "value": row["money"]},
                **{key: row[key] for key in kept if key in row},
            }
            for n, row in enumerate(rows, start=1)
        ],
    }


def changed(rows: Rows, change: Callable[[int, Json], object]) -> Json:
    answer = as_answer(rows)
    for at, row in enumerate(answer["opportunities"]):
        change(at, row)
    return answer


def with_money(rows: Rows, money: Callable[[int, float], float]) -> Json:
    return changed(
        rows, lambda at, row: row["saving"].update(value=money(at, row["saving"]["value"]))
    )


def reordered(rows: Rows) -> Json:
    """The same rows from the last to the first; their priorities stay."""
    return as_answer(rows[::-1])


def bare(rows: Rows) -> Json:
    """Catchwords at one price each and nothing else."""
    answer = as_answer(rows, "terse")
    return {
        "sections": {},
        "opportunities": [
            {"id": row["id"], "what": row["what"], "saving": {"kind": "money", "value": 60_000}}
            for row in answer["opportunities"]
        ],
    }


def elsewhere(rows: Rows) -> Json:
    """Each filter is that of the next row that points somewhere else."""

    def other(at: int, row: Json) -> None:
        after = rows[at:] + rows[:at]
        row["where"] = next(one["where"] for one in after if one["where"] != rows[at]["where"])

    return changed(rows, other)


def said_beside(text: str) -> Callable[[Rows], Json]:
    """The table as it is, and a word on it in a written part."""
    return lambda rows: as_answer(rows) | {"sections": {"risks": text}}


def suggestions(level: str, seed: int) -> Json:
    """What colleagues suggest in the materials, line by line, at prices from 30,000 USD on."""
    scene = model_of(DEFAULT, level, seed).bill.scene
    text = next(text for path, _, text in documents(scene, None) if path == "people/suggestions.md")
    lines = [line[2:] for line in text.splitlines() if line.startswith("- ")]
    rows = [
        {"id": str(n), "what": line, "saving": {"kind": "money", "value": 30_000 + 7_000 * n}}
        for n, line in enumerate(lines, start=1)
    ]
    return {"sections": {"reading": text}, "opportunities": rows}


def words_alone(rows: Rows) -> Json:
    """The table's sentences and figures as prose, and no table."""
    said = "\n".join(f"{row['what']}: {row['money']:,} USD." for row in rows)
    return {"sections": {"priorities": said, "technical": said}, "opportunities": []}


def denied(rows: Rows) -> Json:
    """Every measure is named as one that is not worth it."""

    def deny(_: int, row: Json) -> None:
        row["what"] = f"Not worth doing: {row['what']}"
        row["saving"]["value"] = 0

    return changed(rows, deny)


def other_rows(rows: Rows) -> Json:
    """Each filter is that of the row after next."""
    wheres = [row["where"] for row in rows]
    return changed(rows, lambda at, row: row.update(where=wheres[(at + 2) % len(wheres)]))


ANSWERS: Mapping[str, tuple[str, Callable[[Rows], Json]]] = {
    "right": ("right", as_answer),
    "reordered": ("keeps", reordered),
    "without filters": ("lower", lambda rows: changed(rows, lambda _, row: row.pop("where"))),
    "filters of other rows": ("lower", other_rows),
    "every figure 2.6 times": ("lower", lambda rows: with_money(rows, lambda _, usd: usd * 2.6)),
    "every figure a quarter": ("lower", lambda rows: with_money(rows, lambda _, usd: usd / 4)),
    "without figures": ("falls", lambda rows: changed(rows, lambda _, row: row.pop("saving"))),
    "flat figures": ("lower", lambda rows: with_money(rows, lambda *_: 60_000)),
    "bare catchwords at one price": ("falls", bare),
    "denied at no price": ("falls", denied),
    "filters elsewhere": ("falls", elsewhere),
    "taken back beside the table": (
        "falls",
        said_beside(
            "I take all rows of the table back: on closer reading none of them saves anything."
        ),
    ),
    "taken back beside the table, German": (
        "falls",
        said_beside(
            "Ich ziehe alle Zeilen der Tabelle zurück, bei näherem Hinsehen spart keine etwas."
        ),
    ),
    "taken back beside the table, French": (
        "falls",
        said_beside(
            "Je retire toutes les lignes du tableau : à y regarder de près, aucune n'économise rien."
        ),
    ),
    "words without a table": ("falls", words_alone),
}


def graded(answer: Json, level: str, seed: int) -> Json:
    """Score, measures and findings of one answer."""
    report = grade(PACK, level, seed, {"answer.json": json.dumps(answer)})
    found = Counter(row["finding"] for row in report.evidence if row["kind"] == "finding")
    measures = {one.measure.key: round(one.value, 1) for one in report.measures}
    return {
        "score": report.score or 0.0,
        "measures": measures,
        "findings": dict(sorted(found.items())),
    }


def bill(folder: Path) -> Rows:
    found = []
    for (level, seed), rows in tables(folder).items():
        made = {name: (bar, make(rows)) for name, (bar, make) in ANSWERS.items()}
        made |= {
            one: ("falls" if one.startswith(SAYS_NO) else "keeps", as_answer(rows, one))
            for one in rows[0]
            if one not in FIELDS
        }
        made["copied suggestions"] = ("falls", suggestions(level, seed))
        found += [
            {"variant": f"{level}-{seed}", "answer": name, "bar": bar} | graded(answer, level, seed)
            for name, (bar, answer) in made.items()
        ]
    return beside_the_right_one(found)


def sentences(folder: Path) -> Json:
    """How many single sentences were read right, as unknown and wrongly, and which were not."""
    meant = tomllib.loads((folder / "sentences.toml").read_text(encoding="utf-8"))["rows"]
    rows = [
        {"id": str(n), "what": what, "where": where} for n, (_, what, where) in enumerate(meant)
    ]
    level, seed = next(iter(tables(FOLDER / "bill")))
    said = json.dumps({"opportunities": rows})
    read_as = read(parse(said), DEFAULT, level, seed)["statements"]
    count: Counter[str] = Counter()
    told = []
    for (means, what, _), row in zip(meant, read_as, strict=True):
        sure = row["matches"] and row.get("standing") != "guess"
        got = row["matches"][0]["subject"] if sure else ""
        state = "right" if got == means else "wrong" if got else "unknown"
        count[state] += 1
        if state != "right":
            told.append({"what": what, "means": means, "read": got})
    return {**{key: count[key] for key in ("right", "unknown", "wrong")}, "not_right": told}


def measured(only: str, parts: Sequence[str] = PARTS) -> Json:
    """Commit, and the rows of each folder that there is."""
    found: Json = {"commit": commit()}
    for name, make in (("incident", incident), ("bill", bill), ("sentences", sentences)):
        if not name.startswith(only) and not (only == "bill" and name == "sentences"):
            continue
        for part in parts:
            folder = FOLDER / part / ("bill" if name == "sentences" else name)
            if folder.is_dir() and (name != "sentences" or (folder / "sentences.toml").is_file()):
                with _as_it_was_written(part):
                    found[f"{name} {part}".strip()] = make(folder)
    return found


@contextmanager
def _as_it_was_written(part: str) -> Iterator[None]:
    """While it lasts bills have no least sum, if the part was written for such ones.

    By later rules its figures would be wrong, and what is measured here is how words and filters are read.
    """
    now = dict(LEVELS)
    if part not in AS_DRAWN:
        LEVELS.update({key: replace(one, bound=False) for key, one in LEVELS.items()})
    try:
        yield
    finally:
        LEVELS.update(now)


def main() -> None:
    """Measures, keeps and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--as", dest="name", default="after", help="under which name to keep it")
    parser.add_argument("--only", default="", choices=("", "incident", "bill"))
    parser.add_argument("--part", choices=PARTS, help="one set alone; all of them without it")
    asked = parser.parse_args()
    now = measured(asked.only, PARTS if asked.part is None else (asked.part,))
    kept = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    kept[asked.name] = kept.get(asked.name, {}) | now
    RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, rows in now.items():
        if isinstance(rows, list):
            print(name)
            for row in rows:
                mark = "  " if row["holds"] else "!!"
                shown = " ".join(f"{key[:9]}={value:.0f}" for key, value in row["measures"].items())
                print(
                    f"{mark} {row['variant']:10}{row['answer']:30}{row['bar']:6}{row['score']:.2f} "
                    f"{row['part']:5.0%} {shown} {row.get('findings', '')}"
                )
        elif isinstance(rows, dict):
            print(name, {key: value for key, value in rows.items() if key != "not_right"})
            for row in rows["not_right"]:
                print("   ", row)


if __name__ == "__main__":
    main()
