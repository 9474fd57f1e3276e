"""The cost exercise's workspace: tables made once, pivots, what filters select, and the graded answer (E3)."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments import answers, pages
from assessments.cost import api, lines, store
from assessments.cost.tests.cost_stage import BILL, LEVEL, SEED, Asked
from assessments.cost.workplace import OPPORTUNITIES
from assessments.kinds import WRITTEN
from assessments.materials import variants
from assessments.models import Attempt, GradingRun
from assessments.tests.stage import Stage, enter, hand_in
from assessments.troubleshooting.tests.troubleshooting_stage import start_incident
from graders.cost.answer import parse
from graders.cost.reading import read
from graders.cost.scope import cents, groups_of, select
from scenarios.company.profile import DEFAULT
from scenarios.cost.catalogue import Lever, Trap, levers, traps
from scenarios.packs import Pack

pytestmark = pytest.mark.django_db
SERVICES = {"table": "costs", "value": "EffectiveCost", "by": ["ServiceName"]}


def the_folder() -> Path:
    return variants.folder_of(BILL, LEVEL, SEED)


def total_of(attempt: Attempt) -> float:
    manifest = json.loads((the_folder() / "manifest.json").read_text())
    return float(manifest["bill"]["total_usd"])


@pytest.mark.nightly
def test_the_page_is_told_which_workspace_it_is(bill: Attempt, client: Client) -> None:
    data = pages.workspace_data(bill, timezone.now())
    assert data["workplace"] == "cost"
    assert [row["path"] for row in data["files"]] == ["opportunities.json"]
    answer = client.get(reverse("workspace", args=[bill.pk]))
    assert answer.status_code == 200
    assert "cost/cost.css" in answer.text
    assert "seed" not in json.dumps(data["files"])


@pytest.mark.nightly
def test_a_page_draws_nothing_anew(bill: Attempt, client: Client, monkeypatch: Any) -> None:
    """To draw a bill takes the site's one process a second, and fifty pages come in one minute."""
    monkeypatch.setattr(Pack, "documents", lambda *_: pytest.fail("The bill is drawn for a page."))
    assert client.get(reverse("workspace", args=[bill.pk])).status_code == 200


def test_a_bill_has_neither_terminal_nor_metrics(bill: Attempt, client: Client) -> None:
    for name in ("terminal-state", "room-metrics-catalogue", "room-query", "room-logs"):
        assert client.get(reverse(name, args=[bill.pk])).status_code == 404


@pytest.mark.nightly
def test_an_incident_has_no_bill(client: Client, stage: Stage, built: Path, settings: Any) -> None:
    settings.VARIANTS = built
    stage.invitation.opens_at = timezone.now() - timedelta(days=1)
    stage.invitation.closes_at = timezone.now() + timedelta(days=6)
    stage.invitation.save()
    attempt = start_incident(stage, timezone.now())
    enter(client, stage.token)
    assert client.get(reverse("room-bill-tables", args=[attempt.pk])).status_code == 404


def test_tables_and_columns_are_named_and_no_secret_is(asked: Asked, bill: Attempt) -> None:
    status, told = asked("tables")
    assert status == 200
    tables = {table["name"]: table for table in told["tables"]}
    assert {"costs", "usage", "sacct", "price_book"} <= set(tables)
    assert tables["costs"]["path"] == "costs/focus.csv"
    kinds = {column["name"]: column for column in tables["costs"]["columns"]}
    assert kinds["EffectiveCost"]["kind"] == "number"
    assert kinds["ChargePeriodStart"]["kind"] == "time"
    assert (kinds["Team"]["kind"], kinds["Team"]["from"]) == ("text", "Tags")
    assert told["total_usd"] == total_of(bill)
    assert set(told["where"]) == set(lines.KEYS)
    assert str(SEED) not in json.dumps(told)
    assert "_lines" not in tables


def test_a_pivot_comes_to_the_whole_bill(asked: Asked, bill: Attempt) -> None:
    status, told = asked("pivot", SERVICES)
    assert status == 200
    assert told["columns"] == ["ServiceName", "sum"]
    assert sum(row[1] for row in told["rows"]) == pytest.approx(total_of(bill), abs=0.01)
    assert told["total"] == pytest.approx(total_of(bill), abs=0.01)


def test_a_pivot_over_months_of_a_filter_and_a_stretch_of_time(asked: Asked) -> None:
    months = {"time": "ChargePeriodStart", "period": "month", "first": "2025-03", "last": "2025-05"}
    where = {"ServiceName": ["GPU Compute"], "Team": ["serving", ""]}
    status, told = asked("pivot", {**SERVICES, **months, "where": where})
    assert status == 200
    assert [row[0] for row in told["rows"]] == ["2025-03", "2025-04", "2025-05"]
    assert told["total"] == pytest.approx(sum(row[-1] for row in told["rows"]))


