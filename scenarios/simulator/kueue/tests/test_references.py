from __future__ import annotations

import json

import pytest

from scenarios.simulator.kueue.case import read_case
from scenarios.simulator.tests.shared import shared


@pytest.mark.parametrize(("table", "count"), [("classic", 36), ("hier", 15), ("fair", 35)])
def test_evictions_equal_every_case_of_kueues_own_tables(table: str, count: int) -> None:
    text = shared(f"reference/kueue/{table}.json").read_text(encoding="utf-8")
    cases = json.loads(text)["cases"]
    wrong = {}
    for case in cases:
        wanted = sorted(map(tuple, case["want_preempted"]))
        bare = {key: value for key, value in case.items() if not key.startswith("want_")}
        got = sorted((str(e.workload.name), str(e.reason)) for e in read_case(bare).evictions())
        if got != wanted:
            wrong[case["id"]] = (got, wanted)
    assert len(cases) == count
    assert wrong == {}


def test_a_case_leaves_the_tree_as_it_was() -> None:
    for table in ("classic", "hier", "fair"):
        text = shared(f"reference/kueue/{table}.json").read_text(encoding="utf-8")
        for data in json.loads(text)["cases"]:
            case = read_case(data)
            before = [list(row) for row in case.contest.tree.used]
            case.evictions()
            assert case.contest.tree.used == before, case.id
