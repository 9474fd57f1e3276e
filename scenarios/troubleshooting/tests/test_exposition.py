"""Prometheus text and OpenMetrics history: strict about their form, complete, and taken by promtool."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.calendar import HOUR, MINUTE
from scenarios.troubleshooting.columns import Columns, Series
from scenarios.troubleshooting.exposition import (
    MOST_SAMPLES,
    TooMuch,
    family_of,
    number,
    openmetrics,
    scrapes,
    write_openmetrics,
)
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.signals.history import METRICS, write_history
from scenarios.troubleshooting.truth import Incident, make_incident

_SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r"(?:\{(?P<labels>[a-zA-Z_]\w*=\"(?:[^\"\\\n]|\\[\\n\"])*\"(?:,[a-zA-Z_]\w*=\"(?:[^\"\\\n]|\\[\\n\"])*\")*)\})?"
    r" (?P<value>-?\d+(?:\.\d+)?)(?: (?P<at>\d+(?:\.\d{3})?))?"
)
_GENUINE_LINT = (
    'counter metrics should have "_total" suffix',
    "label names should be written in 'snake_case' not 'camelCase'",
    "metric names should be written in 'snake_case' not 'camelCase'",
    "metric name should not include type 'counter'",
)
"""Lint lines that the text of genuine exporters gives as well."""


@pytest.fixture(scope="module")
def incident() -> Incident:
    return make_incident(DEFAULT, LEVELS["junior"], 4)


@pytest.fixture(scope="module")
def history(incident: Incident, tmp_path_factory: pytest.TempPathFactory) -> Columns:
    path = tmp_path_factory.mktemp("history") / "metrics.hnc"
    write_history(incident, path)
    return Columns.open(path)


@pytest.fixture(scope="module")
def texts(history: Columns, incident: Incident) -> dict[str, str]:
    return dict(scrapes(history, incident.run.first_ms + 2 * HOUR))


def promtool(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Runs it; skips with the reason where it is absent, fails if HEADNODE_REQUIRE_ALL=1."""
    path = shutil.which("promtool")
    if path is None:
        reason = "promtool is not installed (package prometheus)"
        if os.environ.get("HEADNODE_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return subprocess.run(
        [path, *arguments], input=given, capture_output=True, text=True, check=False
    )


def checked(text: str, stamped: bool) -> list[tuple[str, str, float, float]]:
    """(name, labels, value, time) of every sample of a text, after a strict look at its form."""
    found, families, seen = [], [], set()
    for line in text.removesuffix("# EOF\n").splitlines():
        if line.startswith("# "):
            word, family = line.split(" ")[1:3]
            assert word in ("HELP", "TYPE")
            if word == "TYPE":
                assert family not in families
                families.append(family)
            continue
        match = _SAMPLE.fullmatch(line)
        assert match, line
        name, labels = match["name"], match["labels"] or ""
        assert name.removesuffix("_total") == families[-1] or name == families[-1]
        assert (match["at"] is not None) == stamped
        at = float(match["at"] or 0)
        assert (name, labels, at) not in seen
        seen.add((name, labels, at))
        found.append((name, labels, float(match["value"]), at))
    return found


@pytest.mark.nightly
def test_every_exporter_of_every_host_has_one_scrape(
    texts: dict[str, str], incident: Incident
) -> None:
    nodes = {node.name for node in incident.plant.nodes}
    for exporter in ("dcgm-exporter", "node_exporter", "ipmi_exporter"):
        told = {Path(path).stem for path in texts if path.startswith(f"{exporter}/")}
        assert nodes - told <= set(incident.condition.subjects("unscraped"))
    assert {Path(path).stem for path in texts if path.startswith("ib_exporter/")} == {
        switch.name for switch in (*incident.plant.leaves, *incident.plant.spines)
    }
    own = {node.name for node in incident.training.nodes}
    assert {Path(path).stem for path in texts if path.startswith("trainer/")} == own
    names = {name for text in texts.values() for name, _, _, _ in checked(text, stamped=False)}
    assert names == {metric.name for metric in METRICS} - {"up"}


def test_dcgm_labels_stand_in_the_exporters_order(
    texts: dict[str, str], incident: Incident
) -> None:
    node = incident.training.nodes[1]
    for name, labels, _, _ in checked(texts[f"dcgm-exporter/{node.name}.prom"], stamped=False):
        assert name.startswith("DCGM_FI_")
        keys = re.findall(r'(\w+)="', labels)
        wanted = "gpu UUID pci_bus_id device modelName Hostname DCGM_FI_DRIVER_VERSION hpc_job"
        assert keys == wanted.split()
        assert labels.endswith(f'hpc_job="{incident.slow.id}"')
        gpu = node.gpus[int(labels.split('"')[1])]
        assert gpu.uuid in labels
        assert gpu.bus_id in labels


