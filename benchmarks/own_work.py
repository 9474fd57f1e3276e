"""How often four good questions about an own answer are found, over 200 answers, and what guesses reach.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.own_work [--minutes 15] [--anew]

Answers are the goldens of all four kinds that ask, at several levels and seeds, and goldens of which rows
were left out and figures changed by chance. Programs are played in this process. Writes
benchmarks/own_work.json: by kind how many answers have four, three, two and no questions; by topic how many
questions there are, and how often the luckiest guess is right that is always the same words or place.

What was asked is kept with the answer it was asked about: a run that ended early, or was given so many
minutes, is gone on with by the next one. --anew forgets what is there.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.commit import commit
from graders.automation.constants import constants_of, with_changed
from graders.automation.own_work import questions_about
from graders.automation.trusted import in_process
from graders.cost.makers import write_golden as bill_of
from graders.kinds import Asked
from graders.own_work import NUMBER, WANTED, Own, Question, picked, questions_of
from graders.scaling.makers import write_golden as plan_of
from graders.troubleshooting.makers import write_golden as board_of
from graders.workloads import public_workload
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

ANSWERS = 200
TARGET = Path(__file__).with_suffix(".json")
PROGRAMS = (
    "queue-autoscaler",
    "cloud-bursting",
    "mig-sharing",
    "cluster-priorities",
    "spot-checkpointing",
    "gpu-idle-alerts",
    "slurm-fair-partitions",
)
Writer = Callable[..., dict[str, str]]
WRITTEN: Mapping[str, tuple[Writer, tuple[str, ...], str]] = {
    "cost/fleet-bill": (bill_of, ("expert", "solid", "naive", "over_claimer"), "opportunities"),
    "scaling-plan/growth-year": (plan_of, ("expert", "solid", "naive", "over_claimer"), "plan"),
    "troubleshooting/slow-training": (board_of, ("expert", "prose", "competent"), "hypotheses"),
}
Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One answer: to what, and whose."""

    pack: str
    level: str
    seed: int
    golden: str
    changed: int = 0
    """0 for the golden itself, else the seed by which it was changed."""


def cases() -> list[Case]:
    """The 200."""
    found = []
    for name in PROGRAMS:
        for level in ("mid", "senior"):
            found += [
                Case(f"automation/{name}", level, 1, golden)
                for golden in ("naive", "competent", "expert")
            ]
            found += [
                Case(f"automation/{name}", level, 2, "competent", changed) for changed in (1, 2)
            ]
    for pack, (_, names, _) in WRITTEN.items():
        for level in ("junior", "mid", "senior"):
            for seed in (1, 2):
                found += [Case(pack, level, seed, name) for name in names]
                found += [Case(pack, level, seed, name, 1) for name in names[:2]]
                found += [Case(pack, level, seed, names[1], 2)] if len(names) > 3 else []
    found += _more(max(0, ANSWERS - len(found)))
    Random(1).shuffle(found)  # noqa: S311  so that what is there before the end is of all kinds
    return found[:ANSWERS]


def _more(count: int) -> Iterator[Case]:
    packs = list(WRITTEN)
    for number in range(count):
        pack = packs[number % len(packs)]
        names = WRITTEN[pack][1]
        yield Case(pack, "mid", 2, names[number % 2], 10 + number)


def files_of(case: Case) -> dict[str, str]:
    """The answer's files."""
    pack, chance = load_pack(case.pack), Random(f"{case}")  # noqa: S311
    if case.pack not in WRITTEN:
        files = {pack.entry: pack.golden(case.level, case.golden)}
        known = constants_of(files)
        if case.changed and known:
            files = with_changed(files, chance.choice(known), chance.choice((0.5, 2.0)))
        return files
    writer, _, key = WRITTEN[case.pack]
    files = writer(pack, case.level, case.golden, case.seed)
    if not case.changed:
        return files
    data = json.loads(files[pack.entry])
    data[key] = _changed(data[key], chance)
    return {pack.entry: json.dumps(data, ensure_ascii=False)}


def _changed(rows: Any, chance: Random) -> Any:
    """Rows left out and figures moved: an answer that nobody wrote on purpose."""
    if isinstance(rows, list):
        return [_moved(row, chance) for row in rows if chance.random() < 0.75]
    return {
        name: [row for row in part if chance.random() < 0.75] if isinstance(part, list) else part
        for name, part in rows.items()
    }


