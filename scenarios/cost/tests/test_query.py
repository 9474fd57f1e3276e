from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenarios.cost.query import BadQuery, Pivot, Tables
from scenarios.cost.tables import store


@pytest.fixture(scope="module")
def tables(built: tuple[Path, dict[str, Any]]) -> Iterator[Tables]:
    found = Tables(built[0])
    yield found
    found.close()


@pytest.mark.nightly
def test_a_pivot_by_service_comes_to_the_bill(
    tables: Tables, built: tuple[Path, dict[str, Any]]
) -> None:
    answer = tables.pivot(Pivot("costs", "EffectiveCost", by=("ServiceName",)))
    assert answer.columns == ["ServiceName", "sum"]
    total = sum(float(row[1] or 0) for row in answer.rows)
    assert total == pytest.approx(float(built[1]["bill"]["total_usd"]))
    sums = [float(row[1] or 0) for row in answer.rows]
    assert sums == sorted(sums, reverse=True)


@pytest.mark.nightly
def test_a_pivot_over_time_with_a_filter_is_quick(tables: Tables) -> None:
    asked = Pivot(
        "costs",
        "EffectiveCost",
        by=("SubAccountName",),
        where={
            "ServiceName": ("GPU Compute",),
            "SubAccountName": ("cluster-burst", "research-dev"),
        },
        time="ChargePeriodStart",
    )
    answer = tables.pivot(asked)
    assert answer.columns == ["month", "SubAccountName", "sum"]
    assert len(answer.rows) == 24
    assert answer.seconds < 0.3


@pytest.mark.nightly
def test_sql_joins_tables(tables: Tables) -> None:
    answer = tables.sql(
        "SELECT u.team, round(sum(u.gpu_hours)) AS hours FROM usage u "
        "WHERE u.partition = 'cloud-burst' GROUP BY u.team ORDER BY hours DESC"
    )
    assert answer.columns == ["team", "hours"]
    assert len(answer.rows) == 1
    assert answer.seconds < 0.3


@pytest.mark.parametrize(
    "text",
    [
        "DROP TABLE costs",
        "INSERT INTO usage VALUES (1)",
        "ATTACH DATABASE '/tmp/x.db' AS x",
        "PRAGMA query_only = 0",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "SELECT readfile('/etc/passwd')",
        "CREATE TEMP TABLE t AS SELECT 1",
    ],
)
def test_a_query_can_only_read(tables: Tables, text: str) -> None:
    with pytest.raises(BadQuery):
        tables.sql(text)
    assert tables.sql("SELECT count(*) FROM costs").rows[0][0]


def test_a_query_without_end_is_stopped(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.cost.query.MOST_SECONDS", 0.1)
    with pytest.raises(BadQuery, match="was stopped"):
        tables.sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        )


def test_more_rows_than_may_be_shown_are_cut(tables: Tables) -> None:
    answer = tables.sql("SELECT * FROM costs", limit=10)
    assert len(answer.rows) == 10
    assert answer.cut


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Pivot("secrets", "x"), "no table"),
        (Pivot("costs", "EffectiveCost", by=('ServiceName"; DROP',)), "no column"),
        (Pivot("costs", "EffectiveCost", how="evil()"), "shows one of"),
        (
            Pivot("costs", "EffectiveCost", time="ChargePeriodStart", period="era"),
            "period is one of",
        ),
    ],
)
def test_a_pivot_of_what_is_not_there_is_refused(tables: Tables, asked: Pivot, said: str) -> None:
    with pytest.raises(BadQuery, match=said):
        tables.pivot(asked)


@pytest.mark.nightly
def test_a_stored_file_answers_as_its_folder_does_and_is_never_written(
    tables: Tables, built: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "tables.sqlite"
    store(built[0], file)
    before = file.read_bytes()
    asked = Pivot("costs", "EffectiveCost", by=("Team",), time="ChargePeriodStart", first="2025-11")
    kept = Tables(file)
    assert kept.kinds == tables.kinds
    found = kept.pivot(asked)
    assert found.rows == tables.pivot(asked).rows
    assert {row[0] for row in found.rows} == {"2025-11", "2025-12"}
    with pytest.raises(BadQuery, match="only read"):
        kept.sql("DELETE FROM costs")
    kept.close()
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
