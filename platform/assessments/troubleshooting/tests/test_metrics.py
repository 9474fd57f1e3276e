"""The room's metrics: layout, lines, heat map, catalogue and queries, through their addresses (E4, E9)."""

from __future__ import annotations

import json
import struct
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.materials.result_cache import Kept
from assessments.models import Attempt
from assessments.places import PLACES
from assessments.tests.stage import Stage, enter
from assessments.troubleshooting import metrics
from assessments.troubleshooting import metrics_answers as answers
from assessments.troubleshooting.metrics_answers import Asked, Board
from assessments.troubleshooting.panels import heats
from assessments.troubleshooting.tests.troubleshooting_stage import start_incident
from assessments.workplace.access import room
from scenarios.troubleshooting.columns import Real
from scenarios.troubleshooting.promql.engine import Engine
from scenarios.troubleshooting.promql.reading import read
from scenarios.troubleshooting.promql.vectors import Vector

pytestmark = pytest.mark.django_db
HOUR = 3_600_000


@pytest.fixture
def ada(client: Client, stage: Stage, built: Path, settings: Any) -> tuple[Client, Attempt]:
    """Ada at her browser, five minutes into the exercise."""
    settings.VARIANTS = built
    stage.invitation.opens_at = timezone.now() - timedelta(days=1)
    stage.invitation.closes_at = timezone.now() + timedelta(days=6)
    stage.invitation.save()
    attempt = start_incident(stage, timezone.now() - timedelta(minutes=5))
    enter(client, stage.token)
    return client, attempt


@pytest.fixture
def board(incident: Attempt) -> Board:
    found = room(incident)
    return answers.board_of(found.folder, found.manifest)


def unframed(body: bytes) -> tuple[dict[str, Any], Real]:
    (length,) = struct.unpack_from("<I", body)
    return json.loads(body[4 : 4 + length]), np.frombuffer(body, "<f4", offset=4 + length).astype(
        float
    )


def first_hours(board: Board, hours: int = 2) -> tuple[int, int]:
    start = board.incident["run"]["from_ms"] // 60_000 * 60_000
    return start, start + hours * HOUR


def drawn(board: Board, key: str, **more: Any) -> tuple[dict[str, Any], Real]:
    given: dict[str, Any] = {"node": "", "times": first_hours(board), "points": 2000}
    asked = Asked(**(given | more))
    head, values = unframed(answers.charts(board, [key], asked))
    return head["panels"][0], values


def line(panel: dict[str, Any], values: Real, name: str) -> tuple[Real, Real]:
    one = next(found for found in panel["lines"] if found["name"] == name)
    low, high, size = one["low"], one["high"], one["size"]
    return values[low : low + size], values[high : high + size]


def test_every_panel_has_series_of_one_kind(board: Board) -> None:
    node = board.before_nodes()[0]
    for row in board.rows():
        for panel in row.panels:
            intervals = set()
            for part in panel.parts:
                fixed = {"node": node} if row.scope else panel.fixed
                series = board.now.find(part, fixed)
                known = board.now.metric(part.metric)
                assert known is not None
                at_rest = part.metric.startswith(("train_", "container_")) and row.scope
                assert series or at_rest, f"{panel.key} {panel.title}"
                intervals.add(known.every_s)
            assert len(intervals) == 1, f"{panel.key} mixes intervals"
    shown = {part.metric for row in board.rows() for panel in row.panels for part in panel.parts}
    assert sum(len(row.panels) for row in board.rows()) >= 200
    left_out = set(board.now.columns.metrics) - shown
    assert len(left_out) <= 12, left_out  # encoders, licences, totals that never change