def _moved(row: Json, chance: Random) -> Json:
    found = dict(row)
    if isinstance(found.get("hours"), int | float):
        found["hours"] = round(found["hours"] * chance.uniform(0.5, 1.6), 1)
    if isinstance(found.get("saving"), dict) and found["saving"].get("value"):
        value = round(found["saving"]["value"] * chance.uniform(0.5, 1.6))
        found["saving"] = {**found["saving"], "value": value}
    return found


def asked_about(case: Case) -> list[Question]:
    """The questions that its author would be asked."""
    pack, files = load_pack(case.pack), files_of(case)
    asked = Asked(pack, case.level, case.seed, files)
    if case.pack in WRITTEN:
        return questions_of(Own(asked, "\n".join(files.values())))
    workload = public_workload(pack, case.level, case.seed, pack.public_workloads(case.level)[0][0])
    player = in_process(pack.entry, workload, DEFAULT)
    own = Own(asked)
    return picked(own, questions_about(own, workload, player))


def _about(case: Case) -> Json:
    """What is kept of a case: processor time, and topic, form, right place, right words of each question."""
    began = time.process_time()
    found = asked_about(case)
    return {
        "cpu_s": round(time.process_time() - began, 2),
        "commit": commit(),
        "asked": [[one.topic, one.form, str(one.right), _words(one)] for one in found],
    }


def _words(one: Question) -> str:
    return "" if one.form == NUMBER else dict(one.options)[str(one.right)]


def main(argv: list[str] | None = None) -> int:
    """0: all of them have been asked about; 1: the minutes were over before."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.own_work", description=__doc__)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--anew", action="store_true")
    args = parser.parse_args(argv)
    until = time.monotonic() + 60 * args.minutes
    every = {str(case): case for case in cases()}
    kept: dict[str, Json] = {}
    if TARGET.is_file() and not args.anew:
        there = json.loads(TARGET.read_text(encoding="utf-8")).get("cases", {})
        kept = {name: row for name, row in there.items() if name in every}
    for name, case in every.items():
        if name in kept:
            continue
        if time.monotonic() > until:
            print(f"{len(kept)} of {len(every)}: go on with the same command.")
            return 1
        kept[name] = _about(case)
        print(f"{len(kept):3} {name}: {len(kept[name]['asked'])}", flush=True)
        _write(every, kept)
    _write(every, kept)
    return 0


def _write(every: Mapping[str, Case], kept: Mapping[str, Json]) -> None:
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    spent: dict[str, list[float]] = defaultdict(list)
    topics: dict[str, list[list[str]]] = defaultdict(list)
    for name, row in kept.items():
        kind = load_pack(every[name].pack).kind
        counts[kind][len(row["asked"])] += 1
        spent[kind].append(row["cpu_s"])
        for one in row["asked"]:
            topics[f"{kind}/{one[0]}"].append(one)
    total: Counter[int] = sum(counts.values(), Counter())
    data = {
        "commits": sorted({row["commit"] for row in kept.values()}),
        "answers": total.total(),
        "four": round(total[WANTED] / total.total(), 3),
        "by_kind": {
            kind: {
                "answers": found.total(),
                "questions": {str(number): found[number] for number in (4, 3, 2, 0)},
                "cpu_s": round(sum(spent[kind]) / len(spent[kind]), 2),
            }
            for kind, found in sorted(counts.items())
        },
        "by_topic": {topic: _told(rows) for topic, rows in sorted(topics.items())},
        "fewer_than_four": [name for name, row in kept.items() if len(row["asked"]) < WANTED],
        "cases": kept,
    }
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    TARGET.write_text(text, encoding="utf-8", newline="\n")


def _told(rows: list[list[str]]) -> Json:
    """How many there are, and how often the luckiest constant guess is right."""
    chosen = [one for one in rows if one[1] != NUMBER]
    places = Counter(place for _, _, place, _ in chosen)
    texts = Counter(words for _, _, _, words in chosen)
    return {
        "asked": len(rows),
        "same_place": round(places.most_common(1)[0][1] / len(chosen), 2) if chosen else None,
        "same_words": round(texts.most_common(1)[0][1] / len(chosen), 2) if chosen else None,
    }


if __name__ == "__main__":
    raise SystemExit(main())
