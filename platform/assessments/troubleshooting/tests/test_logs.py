"""The logs of the room: each program's lines as it prints them, in one bundle that a page can search (E2)."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.materials import variants
from assessments.tests.stage import Stage, enter
from assessments.troubleshooting.log_bundle import MAGIC, NAME, Bundle, bundle_of, packed
from assessments.troubleshooting.log_lines import SEVERITIES, LogLine, Place, read, with_priorities
from assessments.troubleshooting.tests.troubleshooting_stage import (
    INCIDENT,
    LEVEL,
    SEED,
    start_incident,
)

HELSINKI = Place("gpu-n003", "dmesg", 180, 2026)


def utc(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("name", "text", "at", "host", "source", "severity"),
    [
        (
            "journal.log",
            "2026-10-11T21:50:08+0300 oss01 smartd[1840]: Device: /dev/nvme3",
            utc(2026, 10, 11, 18, 50, 8),
            "oss01",
            "smartd",
            "not stated",
        ),
        (
            "journal.log",
            '2026-10-12T02:00:00-0700 n1 lustre_exporter[41]: level=warn msg="slow"',
            utc(2026, 10, 12, 9),
            "n1",
            "lustre_exporter",
            "warning",
        ),
        (
            "journal.log",
            "2026-10-12T02:00:00+0000 n1 slurmd[7]: error: no space left",
            utc(2026, 10, 12, 2),
            "n1",
            "slurmd",
            "error",
        ),
        (
            "dmesg.txt",
            "[Wed Oct  7 07:15:55 2026] NVRM: Xid (PCI:0000:1b:00): 74",
            utc(2026, 10, 7, 4, 15, 55),
            "gpu-n003",
            "dmesg",
            "not stated",
        ),
        (
            "ipmi-sel.txt",
            "   a | 10/07/2026 | 04:05:20 | Fan FAN8 | Lower Critical | Asserted",
            utc(2026, 10, 7, 4, 5, 20),
            "gpu-n003",
            "dmesg",
            "not stated",
        ),
        (
            "opensm.log",
            "Oct 07 06:00:00 472000 [7F2A5000] 0x01 -> osm: trap",
            utc(2026, 10, 7, 3) + 472,
            "gpu-n003",
            "dmesg",
            "error",
        ),
        (
            "nccl.log",
            "gpu-n011:23499:23732 [0] NCCL WARN Call to ibv_reg_mr failed",
            None,
            "gpu-n011",
            "dmesg",
            "warning",
        ),
        (
            "train.log",
            "2026-10-12 15:02:24,579 WARNING [rank 0] torch: deprecated",
            utc(2026, 10, 12, 12, 2, 24) + 579,
            "gpu-n003",
            "dmesg",
            "warning",
        ),
        (
            "bms.log",
            "2026-10-11 21:46:00 bms ALARM   CRAH-C02 supply air 27.9 C",
            utc(2026, 10, 11, 18, 46),
            "gpu-n003",
            "dmesg",
            "error",
        ),
        (
            "slurmctld.log",
            "[2026-10-11T21:46:03.876] sched: Allocate JobId=94199",
            utc(2026, 10, 11, 18, 46, 3) + 876,
            "gpu-n003",
            "dmesg",
            "info",
        ),
    ],
)
def test_a_line_is_read_as_its_program_prints_it(
    name: str, text: str, at: int | None, host: str, source: str, severity: str
) -> None:
    (line,) = read(name, f"{text}\n", HELSINKI)
    assert (line.at_ms, line.host, line.source) == (at, host, source)
    assert SEVERITIES[line.severity] == severity
    assert line.text == text


def test_a_line_without_a_time_shares_that_of_the_entry_before_it() -> None:
    text = "orphan\n2026-10-12 15:02:24,579 ERROR torch\n  File train.py\n2026-13-40 99:99:99 no date\n"
    times = [line.at_ms for line in read("train.log", text, HELSINKI)]
    at = utc(2026, 10, 12, 12, 2, 24) + 579
    assert times == [None, at, at, at]


def test_a_journals_priority_counts_where_a_line_states_no_severity() -> None:
    text = "2026-10-12 15:02:24 ERROR torch\n2026-10-12 15:02:25 one\n2026-10-12 15:02:26 two\n"
    found = with_priorities(read("x.log", text, HELSINKI), "64")
    assert [SEVERITIES[line.severity] for line in found] == ["error", "warning", "not stated"]


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Header, columns and text, by the documented layout and nothing else."""
    assert data.startswith(MAGIC)
    size = int.from_bytes(data[8:12], "little")
    head, base = json.loads(data[12 : 12 + size]), 12 + size
    columns = {
        part["name"]: np.frombuffer(data, f"<{part['type']}", part["length"], base + part["offset"])
        for part in head["columns"]
    }
    return head, columns, data[base + head["text"]["offset"] :].decode()


