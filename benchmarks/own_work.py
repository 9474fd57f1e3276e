"""How often four good questions about an own answer are found, over 200 answers, and what guesses reach.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.own_work

Answers are the goldens of all four kinds that ask, at several levels and seeds, and goldens of which rows
were left out and figures changed by chance. Programs are played in this process. Writes
benchmarks/own_work.json: by kind how many answers have four, three, two and no questions; by topic how many
questions there are, and how often the luckiest guess is right that is always the same words or place.
"""

from __future__ import annotations

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


def main() -> None:
    """Ask about all of them and write what came of it, after every tenth answer."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    spent: dict[str, list[float]] = defaultdict(list)
    topics: dict[str, list[Question]] = defaultdict(list)
    short: list[str] = []
    every = cases()
    for number, case in enumerate(every, start=1):
        began = time.process_time()
        found = asked_about(case)
        kind = load_pack(case.pack).kind
        spent[kind].append(time.process_time() - began)
        counts[kind][len(found)] += 1
        if len(found) < WANTED:
            short.append(f"{case}: {len(found)}")
        for one in found:
            topics[f"{kind}/{one.topic}"].append(one)
        print(
            f"{number:3} {case.pack} {case.level} {case.golden} {case.changed}: {len(found)}",
            flush=True,
        )
        if number % 10 == 0 or number == len(every):
            _write(counts, spent, topics, short)


def _write(
    counts: Mapping[str, Counter[int]],
    spent: Mapping[str, list[float]],
    topics: Mapping[str, list[Question]],
    short: list[str],
) -> None:
    total: Counter[int] = sum(counts.values(), Counter())
    data = {
        "commit": commit(),
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
        "fewer_than_four": short,
    }
    TARGET.write_text(json.dumps(data, indent=1) + "\n")


def _told(rows: list[Question]) -> Json:
    """How many there are, and how often the luckiest constant guess is right."""
    chosen = [one for one in rows if one.form != NUMBER]
    places = Counter(str(one.right) for one in chosen)
    texts = Counter(dict(one.options)[str(one.right)] for one in chosen)
    return {
        "asked": len(rows),
        "same_place": round(places.most_common(1)[0][1] / len(chosen), 2) if chosen else None,
        "same_words": round(texts.most_common(1)[0][1] / len(chosen), 2) if chosen else None,
    }


if __name__ == "__main__":
    main()
