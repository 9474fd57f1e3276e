"""What a fixed script shows of an incident's causes: diffs, rare values, a grep, rare forms of lines.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.surfacing [--as NAME]

The script knows neither the exercise nor the cluster; it is what anybody's assistant runs first over the
files that a candidate gets. What it prints of a family of files (one path, whatever the machine's name) is cut
to what one could read and divided into entries: values of one name in tables and listings, elsewhere lines of
one form, numbers and machines masked. A cause is

- surfaced by one file: a line that the key gives for it is printed;
- named by one file: among the entries of one family in one step at least one in four is the cause's, so that
  whoever tries one after another meets it at once. Of an entry with lines of others the part counts.

Prints a line for each variant; writes benchmarks/surfacing.json under `now`, or under another name with
--as; other names stay. --quiet takes the variants without other people's work on the cluster.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.troubleshooting.truth import Truth, truth_of
from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.levels import LEVELS, QUIET, Settings

RESULT = Path(__file__).with_suffix(".json")
SEEDS = {"mid": range(901, 913), "senior": range(951, 963)}
"""Twelve variants of each level that nothing else uses."""
MOST = 40
"""Entries of one family that a step prints, rarest first."""
ONE_IN = 4
RARE = 3
"""A value or form is rare that stands in at most so many lines of its family."""

Json = dict[str, Any]
Files = Mapping[str, list[str]]
Place = tuple[str, int]
"""Path and number of a line, from 1."""
Shown = Iterable[tuple[str, int, str]]
"""A place with the name and value that make it an entry; "" where its form does."""
Printed = dict[str, dict[str, list[Place]]]
"""Family -> entry -> its lines."""

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{4,}(?:[:-][0-9a-fA-F]+)+|\d+(?:[.:,]\d+)*")
_ALARM = re.compile(
    r"xid|error|fail|throttl|timeout|timed out|warn|degraded|critical|slow|retr[iy]|lost|brake|down|inactive"
    r"|refused|mismatch|rebuil|asserted|unreachable|hw_|congest|exceed|drop",
    re.IGNORECASE,
)
_PAIR = re.compile(r"([A-Za-z][\w ./()-]*?)\s*[=:|]\s*(\S[^=|]*?)(?=\s+[A-Za-z]\w*=|\s*\||$)")


@lru_cache(maxsize=400_000)
def form(line: str) -> str:
    """A line with numbers masked; names of machines end in numbers."""
    return _NUMBER.sub("#", line).strip()


def family(path: str) -> str:
    """The path whatever the machine."""
    return _NUMBER.sub("#", path)


def diff_of(files: Files, good: str, now: str) -> Iterator[tuple[str, int, str]]:
    """Lines of `now` that are not in `good`; of logs and long tables only forms that are new."""
    for path in files:
        before = files.get(path.replace(now, good, 1)) if path.startswith(now) else None
        if before is None:
            continue
        old, new = before, files[path]
        if len(new) > 400:
            old, new = [form(line) for line in old], [form(line) for line in new]
            known = set(old)
            yield from ((path, n, "") for n, line in enumerate(new, 1) if line not in known)
            continue
        for kind, _, _, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
            if kind != "equal":
                yield from ((path, n, "") for n in range(first + 1, last + 1))


def diff_config(files: Files) -> Shown:
    return diff_of(files, "config/last-known-good", "config/now")


def diff_runs(files: Files) -> Shown:
    return diff_of(files, "runs/baseline", "runs/slow")


def rare_columns(files: Files) -> Shown:
    """Rows of tables in which a column of words has a rare value."""
    for path, lines in files.items():
        sign = "," if path.endswith(".csv") else "|" if lines and lines[0].count("|") > 5 else ""
        rows = list(csv.reader(lines, delimiter=sign)) if sign else []
        for column in range(len(rows[0]) if rows else 0):
            values = [row[column] if column < len(row) else "" for row in rows[1:]]
            counts = Counter(values)
            if len(counts) > max(8, len(values) // 20):
                continue
            for number, value in enumerate(values, 2):
                if value and counts[value] <= RARE:
                    yield path, number, f"{rows[0][column]}={value}"


def rare_pairs(files: Files) -> Shown:
    """Lines of listings in which a name has a value that it rarely has in this family."""
    found: dict[tuple[str, str], list[tuple[str, str, int]]] = defaultdict(list)
    for path, lines in files.items():
        if "log" in path or path.startswith("people/"):
            continue
        for number, line in enumerate(lines, 1):
            for name, value in _PAIR.findall(line):
                found[family(path), form(name)].append((value, path, number))
    for (_, name), rows in found.items():
        counts = Counter(value for value, _, _ in rows)
        if len(rows) < 10 or len(counts) > max(3, len(rows) // 10):
            continue
        for value, path, number in rows:
            if counts[value] <= RARE:
                yield path, number, f"{name}={value}"


def alarming(files: Files) -> Shown:
    for path, lines in files.items():
        yield from ((path, n, "") for n, line in enumerate(lines, 1) if _ALARM.search(line))


def rare_forms(files: Files) -> Shown:
    """Lines of logs and of commands' output whose form stands in few lines of their family."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for path, lines in files.items():
        forms[family(path)].update(form(line) for line in lines)
    for path, lines in files.items():
        if not path.startswith(("config/", "people/", "runs/")):
            known = forms[family(path)]
            rare = (n for n, line in enumerate(lines, 1) if known[form(line)] <= RARE)
            yield from ((path, n, "") for n in rare)


