"""The staff's room: the candidate's materials for each role, remarks at their lines, what was run in it."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assessments.materials import variants
from assessments.models import Attempt
from assessments.models.terminal import TerminalChunk, TerminalCommand, TerminalSession
from assessments.tests.stage import NOW, Stage, enter
from reviews.evidence import terminal_record, work_history
from reviews.models import Pin
from reviews.privacy import erasure
from reviews.privacy.candidate_export import export
from reviews.scoring import evaluations, pins
from reviews.tests.scene import LATER
from reviews.tests.troubleshooting_scene import key

Clients = dict[str, Client]
ALL = {"adam": 200, "hana": 200, "ines": 200, "rhea": 403, "otto": 404}


def base(attempt: Attempt) -> str:
    return reverse("admin:attempt-room", args=[attempt.pk])


@pytest.mark.parametrize(
    "path",
    [
        "",
        "manifest",
        "files/people/changes.txt",
        "logs",
        "metrics/catalogue",
        "metrics/panels",
        "query?q=up",
    ],
)
@pytest.mark.by_day(every=2)
def test_materials_are_for_whoever_may_read_the_answer(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage, client: Client, path: str
) -> None:
    got = {
        name: one.get(base(troubleshooting_attempt) + path).status_code
        for name, one in clients.items()
    }
    nobody = got.pop("nobody")
    assert nobody in (302, 403)
    if path.startswith("query"):
        assert {name: status in (200, 400) for name, status in got.items()} == {
            name: status == 200 for name, status in ALL.items()
        }
    else:
        assert got == ALL
    enter(client, stage.token)  # a candidate's link opens nothing of the staff's
    assert client.get(base(troubleshooting_attempt) + path).status_code in (302, 403)


def test_staff_read_the_same_bytes_after_the_candidates_time(
    clients: Clients, troubleshooting_attempt: Attempt, client: Client, stage: Stage
) -> None:
    enter(client, stage.token)
    theirs = reverse("room-file", args=[troubleshooting_attempt.pk, "people/changes.txt"])
    assert client.get(theirs).status_code == 409
    read = clients["ines"].get(base(troubleshooting_attempt) + "files/people/changes.txt")
    version = troubleshooting_attempt.pack_version
    folder = variants.folder_of(
        version.name, troubleshooting_attempt.level, troubleshooting_attempt.seed, version.digest
    )
    assert read.content == (folder / "people/changes.txt").read_bytes()
    assert "seed" not in clients["ines"].get(base(troubleshooting_attempt) + "manifest").json()
    for name in ("manifest.json", "metrics/history.hncol", "../keys/x.json", "etc/passwd"):
        assert (
            clients["ines"].get(f"{base(troubleshooting_attempt)}files/{name}").status_code == 404
        ), name


def test_no_terminal_and_nothing_to_write_is_offered(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    for path in ("terminal/start", "terminal/exchange", "terminal/state"):
        assert clients["ines"].post(base(troubleshooting_attempt) + path).status_code == 404
    assert clients["ines"].post(base(troubleshooting_attempt) + "manifest").status_code in (
        403,
        405,
    )


def test_attempts_without_a_room_have_none(clients: Clients, handed_in: Attempt) -> None:
    assert clients["ines"].get(base(handed_in)).status_code == 404
    assert clients["ines"].get(base(handed_in) + "manifest").status_code == 404
    assert clients["ines"].get(reverse("admin:key", args=[handed_in.pk])).status_code == 404


def pin(attempt: Attempt, client: Client, **other: Any) -> Any:
    line = key()["causes"][0]["lines"][0]
    first = line["spans"][0][0]
    data = {
        "id": str(uuid4()),
        "kind": "line",
        "source": "material",
        "part": line["path"],
        "first": first,
        "last": first,
        "text": "Here it begins.",
    } | other
    url = reverse("admin:pin", args=[attempt.pk, 1])
    return client.post(url, data, content_type="application/json")


def test_a_remark_keeps_the_true_line_and_leads_back_to_it(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    line = key()["causes"][0]["lines"][0]
    answer = pin(troubleshooting_attempt, clients["ines"], quote="forged")
    assert answer.status_code == 200
    assert answer.json()["place"] == f"{line['path']}, line {line['spans'][0][0]}"
    assert answer.json()["quote"].strip() == line["first"].strip()
    path = line["path"].replace("/", "%2F")
    href = f"{base(troubleshooting_attempt)}#at?path={path}&amp;line={line['spans'][0][0]}"
    for url in (
        reverse("admin:score", args=[troubleshooting_attempt.pk, 1]),
        base(troubleshooting_attempt),
    ):
        said = clients["ines"].get(url).content.decode()
        assert href in said
        assert "Here it begins." in said
    for name in ("hana", "adam"):
        assert (
            "Here it begins." in clients[name].get(base(troubleshooting_attempt)).content.decode()
        )


def chart_of_the_key() -> dict[str, Any]:
    found: dict[str, Any] = next(row["charts"][0] for row in key()["causes"] if row["charts"])
    return found


def at_chart(chart: dict[str, Any], **other: Any) -> dict[str, Any]:
    part = json.dumps({"metric": chart["metric"], "labels": chart["labels"]})
    first, last = chart["from_ms"] // 1000, chart["to_ms"] // 1000
    return {"kind": "time", "part": part, "first": first, "last": last} | other


def test_a_remark_at_a_chart_keeps_what_it_shows_and_leads_back_to_it(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    chart = chart_of_the_key()
    answer = pin(troubleshooting_attempt, clients["ines"], **at_chart(chart))
    assert answer.status_code == 200, answer.json()
    assert answer.json()["place"].startswith(f"{chart['metric']} (")
    assert re.search(r"\d+ \w{3} \d{4}, \d\d:\d\d to ", answer.json()["place"])
    assert re.search(r"series\nlowest \S+.*\nmean \S+.*\nhighest ", answer.json()["quote"])
    asked = {
        "metric": chart["metric"],
        "from_ms": chart["from_ms"] // 1000 * 1000,
        "to_ms": chart["to_ms"] // 1000 * 1000,
    }
    for url in (
        reverse("admin:score", args=[troubleshooting_attempt.pk, 1]),
        base(troubleshooting_attempt),
    ):
        said = unescape(clients["ines"].get(url).content.decode())
        assert f"{base(troubleshooting_attempt)}#chart?{urlencode(asked)}" in said


def test_a_counter_is_quoted_as_its_rate(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    """Bytes received since the boot say nothing; the dashboards draw bytes per second."""
    chart = {
        **chart_of_the_key(),
        "metric": "node_infiniband_port_data_received_bytes_total",
        "labels": {},
    }
    answer = pin(troubleshooting_attempt, clients["ines"], **at_chart(chart))
    assert answer.json()["place"].startswith("node_infiniband_port_data_received_bytes_total, ")
    assert "B/s" in answer.json()["quote"]


def test_a_remark_at_no_chart_of_the_materials_is_refused(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    chart = chart_of_the_key()
    for wrong in (
        {"first": 1, "last": 2},
        {"part": "no json"},
        {"part": "[" * 300},
        {"part": json.dumps({"metric": "up" * 9, "labels": {}})},
        {"part": json.dumps({"metric": chart["metric"], "labels": {"node": "nowhere"}})},
        {"part": json.dumps({"metric": chart["metric"], "labels": {"rank": "a-b"}})},
        {"part": json.dumps({"metric": chart["metric"], "labels": {"node": 7}})},
        {"part": json.dumps({"metric": chart["metric"], "colour": "red"})},
    ):
        answer = pin(troubleshooting_attempt, clients["ines"], **at_chart(chart, **wrong))
        assert answer.status_code == 409, wrong
    assert not Pin.objects.exists()


def test_a_remark_at_no_line_of_the_materials_is_refused(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    for wrong in (
        {"first": 0, "last": 0},
        {"first": 1, "last": 9_999_999},
        {"part": "manifest.json"},
        {"part": "../keys/key.json"},
        {"part": "metrics/history.hncol"},
        {"kind": "row"},
    ):
        assert pin(troubleshooting_attempt, clients["ines"], **wrong).status_code == 409, wrong
    assert pin(troubleshooting_attempt, clients["hana"]).status_code == 404
    assert not Pin.objects.exists()


@pytest.mark.nightly
def test_an_attempt_without_charts_has_no_remark_at_one(
    clients: Clients, handed_in: Attempt
) -> None:
    chart = {"metric": "up", "labels": {}, "from_ms": 0, "to_ms": 1000}
    assert pin(handed_in, clients["ines"], **at_chart(chart)).status_code == 409


def test_a_remark_stays_the_authors_own_until_their_scorecard_is_in(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    evaluations.assign(
        attempt=troubleshooting_attempt, evaluator=stage.otto, by=stage.rhea, now=LATER
    )
    pin(troubleshooting_attempt, clients["ines"])
    assert (
        "Here it begins." not in clients["otto"].get(base(troubleshooting_attempt)).content.decode()
    )
    erasure.erase(stage.ada, mode="erase", by=stage.rhea, now=LATER)
    assert not Pin.objects.exists()


def ran(attempt: Attempt, minute: float, line: str, **other: Any) -> TerminalCommand:
    session, _ = TerminalSession.objects.get_or_create(
        attempt=attempt, round=1, defaults={"asked_at": NOW, "looked_at": NOW, "state": "ended"}
    )
    facts = {"source": "shell", "host": "login01", "code": 0, "ms": 40} | other
    return TerminalCommand.objects.create(
        session=session, at=NOW + timedelta(minutes=minute), line=line, **facts
    )


def test_commands_are_steps_of_the_course_and_a_list(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    ran(troubleshooting_attempt, 2, "squeue", source="cluster")
    ran(troubleshooting_attempt, 2.1, "squeue | head")
    ran(troubleshooting_attempt, 3, "nvidia-smi \x1b[31m", host="gpu-n003", code=9)
    ran(troubleshooting_attempt, 35, "late", source="cluster")
    found = work_history.steps(troubleshooting_attempt)
    assert [(step.kind, len(step.commands)) for step in found if step.kind == "command"] == [
        ("command", 3),
        ("command", 1),
    ]
    number = next(step.number for step in found if step.kind == "command")
    assert work_history.body_at(troubleshooting_attempt, found, number) == work_history.starting(
        troubleshooting_attempt
    )
    url = reverse("admin:work-history", args=[troubleshooting_attempt.pk])
    said = clients["ines"].get(f"{url}?step={number}").content.decode()
    for text in ("3 commands in the terminal", "minute 2", "gpu-n003", "exit code 9", "[U+001B]"):
        assert text in said, text
    said = (
        clients["ines"]
        .get(reverse("admin:attempt", args=[troubleshooting_attempt.pk]))
        .content.decode()
    )
    assert 'Terminal <span class="count">4</span>' in said
    assert "squeue | head" in said


def test_minutes_of_commands_do_not_tell_of_extra_time(troubleshooting_attempt: Attempt) -> None:
    command = ran(troubleshooting_attempt, 84, "squeue")
    troubleshooting_attempt.multiplier = 1.5
    assert terminal_record.told(troubleshooting_attempt, [command])[0].minute == 56
    troubleshooting_attempt.multiplier = 1
    assert terminal_record.told(troubleshooting_attempt, [command])[0].minute == 60  # the limit


def test_what_was_printed_is_shown_as_plain_lines(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    ran(troubleshooting_attempt, 1, "ls")
    session = TerminalSession.objects.get()
    for seq, data in enumerate(
        (b"\x1b[1;32m$\x1b[0m l", b"x\bs\r\n", b"logs  no\r", b"logs  nodes\r\n"), 1
    ):
        TerminalChunk.objects.create(session=session, direction="out", seq=seq, at=NOW, data=data)
    TerminalChunk.objects.create(
        session=session, direction="in", seq=1, at=NOW, data=b"secret word"
    )
    shown = terminal_record.record(troubleshooting_attempt).sessions[0]
    assert [line.text for line in shown.lines] == ["$ ls", "logs  nodes", ""]
    said = (
        clients["ines"]
        .get(reverse("admin:attempt", args=[troubleshooting_attempt.pk]))
        .content.decode()
    )
    assert "What was printed, terminal 1" in said
    assert "secret word" not in said
    TerminalChunk.objects.all().delete()
    said = (
        clients["ines"]
        .get(reverse("admin:attempt", args=[troubleshooting_attempt.pk]))
        .content.decode()
    )
    assert "The commands stay." in said


def test_queries_do_not_grow_with_commands(
    clients: Clients, troubleshooting_attempt: Attempt
) -> None:
    urls = [
        reverse(f"admin:{name}", args=[troubleshooting_attempt.pk])
        for name in ("attempt", "work-history")
    ]

    def counts() -> list[int]:
        found = []
        for url in urls:
            with CaptureQueriesContext(connection) as seen:
                clients["ines"].get(url)
            found.append(len(seen))
        return found

    ran(troubleshooting_attempt, 1, "one")
    counts()
    before = counts()
    for number in range(20):
        ran(troubleshooting_attempt, 2 + number / 10, f"command {number}")
    assert counts() == before


def test_a_remark_at_a_line_is_no_place_that_feedback_names(
    clients: Clients, troubleshooting_attempt: Attempt, stage: Stage
) -> None:
    """It would tell the candidate where to look."""
    pin(troubleshooting_attempt, clients["ines"])
    assert pins.for_candidates_eyes(pins.shown(troubleshooting_attempt, stage.ines)) == []
    with ZipFile(BytesIO(export(stage.ada))) as archive:
        data = archive.read("data.json").decode()
    assert "Here it begins." in data
    assert Pin.objects.get().place not in data
