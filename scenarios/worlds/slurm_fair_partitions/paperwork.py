"""Reports of usage and templates for submission: read, and compared with what is right."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

from scenarios.simulator.agenda import DAY
from scenarios.worlds.slurm_fair_partitions.config import INFERENCE, TRAINING, ClusterConfig

TOLERANCE = 0.01
"""A row of a report is right within one percent, or half a GPU-hour."""
SMALL = 0.5
LONGEST = {TRAINING: 48 * 60, INFERENCE: 4 * 60}
"""Minutes that a template may ask for."""
_TIME = re.compile(r"(?:(\d+)-)?(\d{1,2})(?::(\d\d))?(?::(\d\d))?")
_GRES = re.compile(r"gpu(?::(a100|t4))?:([1-9]\d?)")
SHORT = {
    "-p": "partition",
    "-A": "account",
    "-q": "qos",
    "-t": "time",
    "-J": "job-name",
    "-o": "output",
}


@dataclass(slots=True)
class Report:
    """Filed usage of one day: GPU-hours by (team, partition), and when it was filed in ms."""

    day: int
    filed: int
    rows: dict[tuple[str, str], float] = field(default_factory=dict)


def is_row(value: object) -> bool:
    """[team, partition, GPU-hours]"""
    if type(value) is not list or len(value) != 3:
        return False
    team, partition, hours = value
    named = type(team) is str and type(partition) is str and len(team) + len(partition) <= 80
    return named and type(hours) in (int, float) and -1e9 <= hours <= 1e9


def right_rows(
    config: ClusterConfig, truth: dict[tuple[int, int], float], report: Report | None
) -> tuple[int, int]:
    """(rows that are right, rows that matter) of one day's report.

    A row matters if there was usage worth naming, or if the report claims some.
    """
    true = {
        (config.teams[team].name, config.partitions[partition].name): hours
        for (team, partition), hours in truth.items()
        if hours > SMALL
    }
    filed = {} if report is None else {k: v for k, v in report.rows.items() if abs(v) > SMALL}
    keys = sorted(true.keys() | filed.keys())
    right = sum(
        abs(true.get(key, 0.0) - filed.get(key, 0.0)) <= max(SMALL, TOLERANCE * true.get(key, 0.0))
        for key in keys
    )
    return right, len(keys)


def due_days(config: ClusterConfig) -> range:
    """The days whose reports are due before the span ends: all but the last."""
    return range(1, config.length // DAY)


def directives(text: str) -> dict[str, str]:
    """The options of a batch script as sbatch reads them: #SBATCH lines before any command."""
    found: dict[str, str] = {}
    for line in text.splitlines()[1:]:
        if line.startswith("#SBATCH"):
            for word, value in _options(line[7:]):
                found[word] = value
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return found


def _options(rest: str) -> list[tuple[str, str]]:
    try:
        words = shlex.split(rest, comments=True)
    except ValueError:
        return []
    pairs: list[tuple[str, str]] = []
    place = 0
    while place < len(words):
        word, _, value = words[place].partition("=")
        name = SHORT.get(word, word.removeprefix("--"))
        has_next = place + 1 < len(words) and not words[place + 1].startswith("-")
        if not value and has_next:
            place += 1
            value = words[place]
        pairs.append((name, value))
        place += 1
    return pairs


def minutes_of(text: str) -> int | None:
    """A time limit of sbatch in minutes: MM, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS."""
    found = _TIME.fullmatch(text)
    if not found:
        return None
    days, first, second, third = found.groups()
    a, b, c = int(first), int(second or 0), int(third or 0)
    if days is not None:
        return int(days) * 1440 + a * 60 + b
    return a * 60 + b if third is not None else a + (1 if b or c else 0)


def faults_of(config: ClusterConfig, purpose: str, text: str) -> list[str]:
    """What is wrong with a template for one purpose; empty if it may be published."""
    wrong: list[str] = []
    if not text.startswith("#!/"):
        wrong.append("The first line must name the shell, as in #!/bin/bash.")
    asked = directives(text)
    names = [each.name for each in config.partitions if each.purpose == purpose]
    gpu = "a100" if purpose == TRAINING else "t4"
    teams = [team.name for team in config.teams]
    if asked.get("partition") not in names:
        wrong.append(f"--partition must be {' or '.join(names)}.")
    if asked.get("account") not in [*teams, "TEAM"]:
        wrong.append("--account must be a team's account, or the word TEAM to be replaced.")
    qos = ["serve"] if purpose == INFERENCE else [*teams, "TEAM"]
    if asked.get("qos") not in qos:
        wrong.append(
            "--qos must be serve." if purpose == INFERENCE else "--qos must be the team's."
        )
    gres = _GRES.fullmatch(asked.get("gres", ""))
    if not gres or gres[1] not in (None, gpu):
        wrong.append(f"--gres must ask for GPUs, as in gpu:{gpu}:1.")
    limit = minutes_of(asked.get("time", ""))
    if limit is None or not 0 < limit <= LONGEST[purpose]:
        wrong.append(f"--time must be a limit of at most {LONGEST[purpose] // 60} hours.")
    if not asked.get("job-name"):
        wrong.append("--job-name is missing.")
    if "mail-type" not in asked or "@" not in asked.get("mail-user", ""):
        wrong.append("--mail-type and --mail-user must say who hears of the job's end.")
    if "srun" not in text:
        wrong.append("The work must be started with srun.")
    return wrong
