"""The long form of nvidia-smi on the cluster's nodes is that of the incident whose tools are modelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.company.profile import Profile
from scenarios.live_slurm import files
from scenarios.live_slurm.inside import smi_long
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.texts.smi_form import Face
from scenarios.troubleshooting.texts.smi_query import query
from scenarios.troubleshooting.texts.system_host import looking
from scenarios.troubleshooting.truth import make_incident


@pytest.mark.parametrize(("gpu", "level", "top"), [("H100", "mid", 1980), ("A100", "junior", 1410)])
def test_the_long_form_has_the_rows_of_the_incidents(
    gpu: str, level: str, top: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = Path(files.__file__).parent / "files" / "smi_query.form"
    monkeypatch.setattr(smi_long, "FORM", form)
    incident = make_incident(Profile(gpu=gpu), LEVELS[level], 4)
    node, at = incident.training.before[0], looking(incident)
    theirs = [line.text for line in query(incident, node, at, [0])]
    theirs = theirs[theirs.index(f"GPU {node.gpus[0].bus_id}") + 1 : -1]
    face = Face(0, f"NVIDIA {gpu}", "00000000:1B:00.0", 600.0, 700.0, 60, 73_000, 81_559, 98)
    given = smi_long.Readings(face, "GPU-1", "550.127.08", 70.0, top, 4711).given()
    ours = smi_long.rows(given, [], busy=True)
    assert [_name(row) for row in ours] == [_name(row) for row in theirs]
    assert ours[4:12] == theirs[4:12]


def test_idle_gpus_and_sections_have_their_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    form = Path(files.__file__).parent / "files" / "smi_query.form"
    monkeypatch.setattr(smi_long, "FORM", form)
    face = Face(3, "NVIDIA H100", "00000000:52:00.0", 71.0, 700.0, 31, 4, 81_559, 0)
    given = smi_long.Readings(face, "GPU-2", "550.127.08", 70.0, 1980, 0).given()
    rows = smi_long.rows(given, ["PIDS", "UTILIZATION"], busy=False)
    assert rows[0] == "    Utilization"
    assert rows[-1] == f"{'    Processes':<42}: None"
    assert len(rows) == 8


def _name(row: str) -> str:
    return row.partition(" :")[0].partition(": ")[0].rstrip()
