"""All configuration as documents in two trees: `config/now` and `config/last-known-good`."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.troubleshooting.texts import fleet
from scenarios.troubleshooting.texts.configs_hosts import host_files
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.slurm_conf import files
from scenarios.troubleshooting.truth import Incident

NOW, GOOD = "config/now", "config/last-known-good"


def configs(incident: Incident) -> Iterator[tuple[Document, Document]]:
    """(now, last known good) of every file; only what differs now carries a tag."""
    calendar = incident.calendar
    then, now = calendar.baseline_start, calendar.window_start
    for path, (before, after) in files(incident).items():
        place = f"{incident.plant.controller}{path}"
        tags = {one.after: one.key for one in fleet.decoys(incident, path)}
        lines = tuple(Line(now, text, tags.get(text)) for text in after.splitlines())
        yield (
            Document(f"{NOW}/{place}", lines),
            Document(f"{GOOD}/{place}", tuple(Line(then, text) for text in before.splitlines())),
        )
    for pair in host_files(incident):
        place = f"{pair.host}{pair.path}"
        yield (
            Document(f"{NOW}/{place}", tuple(Line(now, text, tag) for text, tag in pair.now())),
            Document(f"{GOOD}/{place}", tuple(Line(then, text) for text in pair.good())),
        )