def test_a_scrape_shows_what_the_history_holds(
    texts: dict[str, str], history: Columns, incident: Incident
) -> None:
    at = incident.run.first_ms + 2 * HOUR
    node = incident.training.nodes[0].name
    found = {
        labels.split('"')[1]: value
        for name, labels, value, _ in checked(texts[f"dcgm-exporter/{node}.prom"], stamped=False)
        if name == "DCGM_FI_DEV_POWER_USAGE"
    }
    series = history.find("DCGM_FI_DEV_POWER_USAGE", {"node": node})
    values = history.window(series, at - 15_000 + 1, at)[1][:, -1]
    told = [found[dict(one.labels)["gpu"]] for one in series]
    assert told == pytest.approx(values.tolist(), abs=1e-6)


def test_history_is_complete_and_in_order(history: Columns, incident: Incident) -> None:
    """Nothing is dropped: as many samples as the file holds, gaps apart; one label set at a stretch."""
    names = ["DCGM_FI_DEV_GPU_UTIL", "node_cpu_seconds_total", "up", "train_step"]
    start = incident.run.first_ms - 20 * MINUTE
    text = "".join(openmetrics(history, names, start, start + HOUR))
    assert text.endswith("# EOF\n")
    found = checked(text, stamped=True)
    wanted = sum(
        int((~np.isnan(history.window((one,), start, start + HOUR)[1])).sum())
        for name in names
        for one in history.find(name)
    )
    assert len(found) == wanted
    last: dict[tuple[str, str], float] = {}
    runs: list[tuple[str, str]] = []
    for name, labels, _, at in found:
        assert at > last.get((name, labels), 0.0)
        last[name, labels] = at
        if not runs or runs[-1] != (name, labels):
            runs.append((name, labels))
    assert len(runs) == len(set(runs))
    jobs = set(re.findall(r'hpc_job="(\d+)"', text))
    assert str(incident.slow.id) in jobs
    assert jobs <= {str(job.id) for job in incident.jobs}


def test_history_of_one_host_holds_that_host_alone(history: Columns, incident: Incident) -> None:
    node = incident.training.nodes[0].name
    lines = openmetrics(
        history, ["DCGM_FI_DEV_GPU_TEMP"], history.start_ms, history.start_ms, {"node": node}
    )
    assert len(checked("".join(lines), stamped=True)) == 8


def test_counters_are_counters_only_where_the_name_says_so() -> None:
    kinds = {metric.name: family_of(metric) for metric in METRICS}
    assert kinds["node_cpu_seconds_total"] == ("node_cpu_seconds", "counter")
    energy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"
    assert kinds[energy] == (energy, "unknown")
    assert kinds["DCGM_FI_DEV_GPU_TEMP"][1] == "gauge"


def test_an_export_that_is_too_long_is_refused_before_it_begins(history: Columns) -> None:
    every = [metric.name for metric in METRICS]
    with pytest.raises(TooMuch, match=f"{MOST_SAMPLES:,}"):
        openmetrics(history, every, history.start_ms, history.end_ms)
    with pytest.raises(KeyError):
        openmetrics(history, ["unknown_metric"], history.start_ms, history.end_ms)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1860.0, "1860"),
        (663.412, "663.412"),
        (-0.5, "-0.5"),
        (4.2e14, "420000000000000"),
    ],
)
def test_numbers_are_printed_plainly(value: float, text: str) -> None:
    assert number(value) == text
    assert math.isclose(float(text), value)


def test_promtool_takes_every_scrape(texts: dict[str, str]) -> None:
    """One host of each exporter; only lint that genuine text gives as well."""
    chosen = {path.split("/")[0]: text for path, text in texts.items()}
    assert len(chosen) >= 8
    for exporter, text in chosen.items():
        done = promtool("check", "metrics", given=text)
        assert done.returncode in (0, 3), done.stderr
        for line in (done.stdout + done.stderr).splitlines():
            assert line.endswith(_GENUINE_LINT), (exporter, line)


@pytest.mark.nightly
def test_promtool_loads_the_history(history: Columns, incident: Incident, tmp_path: Path) -> None:
    start = incident.run.first_ms
    path = tmp_path / "history.om"
    every = [metric.name for metric in METRICS]
    write_openmetrics(history, every, start, start + 4 * MINUTE, path)
    done = promtool("tsdb", "create-blocks-from", "openmetrics", str(path), str(tmp_path / "tsdb"))
    assert done.returncode == 0, done.stderr
    listed = promtool("tsdb", "list", str(tmp_path / "tsdb")).stdout.splitlines()
    loaded = sum(int(line.split()[4]) for line in listed if line.startswith("01"))
    written = sum(not line.startswith("#") for line in path.read_text().splitlines())
    assert loaded == written > 50_000


def _all(history: Columns) -> list[Series]:
    return [one for series in history.series.values() for one in series]


def test_every_series_is_told_apart(history: Columns) -> None:
    seen = [(one.metric.name, one.labels) for one in _all(history)]
    assert len(seen) == len(set(seen))