def test_bundle_holds_rows_by_file_and_their_order_by_time() -> None:
    bundle = Bundle()
    bundle.add(
        "b.log", "B", [LogLine(20, "n1", "x", 1, "später 🙂"), LogLine(5, "n2", "x", 0, "early")]
    )
    bundle.add(
        "a.log", "A", [LogLine(None, "n1", "y", 0, "never"), LogLine(10, "n1", "y", 2, "middle")]
    )
    data = bundle.write()
    head, columns, text = unpacked(data)
    assert [file["first"] for file in head["files"]] == [0, 2]
    assert [text.split("\n")[row] for row in columns["order"]] == [
        "early",
        "middle",
        "später 🙂",
        "never",
    ]
    units = text.encode("utf-16-le")
    cut = [
        units[2 * a : 2 * (b - 1)].decode("utf-16-le")
        for a, b in zip(columns["start"][:-1], columns["start"][1:], strict=True)
    ]
    assert cut == ["später 🙂", "early", "never", "middle"]
    assert head["files"][0]["widest"] == 9  # the smile is two units wide
    assert [head["hosts"][at] for at in columns["host"]] == ["n1", "n2", "n1", "n1"]


@pytest.fixture
def ada(client: Client, stage: Stage, built: Path, settings: Any) -> tuple[Client, str]:
    """Ada at her browser in the room, and the address of its logs."""
    settings.VARIANTS = built
    stage.invitation.opens_at = timezone.now() - timedelta(days=1)
    stage.invitation.closes_at = timezone.now() + timedelta(days=6)
    stage.invitation.save()
    attempt = start_incident(stage, timezone.now() - timedelta(minutes=5))
    enter(client, stage.token)
    return client, reverse("room-logs", args=[attempt.pk])


@pytest.mark.django_db
def test_every_line_of_every_log_is_there_once_and_in_its_place(ada: tuple[Client, str]) -> None:
    client, url = ada
    answer = client.get(url)
    assert answer["Content-Type"] == "application/gzip"
    assert "Content-Encoding" not in answer
    head, columns, text = unpacked(gzip.decompress(answer.content))
    folder = variants.folder_of(INCIDENT, LEVEL, SEED)
    manifest = json.loads((folder / variants.MANIFEST).read_text())
    logs = [row["path"] for row in manifest["files"] if row["kind"] == "log"]
    assert [file["path"] for file in head["files"]] == logs
    assert text == "".join((folder / path).read_text() for path in logs)
    # What a journal or a kernel keeps beside a line is known, though the line does not print it.
    assert np.count_nonzero(columns["severity"]) > 0.9 * head["lines"]
    times = columns["time"][columns["order"]]
    assert np.all(np.diff(times[~np.isnan(times)]) >= 0)
    window, run = (manifest["incident"][name] for name in ("window", "run"))
    of_nccl = {path for path in logs if path.endswith("nccl.log")}
    for file in head["files"]:
        at = columns["time"][file["first"] : file["first"] + file["lines"]]
        assert np.isnan(at).all() if file["path"] in of_nccl else not np.isnan(at).any(), file[
            "path"
        ]
        if file["path"] == "runs/slow/train.log":  # a zone read wrongly moves it out of the run
            assert run["from_ms"] - 300_000 <= at.min()
            assert at.max() <= run["to_ms"] + 300_000
        if file["path"].startswith("logs/"):
            assert window["from_ms"] < np.median(at) < window["to_ms"], file["path"]


@pytest.mark.django_db
def test_bundle_is_made_once(ada: tuple[Client, str]) -> None:
    folder = variants.folder_of(INCIDENT, LEVEL, SEED)
    manifest = json.loads((folder / variants.MANIFEST).read_text())
    made = bundle_of(folder, lambda: packed(folder, manifest))
    before = made.stat().st_mtime_ns
    assert bundle_of(folder, lambda: pytest.fail("packed twice")) == folder / NAME
    assert made.stat().st_mtime_ns == before
    assert [path.name for path in folder.glob(f"{NAME}?*")] == []


@pytest.mark.django_db
def test_strangers_get_no_logs(ada: tuple[Client, str]) -> None:
    _, url = ada
    answer = Client().get(url)
    assert answer.status_code in (401, 403, 404)
    assert not answer.content.startswith(b"\x1f\x8b")
