"""SQL of candidates: it reads and nothing else, ends in time, and a mistake is told in one sentence."""

from __future__ import annotations

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from assessments.cost import asking, store
from assessments.cost.tests.cost_stage import BILL, LEVEL, SEED, Asked
from assessments.materials import variants
from assessments.models import Attempt
from assessments.places import EACH, PLACES
from scenarios.cost.query import BadQuery

pytestmark = pytest.mark.django_db
READS = "Queries only read"
ME = UUID(int=7)
ENDLESS = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a"


def stored() -> Path:
    return store.file_of(variants.folder_of(BILL, LEVEL, SEED))


@pytest.mark.nightly
def test_a_select_over_two_tables(asked: Asked) -> None:
    status, told = asked(
        "sql",
        {
            "sql": "WITH h AS (SELECT team, sum(gpu_hours) AS hours FROM usage GROUP BY team) "
            "SELECT h.team, round(hours), round(sum(c.EffectiveCost)) FROM h "
            "LEFT JOIN costs c ON c.Team = h.team GROUP BY h.team ORDER BY 2 DESC -- by hours"
        },
    )
    assert status == 200
    assert told["columns"][0] == "team"
    hours = [row[1] for row in told["rows"]]
    assert len(hours) > 2
    assert hours == sorted(hours, reverse=True)


@pytest.mark.nightly
def test_columns_that_no_file_has_are_there(asked: Asked) -> None:
    _, told = asked(
        "sql", {"sql": "SELECT sum(gpus * ElapsedRaw) / 3600.0, sum(gpu_hours) FROM sacct"}
    )
    ((by_hand, derived),) = told["rows"]
    assert by_hand == pytest.approx(derived, rel=1e-6)


@pytest.mark.nightly
def test_a_number_that_has_no_end_does_not_spoil_the_answer(asked: Asked) -> None:
    status, told = asked("sql", {"sql": "SELECT 9e999, -9e999, 9e999 - 9e999, 1.5"})
    assert (status, told["rows"]) == (200, [["Infinity", "-Infinity", None, 1.5]])


def test_an_answer_is_cut_where_a_page_ends(asked: Asked) -> None:
    status, told = asked("sql", {"sql": "SELECT * FROM costs"})
    assert status == 200
    assert told["cut"]
    assert 0 < len(told["rows"]) <= 2000


HOSTILE = [
    "DROP TABLE costs",
    "DELETE FROM costs",
    "UPDATE costs SET EffectiveCost = 0",
    "INSERT INTO costs (Tags) VALUES ('x')",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "CREATE TEMP VIEW x AS SELECT 1",
    "ATTACH '/etc/passwd' AS x",
    "ATTACH ':memory:' AS x",
    "VACUUM INTO '/tmp/stolen'",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "SELECT * FROM pragma_database_list",
    "SELECT load_extension('/tmp/x.so')",
    "BEGIN IMMEDIATE",
]


@pytest.mark.parametrize("sql", HOSTILE)
@pytest.mark.by_day(every=3)
def test_what_would_change_or_open_anything_is_refused(asked: Asked, sql: str) -> None:
    before = stored().read_bytes()
    status, told = asked("sql", {"sql": sql})
    assert status == 400
    assert READS in told["detail"]
    assert stored().read_bytes() == before


@pytest.mark.parametrize(
    "name", ["readfile", "writefile", "edit", "fts3_tokenizer", "zeroblob", "randomblob"]
)
def test_functions_that_could_reach_further_are_not_there(asked: Asked, name: str) -> None:
    status, told = asked("sql", {"sql": f"SELECT {name}('/etc/passwd')"})
    assert status == 400
    assert told["detail"].endswith(".")


HOGS = [
    ENDLESS,
    "SELECT count(*) FROM costs a, costs b, costs c",
    "SELECT a.Tags FROM costs a, costs b ORDER BY a.Tags || b.Tags",
]


@pytest.mark.parametrize("sql", HOGS)
@pytest.mark.by_day(ids=["SELECT count(*) FROM costs a, costs b, costs c"])
def test_what_does_not_end_is_stopped(asked: Asked, sql: str) -> None:
    began = time.monotonic()
    status, told = asked("sql", {"sql": sql})
    assert status == 400
    assert "stopped" in told["detail"] or "memory" in told["detail"]
    assert time.monotonic() - began < 30


