from __future__ import annotations

import copy
from typing import Any

import pytest

from scenarios.simulator.kueue.case import read_case

CASE: dict[str, Any] = {
    "id": "own-1",
    "cohorts": [{"name": "root"}],
    "cluster_queues": [
        {
            "name": "train",
            "cohort": "root",
            "groups": [[{"flavor": "h100", "resources": {"gpu": {"nominal": "8"}}}]],
            "preemption": {"ReclaimWithinCohort": "Any", "WithinClusterQueue": "LowerPriority"},
        },
        {
            "name": "serve",
            "cohort": "root",
            "groups": [[{"flavor": "h100", "resources": {"gpu": {"nominal": "4"}}}]],
        },
    ],
    "admitted": [
        {
            "name": "old",
            "priority": 5,
            "requests": {"gpu": "6"},
            "admitted_to": {"cq": "serve", "flavor": "h100", "at": "now"},
        },
        {
            "name": "new",
            "priority": 5,
            "requests": {"gpu": "4"},
            "admitted_to": {"cq": "serve", "flavor": "h100", "at": {"time": "now", "offset": 9}},
        },
    ],
    "incoming": {"name": "in", "priority": 0, "requests": {"gpu": "6"}},
    "target_cq": "train",
    "assignment": {"gpu": {"flavor": "h100", "mode": "Preempt"}},
}


def changed(path: str, value: object) -> dict[str, Any]:
    case = copy.deepcopy(CASE)
    inner: Any = case
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    for part in way:
        inner = inner[part]
    inner[last] = value
    return case


def test_the_latest_admitted_borrower_gives_way() -> None:
    assert read_case(CASE).answer() == {
        "id": "own-1",
        "evicted": [{"workload": "new", "reason": "InCohortReclamation"}],
    }


def test_nobody_goes_when_the_newcomer_fits_anyway() -> None:
    assert read_case(changed("incoming/requests/gpu", "2")).answer()["evicted"] == []


def test_nobody_goes_in_vain() -> None:
    assert read_case(changed("incoming/requests/gpu", "13")).answer()["evicted"] == []


def test_fair_sharing_is_taken_from_the_switch() -> None:
    fair = changed("fair_sharing", True)
    del fair["assignment"]
    fair["assignmentFlavor"] = "h100"
    assert read_case(fair).answer()["evicted"] == [
        {"workload": "new", "reason": "InCohortReclamation"}
    ]


def test_a_victim_already_on_its_way_out_is_not_named_again() -> None:
    assert read_case(changed("admitted/1/already_evicted", True)).answer()["evicted"] == []


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("id", None, "id is missing"),
        ("target_cq", "nowhere", "target_cq names nowhere, which is no cluster queue"),
        ("cluster_queues", {}, "cluster_queues must be a list"),
        ("cluster_queues/0/name", "serve", "cluster_queues name serve twice"),
        ("cluster_queues/0/groups/0/0/resources/gpu/nominal", "8x", "nominal: gpu: '8x' is not"),
        ("cluster_queues/0/groups/0/0/resources/gpu", {}, r"gpu.nominal is missing"),
        ("cluster_queues/0/preemption/WithinClusterQueue", "Sometimes", "must be one of Never"),
        ("cluster_queues/0/fair_weight", "-1", "fair_weight must be a number of at least 0"),
        ("cluster_queues/0/fair_weight", "1/0", "fair_weight must be a number of at least 0"),
        ("admitted/0/priority", "high", "priority must be a whole number"),
        ("admitted/0/name", "new", "admitted names the workload new twice"),
        ("admitted/1/admitted_to/at", "later", "must be an object"),
        ("admitted/1/already_evicted", "yes", "already_evicted must be true or false"),
        ("incoming/requests", [], "incoming.requests must be an object"),
        ("assignment", {}, "assignment.gpu is missing"),
        ("assignment/gpu/mode", "Maybe", "mode must be Fit or Preempt"),
        ("cohorts", [{"name": "root", "parent": "root"}], "form a circle"),
        ("strategies", ["Hope"], "must be one of LessThan"),
    ],
)
def test_a_malformed_field_is_named(path: str, value: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_case(changed(path, value))


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_a_case_that_is_no_object_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="one JSON object"):
        read_case(data)