def test_a_variant_that_was_built_without_an_exporter_has_no_panels_of_it(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {panel.key for row in board.rows() for panel in row.panels}
    assert {"scheduler.0", "scheduler.1"} <= there
    monkeypatch.delitem(board.now.columns.metrics, "slurm_queue_pending")
    left = {panel.key for row in board.rows() for panel in row.panels}
    assert there - left == {"scheduler.0"}


def test_every_panel_can_be_asked_in_promql(board: Board) -> None:
    told = json.loads(answers.layout(board))
    queries = [
        part["query"] for row in told["rows"] for one in row["panels"] for part in one["parts"]
    ]
    for query in dict.fromkeys(queries):
        read(query.replace("$node", board.nodes[0]))


def test_lines_are_the_samples(board: Board) -> None:
    node = board.nodes[2]
    panel, values = drawn(board, "node.0", node=node)
    low, high = line(panel, values, "GPU 3")
    series = board.now.columns.find("DCGM_FI_DEV_SM_CLOCK", {"node": node, "gpu": "3"})
    times, wanted = board.now.columns.window(series, *first_hours(board))
    assert panel["start"] == times[0]
    assert panel["step"] == 30_000
    assert np.allclose(low, wanted[0], rtol=1e-4)
    assert np.array_equal(low, high)


def test_thinning_loses_no_spike_and_means_are_means(board: Board) -> None:
    times = board.window
    panel, values = drawn(board, "overview.6", times=times, points=100, detail="spikes")
    series = board.now.columns.find("DCGM_FI_DEV_GPU_TEMP")
    _, all_values = board.now.columns.window(series, *times)
    low, high = line(panel, values, "hottest")
    hottest = np.fmax.reduce(all_values)
    assert len(low) <= 100
    assert high.max() == hottest.max()
    assert low.min() == hottest.min()
    panel, values = drawn(board, "overview.6", times=times, points=100, detail="means")
    mean, same = line(panel, values, "hottest")
    assert np.array_equal(mean, same)
    each = panel["step"] // 30_000
    assert mean[3] == pytest.approx(hottest[3 * each : 4 * each].mean(), rel=1e-4)


def test_counters_are_rates_as_in_promql(board: Board) -> None:
    panel, values = drawn(board, "storage.0")
    low, _ = line(panel, values, "flash")
    first, last = first_hours(board)
    _, found = Engine(board.now.columns).over(
        'sum(irate(lustre_ost_read_bytes_total{pool="flash"}[5m]))', first, last, 60_000
    )
    assert isinstance(found, Vector)
    assert np.allclose(low, found.values[0], rtol=1e-4)


def test_run_before_starts_where_the_run_starts(board: Board) -> None:
    panel, values = drawn(board, "overview.4", compare=True)
    before = panel["before"]
    assert before["of"] == f"its {len(board.before_nodes())} nodes"
    one = before["lines"][0]
    steps = values[one["high"] : one["high"] + one["size"]]
    assert np.nanmin(steps) < 100  # its first steps
    slow, _ = line(panel, values, "value")
    assert np.nanmax(slow) < np.nanmax(steps)
    for node in board.nodes[
        :2
    ]:  # a node that took no part in that run has all of it to compare with
        panel, _ = drawn(board, "node.0", node=node, compare=True)
        assert panel["before"]["lines"]


def test_heat_map_has_a_row_for_each_gpu(board: Board) -> None:
    times = first_hours(board)
    head, values = unframed(answers.heat(board, "DCGM_FI_DEV_SM_CLOCK", times, 60, "max"))
    assert len(head["rows"]) == 8 * len(board.nodes)
    assert head["rows"][9] == [board.nodes[1], "1"]
    cells = values.reshape(len(head["rows"]), -1)
    assert cells.shape[1] <= 60
    series = board.now.columns.find("DCGM_FI_DEV_SM_CLOCK", {"node": board.nodes[1], "gpu": "1"})
    _, wanted = board.now.columns.window(series, *times)
    each = head["step"] // 30_000
    assert cells[9, 2] == pytest.approx(wanted[0, 2 * each : 3 * each].max(), rel=1e-4)
    assert {one.metric for one in heats()} <= set(board.now.columns.metrics)


def test_addresses_answer_and_refuse_in_sentences(ada: tuple[Client, Attempt]) -> None:
    client, attempt = ada

    def ask(name: str, **query: Any) -> Any:
        return client.get(reverse(name, args=[attempt.pk]), query)

    catalogue = ask("room-metrics-catalogue").json()["metrics"]
    told = {one["name"]: one for one in catalogue}
    assert told["DCGM_FI_DEV_GPU_TEMP"]["unit"] == "°C"
    assert told["node_load1"]["labels"]["instance"]
    assert ask("room-metrics-panels").json()["rows"][0]["key"] == "overview"
    answer = ask("room-metrics-series", panel=["overview.0", "any/node_load1"], points=50)
    assert answer["Content-Type"] == "application/octet-stream"
    assert len(unframed(answer.content)[0]["panels"]) == 2
    assert ask("room-metrics-heatmap", metric="DCGM_FI_DEV_GPU_TEMP", columns=50).status_code == 200
    refused = [
        ask("room-metrics-series"),
        ask("room-metrics-series", panel="overview.99"),
        ask("room-metrics-series", panel="any/nothing"),
        ask("room-metrics-series", panel="node.0", node="elsewhere"),
        ask("room-metrics-series", panel="overview.0", points=1),
        ask("room-metrics-series", panel="overview.0", points="many"),
        ask("room-metrics-series", panel="overview.0", detail="much"),
        ask("room-metrics-series", panel="overview.0", **{"from": 5, "to": 6}),
        ask("room-metrics-series", panel=["overview.0"] * 30),
        ask("room-metrics-heatmap", metric="up"),
        ask("room-metrics-heatmap", metric="DCGM_FI_DEV_GPU_TEMP", stat="sum"),
    ]
    for one in refused:
        assert one.status_code == 400
        assert one.json()["detail"].endswith(".")


def test_query_box(ada: tuple[Client, Attempt]) -> None:
    client, attempt = ada
    address = reverse("room-query", args=[attempt.pk])
    found = client.get(address, {"query": "count(up)", "points": "100"}).json()
    assert len(found["series"][0]["values"]) == found["count"] <= 100
    assert found["selectors"] == [{"metric": "up", "labels": {}}]
    minutes = client.get(address, {"query": "count(up)", "step": "300"}).json()
    assert (minutes["step"], minutes["start"] % 300_000) == (300_000, 0)
    for step in ("1", "-5"):  # more values than a chart can hold
        refused = client.get(address, {"query": "up", "step": step})
        assert refused.status_code == 400
        assert "choose a longer step" in refused.json()["detail"]
    at = found["start"] + found["step"] * 20

    def at_once(query: str) -> Any:
        return client.get(address, {"query": query, "at": str(at)}).json()["rows"]

    highest = [row["value"] for row in at_once("topk(3, node_load1)")]
    assert highest == sorted(highest, reverse=True)
    assert len(at_once('up{job="node"}[1m]')[0]["samples"]) >= 4
    assert at_once("vector(1) / 0")[0]["value"] == "+Inf"
    wrong = client.get(address, {"query": "sum(up) by ("})
    assert wrong.status_code == 400
    assert wrong.json()["position"] == 12


@pytest.mark.parametrize(
    "query",
    [
        "up @ 9e99",
        "up @ -1e308",
        "up offset 9e99",
        "up offset 9223372036854775808",
        "day_of_month(vector(9e99))",
        "day_of_month(vector(NaN))",
    ],
)
def test_numbers_that_no_clock_has_are_told_in_a_sentence(
    ada: tuple[Client, Attempt], query: str
) -> None:
    client, attempt = ada
    address = reverse("room-query", args=[attempt.pk])
    for more in ({}, {"at": "1790000000000"}):
        answer = client.get(address, {"query": query} | more)
        assert answer.status_code == 400
        assert answer.json()["detail"].endswith("out of range.")


def test_a_second_question_is_refused_at_once_and_what_is_kept_needs_no_place(
    ada: tuple[Client, Attempt],
) -> None:
    client, attempt = ada
    drawn = reverse("room-metrics-series", args=[attempt.pk])
    assert client.get(drawn, {"panel": "overview.0"}).status_code == 200
    with PLACES.place("charts", attempt.pk), PLACES.place("query", attempt.pk):
        assert client.get(drawn, {"panel": "overview.0"}).status_code == 200
        second = client.get(drawn, {"panel": "overview.1"})
        query = client.get(reverse("room-query", args=[attempt.pk]), {"query": "up"})
        assert client.get(reverse("attempt-state", args=[attempt.pk])).status_code == 200
    for refused in (second, query):
        assert (refused.status_code, refused.json()["code"]) == (429, "asking")
        assert refused["Retry-After"] == "1"
    assert client.get(drawn, {"panel": "overview.1"}).status_code == 200


def test_strangers_are_turned_away(ada: tuple[Client, Attempt]) -> None:
    _, attempt = ada
    for name in ("room-metrics-panels", "room-metrics-series", "room-query"):
        assert Client().get(reverse(name, args=[attempt.pk])).status_code == 401


def test_a_long_address_is_not_kept_with_its_answer(
    ada: tuple[Client, Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = ada
    kept: Kept[bytes] = Kept(1_000_000, len)
    monkeypatch.setattr(metrics, "KEPT", kept)
    address = reverse("room-metrics-catalogue", args=[attempt.pk])
    for sign in "ab":
        assert client.get(address, {"x": sign * 4_000}).status_code == 200
    assert len(kept._held) == 2
    assert all(len(repr(key)) < 1_000 for key in kept._held)


def test_what_is_kept_stays_within_its_bytes() -> None:
    made: list[int] = []

    def make(number: int) -> bytes:
        made.append(number)
        return b"x" * 40

    kept: Kept[bytes] = Kept(100, len)
    for number in (1, 2, 3, 1, 3):
        kept.get(number, partial(make, number))
    assert made == [1, 2, 3, 1]  # the second and the third fit; the first had to go, and came again
