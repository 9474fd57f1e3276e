"""Writes the materials of one slow training run to a folder, and tells its key and its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from scenarios.company.profile import Profile
from scenarios.packs.generated import Written
from scenarios.troubleshooting.calendar import MINUTE
from scenarios.troubleshooting.columns import Columns, Stretch
from scenarios.troubleshooting.exposition import scrapes, write_openmetrics
from scenarios.troubleshooting.handout import handed_out
from scenarios.troubleshooting.key import make_key
from scenarios.troubleshooting.levels import LEVELS as SETTINGS
from scenarios.troubleshooting.materials import Material, counted, materials
from scenarios.troubleshooting.physics import STEPS
from scenarios.troubleshooting.signals.history import write_baseline, write_history
from scenarios.troubleshooting.texts.fabric_ports import keep_counters
from scenarios.troubleshooting.texts.owners import during
from scenarios.troubleshooting.texts.system_host import servers
from scenarios.troubleshooting.truth import MOST_GPUS as MOST_GPUS
from scenarios.troubleshooting.truth import Incident, make_incident
from scenarios.troubleshooting.words import NAMES, words_of

LEVELS = tuple(SETTINGS)
FACTS = "incident"
SEVERITIES = ".severities.json"
"""Beside the materials, for the page that searches them: path of a log -> a digit for each of its lines, the
priority under which its journal keeps it. No file that a person opens tells it."""
PRIORITIES = {
    name: str(number)
    for number, name in enumerate(
        ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
    )
}
WORDS = NAMES
SAMPLE = (
    "DCGM_FI_DEV_POWER_USAGE",
    "node_load1",
    "node_infiniband_port_data_received_bytes_total",
    "train_step_seconds",
)
"""Metrics of the short stretch of history that is handed out as OpenMetrics."""
_SAMPLE_LENGTH = 5 * MINUTE


@lru_cache(maxsize=2)
def _incident(profile: Profile, level: str, seed: int) -> Incident:
    return make_incident(profile, SETTINGS[level], seed)


@lru_cache(maxsize=1)
def _materials(profile: Profile, level: str, seed: int) -> tuple[Material, ...]:
    incident = _incident(profile, level, seed)
    return handed_out(incident, materials(incident))


def write(folder: Path, profile: Profile, level: str, seed: int) -> list[Written]:
    """Write texts, both histories, one scrape of every exporter and a sample of OpenMetrics.

    The metrics come first: they leave behind what the switches' tools count.
    """
    shelf = _Shelf(folder)
    metrics = list(_metrics(_incident(profile, level, seed), shelf))
    found, levels = [], {}
    for material in _materials(profile, level, seed):
        lines = material.document.lines
        told = [line.level for line in lines] if material.kind == "log" else []
        if any(told):
            levels[material.path] = "".join([PRIORITIES.get(level, "-") for level in told])
        shelf.put(material.path, material.document.text())
        found.append(Written(material.path, material.kind, material.title, material.before))
    shelf.put(SEVERITIES, json.dumps(levels, sort_keys=True))
    return [*found, *metrics]


def _metrics(incident: Incident, shelf: _Shelf) -> Iterator[Written]:
    folder = shelf.folder
    (folder / "metrics").mkdir(parents=True, exist_ok=True)
    history, now = folder / "metrics" / "history.hncol", during(incident)
    stretch = Stretch(now - _SAMPLE_LENGTH, now)
    keep_counters(incident, *counted(incident))
    write_history(incident, history, stretch)
    yield Written("metrics/history.hncol", "columns", "History of all metrics")
    write_baseline(incident, folder / "metrics" / "baseline.hncol")
    yield Written("metrics/baseline.hncol", "columns", "History of the run to compare with")
    columns = Columns.open(history, stretch)
    for path, text in scrapes(columns, now):
        exporter, _, host = path.removesuffix(".prom").rpartition("/")
        place = f"metrics/scrapes/{host}/{exporter}.prom"
        shelf.put(place, text)
        yield Written(place, "prom", f"One scrape of {exporter}, {host}")
    write_openmetrics(columns, SAMPLE, now - _SAMPLE_LENGTH, now, folder / "metrics" / "sample.om")
    yield Written("metrics/sample.om", "om", "Five minutes of history as OpenMetrics")


class _Shelf:
    """The folder of the materials: hundreds of files in a few dozen folders, each of which is made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: set[Path] = set()

    def put(self, path: str, text: str) -> None:
        target = self.folder / path
        if target.parent not in self._made:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(target.parent)
        target.write_bytes(text.encode())


def key(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """Staff only: causes, herrings and what every file is worth, as JSON holds it."""
    found = _materials(profile, level, seed)
    return make_key(_incident(profile, level, seed), found).plain()


def words(profile: Profile, level: str, seed: int) -> dict[str, str]:
    """What the brief may say of this incident."""
    return words_of(_incident(profile, level, seed))


def facts(profile: Profile, level: str, seed: int) -> dict[str, object]:
    """Times (ms since 1970, UTC), job numbers and names that the candidate's pages need."""
    incident = _incident(profile, level, seed)
    calendar, plant = incident.calendar, incident.plant
    return {
        "window": {"from_ms": calendar.window_start, "to_ms": calendar.window_end},
        "zone": calendar.zone.name,
        "offset_min": calendar.zone.offset,
        "now_ms": during(incident),
        "job": incident.slow.id,
        "baseline_job": incident.before.id,
        "run": {"from_ms": incident.slow.start_ms, "to_ms": incident.slow.end_ms},
        "baseline": {"from_ms": incident.before.start_ms, "to_ms": incident.before.end_ms},
        "steps": STEPS,
        "cluster": plant.cluster,
        "hosts": [*(node.name for node in plant.nodes), *servers(incident)],
        "nodes": [node.name for node in plant.nodes],
    }
