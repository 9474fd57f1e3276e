"""What a candidate did in a terminal goes with their data, and they are given the record of it."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from assessments.models import (
    Attempt,
    KeptCluster,
    LiveCluster,
    TerminalChunk,
    TerminalCommand,
    TerminalSession,
)
from assessments.terminal import sessions
from assessments.tests.stage import NOW, Stage
from hiring.models import Exercise
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase
from reviews.tests.scene import LATER


@pytest.fixture
def worked(attempt: Attempt, stage: Stage) -> Stage:
    """One command, with what was typed and printed for it."""
    Exercise.objects.update(kind="troubleshooting")
    row = sessions.start(attempt, columns=80, rows=24, now=NOW)
    TerminalCommand.objects.create(
        session=row, source="cluster", at=NOW, host="login01", line="squeue -l", code=0, ms=12
    )
    for direction, data in (("in", b"squeue -l # Ada\r"), ("out", b"JOBID Ada Fontaine")):
        TerminalChunk.objects.create(session=row, direction=direction, seq=1, at=NOW, data=data)
    return stage


def test_export_holds_the_record_of_commands(worked: Stage) -> None:
    with zipfile.ZipFile(io.BytesIO(export(worked.ada))) as archive:
        [told] = json.loads(archive.read("data.json"))["attempts"]
    [command] = told["terminal"]
    assert (command["line"], command["host"], command["exit_code"]) == ("squeue -l", "login01", 0)
    assert command["known_from"] == "Answered by the cluster"
    assert told["terminal_printed"] == [{"round": 1, "text": "JOBID Ada Fontaine"}]


def test_erasure_takes_all_of_it(worked: Stage) -> None:
    erase(worked.ada, mode="erase", by=None, now=LATER)
    for model in (TerminalSession, TerminalChunk, TerminalCommand):
        assert not model._base_manager.exists()


def test_pseudonymised_keeps_commands_and_no_screen(worked: Stage) -> None:
    erase(worked.ada, mode="pseudonymise", by=None, now=LATER)
    assert TerminalCommand.objects.get().line == "squeue -l"
    assert not TerminalChunk.objects.exists()


@pytest.fixture
def cluster(attempt: Attempt) -> LiveCluster:
    """A live cluster that was kept once."""
    found = LiveCluster.objects.create(attempt=attempt, begun={}, began_at=NOW, ready_at=NOW)
    found.kept.create(round=1, at=NOW, files="H4sIAda", seen=[])
    found.looks.create(at=NOW, running=4, waiting=9, gpus=15, up=6)
    return found


def test_export_holds_the_cluster_that_was_kept(cluster: LiveCluster, stage: Stage) -> None:
    with zipfile.ZipFile(io.BytesIO(export(stage.ada))) as archive:
        [told] = json.loads(archive.read("data.json"))["attempts"]
    assert told["cluster"]["kept"][0]["files"] == "H4sIAda"
    assert told["cluster"]["moved"][0]["waiting"] == 9


def test_a_kept_cluster_goes_with_the_name_and_its_figures_stay(
    cluster: LiveCluster, stage: Stage
) -> None:
    erase(stage.ada, mode="pseudonymise", by=None, now=LATER)
    assert not KeptCluster.objects.exists()
    assert LiveCluster.objects.get().looks.count() == 1
    erase(stage.ada, mode="erase", by=None, now=LATER)
    assert not LiveCluster.objects.exists()