def test_what_keeps_one_step_busy_is_ended_from_outside(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pattern on long text is one step to SQLite: only the process's own limits end it."""
    monkeypatch.setattr(asking, "MOST_SECONDS", -1.0)  # what the parent waits: 2 s
    slow = "SELECT replace(replace(printf('%.*c', 60000, 'a'), 'a', 'aaaaaaaaaaaaaaaa'), 'aa', 'b')"
    began = time.monotonic()
    status, told = asked(
        "sql", {"sql": f"{slow} FROM costs a, costs b, costs c WHERE 0 > random()"}
    )
    assert status == 400
    assert told["detail"].endswith(".")
    assert time.monotonic() - began < 20


@pytest.mark.nightly
def test_a_text_that_fills_the_memory_is_refused(asked: Asked) -> None:
    for sql in (
        "SELECT replace(printf('%.*c', 900000, 'a'), 'a', 'bbbb')",
        "SELECT group_concat(a.Tags || b.Tags) FROM costs a, costs b",
    ):
        status, told = asked("sql", {"sql": sql})
        assert status == 400
        assert told["detail"].endswith(".")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("", "SELECT or WITH"),
        ("SELECT", "SQLite says"),
        ("SELECT nosuch FROM costs", "no such column: nosuch"),
        ("SELECT 1; SELECT 2", "One query at a time"),
        ("SELECT ?", "bindings"),
        ("-- nothing", "SELECT or WITH"),
        ("SELECT '" + "x" * 12_000 + "'", "at most 10,000 characters"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(asked: Asked, sql: str, said: str) -> None:
    status, told = asked("sql", {"sql": sql})
    assert status == 400
    assert said in told["detail"]
    assert "\n" not in told["detail"]


@pytest.mark.parametrize("body", [{}, {"sql": 3, "x": 1}, {"sql": None}, {"sql": ["SELECT 1"]}, []])
def test_a_body_that_is_no_question_is_refused(asked: Asked, body: Any) -> None:
    assert asked("sql", body)[0] == 400


def test_the_process_knows_nothing_of_the_site(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is started without an environment, so no key or address of ours is in it."""
    seen: list[dict[str, Any]] = []
    real = subprocess.run

    def run(*args: Any, **options: Any) -> Any:
        seen.append(options)
        return real(*args, **options)

    monkeypatch.setattr("assessments.cost.asking.subprocess.run", run)
    assert asked("sql", {"sql": "SELECT 1"})[0] == 200
    assert seen[0]["env"] == {}


def test_a_crowd_is_told_so_at_once(asked: Asked) -> None:
    with ExitStack() as held:
        for other in range(EACH["sql"]):
            held.enter_context(PLACES.place("sql", other))
        status, told = asked("sql", {"sql": "SELECT 1"})
    assert (status, told["code"]) == (429, "busy")
    assert "asked again" in told["detail"]
    assert asked("sql", {"sql": "SELECT 1"})[0] == 200


@pytest.mark.nightly
def test_one_candidate_has_one_query_at_a_time(asked: Asked, bill: Attempt) -> None:
    """Else one browser could hold every place, and the web server's threads with it."""
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(lambda: _kept_busy(bill))
        until = time.monotonic() + 20
        while not PLACES.held and time.monotonic() < until:
            time.sleep(0.01)
        status, told = asked("sql", {"sql": "SELECT 1"})
        assert not slow.done(), "the second question should not wait for the first"
        assert "stopped" in slow.result()
    assert (status, told["code"]) == (429, "asking")
    assert "last question" in told["detail"]
    assert asked("sql", {"sql": "SELECT 1"})[0] == 200


def _kept_busy(bill: Attempt) -> str:
    with pytest.raises(BadQuery) as refused:
        asking.answer(stored(), ENDLESS, bill.pk)
    return str(refused.value)


def test_the_file_is_never_written_even_by_whoever_opens_it(asked: Asked) -> None:
    with pytest.raises(BadQuery, match=READS):
        asking.answer(stored(), "DELETE FROM _lines", ME)