def test_a_mean_over_groups_is_told_for_the_whole_too(asked: Asked) -> None:
    _, told = asked("pivot", {"table": "usage", "value": "gpu_hours", "by": ["team"], "how": "avg"})
    _, count = asked("pivot", {"table": "usage", "by": ["team"], "how": "count"})
    rows = dict(told["rows"])
    sizes = dict(count["rows"])
    weighed = sum(rows[team] * sizes[team] for team in rows) / sum(sizes.values())
    assert told["total"] == pytest.approx(weighed, abs=1e-3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"table": "secrets"}, "no table"),
        ({"by": ["Nothing"]}, "no column"),
        ({"value": "x; DROP TABLE costs"}, "no column"),
        ({"where": {'a" OR 1=1 --': ["x"]}}, "no column"),
        ({"by": ["ServiceName"] * 5}, "by"),
        ({"how": "median"}, "how"),
        ({"period": "week"}, "period"),
        ({"first": "2025"}, "stretch of time"),
        ({"first": "March", "time": "ChargePeriodStart"}, "first"),
        ({"where": {"ServiceName": []}}, "ServiceName"),
        ({"where": {"ServiceName": "GPU"}}, "ServiceName"),
        ({"where": {"ServiceName": ["x"] * 401}}, "400"),
    ],
)
@pytest.mark.by_day(every=2)
def test_a_pivot_that_cannot_be_is_refused_in_a_sentence(
    asked: Asked, change: dict[str, Any], said: str
) -> None:
    status, told = asked("pivot", {**SERVICES, **change})
    assert status == 400
    assert said in told["detail"]
    assert "Traceback" not in told["detail"]


def test_values_of_a_column_with_their_cost(asked: Asked) -> None:
    status, told = asked("values", table="costs", column="ServiceName", sum="EffectiveCost")
    assert status == 200
    amounts = [value for _, value in told["values"]]
    assert amounts == sorted(amounts, reverse=True)
    assert asked("values", table="costs", column="Nothing")[0] == 400


FILTERS = [
    {"service": ["Block Volumes"]},
    {"account": ["cluster-burst"], "charge": ["Usage"]},
    {"commitment": ["Unused"]},
    {"charge": ["Committed"]},
    {"tag": ["env=prod"]},
    {"team": ["serving"], "service": ["GPU*"]},
    {"provider": ["*cloud*"]},
    {"category": ["Storage"], "region": ["eu-*"]},
    {"resource": ["work-0?"]},
    {"service": ["nothing at all"]},
]


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.by_day(every=2)
def test_a_filter_selects_on_the_page_what_it_selects_for_the_grader(
    asked: Asked, where: dict[str, list[str]]
) -> None:
    found = select(groups_of(DEFAULT, LEVEL, SEED), where)
    status, told = asked("lines", {"opportunities": [{"id": "o1", "what": "x", "where": where}]})
    assert status == 200
    (row,) = told["rows"]
    assert row["usd"] == pytest.approx(cents(found) / 100, abs=0.02)
    assert row["rows"] == sum(group.rows for group in found)


@pytest.mark.parametrize("of", ["", "total", "GPU Compute", "cluster-burst", "no such name"])
def test_a_percentage_claims_on_the_page_what_it_claims_for_the_grader(
    asked: Asked, of: str
) -> None:
    saving = {"kind": "percent", "value": 12.5, "of": of}
    row = {"id": "o1", "what": "x", "where": {"account": ["cluster-burst"]}, "saving": saving}
    _, told = asked("lines", {"opportunities": [row]})
    graded = read(parse(json.dumps({"opportunities": [row]})), DEFAULT, LEVEL, SEED)
    claimed = graded["statements"][0]["claimed_cents"]
    assert told["rows"][0]["claimed_usd"] == pytest.approx(claimed / 100, abs=0.02)


def test_every_offered_value_selects_something(asked: Asked) -> None:
    _, catalogue = asked("tables")
    groups = groups_of(DEFAULT, LEVEL, SEED)
    for key, values in catalogue["where"].items():
        assert values or key == "commitment"
        for one in values:
            assert select(groups, {key: [one["value"]]}), (key, one)


def test_nothing_that_is_answered_tells_what_staff_know(asked: Asked) -> None:
    """Neither what a measure is called by its makers, nor the lines they think in, nor the seed."""
    rows = [{"id": str(n), "what": "x", "where": where} for n, where in enumerate(FILTERS)]
    said = json.dumps([asked("tables"), asked("lines", {"opportunities": rows})])
    subjects: list[Lever | Trap] = [*levers().values(), *traps().values()]
    assert [one.title for one in subjects if one.title in said] == []
    lined = {line for one in subjects for line in one.lines if "." in line}
    assert lined
    assert [line for line in lined if f'"{line}"' in said] == []
    assert str(SEED) not in said


def test_half_an_emoji_in_a_row_does_not_end_the_answer(asked: Asked) -> None:
    saving = {"kind": "percent", "value": 5, "of": "cut \ud83d"}
    row = {"id": "a \ud83d", "what": "x \u0000", "where": {"tag": ["a=\ude00"]}, "saving": saving}
    status, told = asked("lines", {"opportunities": [row]})
    assert (status, told["rows"][0]["id"]) == (200, "a \ufffd")