STEPS: Mapping[str, Callable[[Files], Shown]] = {
    "diff config": diff_config,
    "diff runs": diff_runs,
    "rare columns": rare_columns,
    "rare pairs": rare_pairs,
    "grep": alarming,
    "rare forms": rare_forms,
}


def printed(files: Files, shown: Shown) -> Printed:
    """What is shown, cut to so many entries of each family, the rarest first."""
    found: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for path, number, said in shown:
        text = said or form(files[path][number - 1])
        if text:
            found[family(path)][text].append((path, number))
    return {
        name: dict(sorted(entries.items(), key=lambda one: len(one[1]))[:MOST])
        for name, entries in found.items()
    }


def owners(truth: Truth, places: Iterable[Place]) -> Counter[str]:
    """Key -> how many of these lines are evidence of it."""
    return Counter(
        key for path, n in places for key, own in truth.files[path].shows.items() if n in own
    )


def of_step(truth: Truth, shown: Printed) -> Json:
    """Causes that one step surfaces and names, and how many other entries it prints."""
    surfaced, named, decoys, harmless = set(), set(), set(), 0
    for entries in shown.values():
        tags = [(owners(truth, places), len(places)) for places in entries.values()]
        for key in truth.causes:
            own = sum(tag[key] / lines for tag, lines in tags)
            surfaced |= {key} if own else set()
            named |= {key} if own and own * ONE_IN >= len(tags) else set()
        decoys |= {key for tag, _ in tags for key in tag if key in truth.herrings}
        harmless += sum(not tag for tag, _ in tags)
    return {
        "surfaced": sorted(surfaced),
        "named": sorted(named),
        "decoys": len(decoys),
        "harmless": harmless,
    }


def variant(level: str, seed: int, settings: Settings) -> Json:
    """What each step prints of one variant."""
    truth = truth_of(DEFAULT, level, seed, settings)
    files = {path: file.lines for path, file in truth.files.items()}
    steps = {name: of_step(truth, printed(files, step(files))) for name, step in STEPS.items()}
    return {
        "causes": sorted(truth.causes),
        "surfaced": sorted({key for row in steps.values() for key in row["surfaced"]}),
        "named": sorted({key for row in steps.values() for key in row["named"]}),
        "herrings": sorted(truth.herrings),
        "steps": steps,
    }


def summed(rows: Mapping[str, Json]) -> Json:
    """Parts of the drawn causes, by step and by kind of cause, and means of what is printed beside."""
    drawn = Counter(key for row in rows.values() for key in row["causes"])
    total = sum(drawn.values())
    told: Json = {"variants": len(rows), "drawn": total}
    for what in ("surfaced", "named"):
        by = Counter(key for row in rows.values() for key in row[what])
        told[what] = round(sum(by.values()) / total, 3)
        told[f"{what} by cause"] = {key: f"{by[key]} of {n}" for key, n in sorted(drawn.items())}
    told["steps"] = {name: _of_step(name, rows, total) for name in STEPS}
    shown = Counter(key for row in rows.values() for key in row["herrings"])
    told["herrings"] = dict(sorted(shown.items()))
    return told


def _of_step(name: str, rows: Mapping[str, Json], total: int) -> Json:
    steps = [row["steps"][name] for row in rows.values()]
    parts = {w: round(sum(len(s[w]) for s in steps) / total, 3) for w in ("surfaced", "named")}
    mean = {w: round(sum(s[w] for s in steps) / len(steps), 1) for w in ("decoys", "harmless")}
    return {**parts, **mean}


def measured(settings: Mapping[str, Settings]) -> Json:
    """Commit, and for each level the sums and every variant."""
    found: Json = {"commit": commit()}
    for level, seeds in SEEDS.items():
        rows = {}
        for seed in seeds:
            rows[str(seed)] = row = variant(level, seed, settings[level])
            told = ", ".join(f"{w} {len(row[w])}" for w in ("causes", "surfaced", "named"))
            print(level, seed, told, flush=True)
        found[level] = {"sums": summed(rows), "variants": rows}
    return found


def main() -> None:
    """Measures, keeps and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--as", dest="name", default="now", help="under which name to keep it")
    parser.add_argument("--quiet", action="store_true", help="without other people's work")
    asked = parser.parse_args()
    name = asked.name
    kept = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    kept[name] = measured(QUIET if asked.quiet else LEVELS)
    RESULT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for level in SEEDS:
        print(level, json.dumps(kept[name][level]["sums"], indent=1))


if __name__ == "__main__":
    main()