def test_rows_on_the_same_lines_are_told_apart_from_others(asked: Asked) -> None:
    rows = [
        {"id": "a", "what": "x", "where": {"service": ["GPU Compute"]}},
        {"id": "b", "what": "y", "where": {"account": ["cluster-burst"]}},
        {"id": "c", "what": "z", "where": {"service": ["Block Volumes"]}},
        {"id": "d", "what": "prose only"},
    ]
    _, told = asked("lines", {"opportunities": rows})
    assert [pair["ids"] for pair in told["overlaps"]] == [["a", "b"]]
    assert told["overlaps"][0]["usd"] == pytest.approx(told["rows"][1]["usd"])


MANY = {"account": [f"{n}*" for n in range(40)]}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"opportunities": 3},
        {"opportunities": [{}] * 61},
        {"opportunities": [{"where": {"line": "burst"}}]},
        {"opportunities": [{"id": str(n), "what": "x", "where": MANY} for n in range(20)]},
    ],
)
def test_a_table_that_cannot_be_is_refused(asked: Asked, body: dict[str, Any]) -> None:
    status, told = asked("lines", body)
    assert status == 400
    assert told["detail"].endswith(".")


def test_tables_are_made_once_whoever_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "v"
    folder.mkdir()
    calls: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        Path(command[-1]).write_bytes(b"tables")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("assessments.cost.store.subprocess.run", run)
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: store.file_of(folder), range(8)))
    assert len(found) == len(calls) == 1


@pytest.mark.nightly
def test_tables_that_cannot_be_made_are_said_to_be_our_fault(
    asked: Asked, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    (the_folder() / store.NAME).unlink(missing_ok=True)
    failed = subprocess.CompletedProcess[str]([], 1, "", "No space left.")
    with monkeypatch.context() as patched:
        patched.setattr("assessments.cost.store.subprocess.run", lambda *_, **__: failed)
        status, told = asked("tables")
    assert status == 503
    assert "our fault" in told["detail"]
    assert "No space" not in told["detail"]
    assert asked("tables")[0] == 200


def test_the_list_of_materials_begins_to_make_the_tables(
    bill: Attempt, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Path] = []
    monkeypatch.setattr("assessments.cost.store.prepare", begun.append)
    assert client.get(reverse("room-manifest", args=[bill.pk])).status_code == 200
    assert begun == [the_folder()]


def test_the_stored_tables_cannot_be_fetched(bill: Attempt, client: Client) -> None:
    store.file_of(the_folder())
    url = reverse("room-manifest", args=[bill.pk]).replace("manifest", f"files/{store.NAME}")
    assert client.get(url).status_code == 404


def test_prose_comes_as_it_is_read_and_parquet_as_it_is(bill: Attempt, client: Client) -> None:
    prose = client.get(reverse("room-file", args=[bill.pk, "contracts/cloud.md"]), {"html": ""})
    assert "<h1>" in prose.text or "<h2>" in prose.text
    parquet = client.get(reverse("room-file", args=[bill.pk, "costs/focus.parquet"]))
    assert parquet.content[:4] == b"PAR1"


def test_who_asks_too_often_is_asked_to_wait() -> None:
    pace = api.Pace(3, 10.0)
    me, you = UUID(int=1), UUID(int=2)
    assert [pace.allows(me, now) for now in (0.0, 1.0, 2.0, 3.0)] == [True, True, True, False]
    assert pace.allows(you, 3.0)
    assert pace.allows(me, 10.5)


def test_strangers_learn_nothing(bill: Attempt) -> None:
    answer = Client().get(reverse("room-bill-tables", args=[bill.pk]))
    assert answer.status_code in (401, 403, 404)


def test_the_tables_close_with_the_time(bill: Attempt, asked: Asked) -> None:
    hand_in(bill, answers.starting_body(bill), at=timezone.now())
    status, told = asked("sql", {"sql": "SELECT 1"})
    assert status == 409
    assert "Your answer is safe" in told["detail"]


def test_table_and_sections_are_one_answer(bill: Attempt) -> None:
    body = answers.starting_body(bill)
    row = {"id": "o1", "what": "Delete what nobody reads", "where": {"service": ["Block Volumes"]}}
    body["files"][OPPORTUNITIES] = json.dumps({"opportunities": [row]})
    body["sections"]["reading"] = "Storage grows."
    graded = json.loads(answers.program(bill, body)[WRITTEN])
    assert graded["opportunities"] == [row]
    assert graded["sections"]["reading"] == "Storage grows."
    assert parse(json.dumps(graded)).opportunities[0].what == row["what"]


@pytest.mark.parametrize("table", ["", "not JSON", "[]", '{"opportunities": 3}', "[" * 100_000])
def test_a_table_that_cannot_be_read_takes_nothing_from_the_prose(
    bill: Attempt, table: str
) -> None:
    body = answers.starting_body(bill)
    body["files"][OPPORTUNITIES] = table
    body["sections"]["reading"] = "Storage grows."
    graded = json.loads(answers.program(bill, body)[WRITTEN])
    assert graded == {"opportunities": [], "sections": {**body["sections"]}}
    hand_in(bill, body, at=timezone.now())
    assert GradingRun.objects.filter(submission__attempt=bill).count() == 1
