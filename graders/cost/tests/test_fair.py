"""Sensible rows in other words and other shapes, and rows that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graders.cost.answer import parse
from graders.cost.reading import read
from graders.kinds import grade
from graders.report import GradeReport
from scenarios.company.profile import DEFAULT
from scenarios.cost.model import model_of

PACK, LEVEL, SEED = "cost/fleet-bill", "mid", 7
BURST = {"account": "cluster-burst"}
SMALL = {"account": "serving-small"}

SAID: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "licences",
        "We pay software for 160 GPUs, 101 use it: pay for 101",
        {"service": "AI software suite"},
    ),
    (
        "return_lease",
        "Return two of the three rented old nodes on 1 March",
        {"service": "Leased nodes"},
    ),
    ("mig_share", "Put six little models on three cards", SMALL),
    ("mig_share", "Use MPS to run two endpoints per GPU", SMALL),
    ("rightsize_requests", "Jobs get fewer GPUs: users ask for 8 and use 4", BURST),
    ("rightsize_requests", "Enforce that jobs only request GPUs that they use", BURST),
    (
        "checkpoint_retention",
        "Retention policy for snapshots of training runs",
        {"resource": "checkpoints-*"},
    ),
    ("binpack", "Consolidate 1-4 GPU jobs to keep 8-GPU nodes whole", BURST),
    ("chargeback", "Show each team its monthly spend", {"account": ["research-dev", "model-eval"]}),
    ("zombies", "Clean up detached disks and idle IPs", {"resource": ["old-*", "address-*"]}),
    ("zombies", "Release idle IP addresses", {"service": "Network Addresses"}),
    ("zombies", "Delete volumes without team tag", {"service": "Block Volumes"}),
    (
        "cut_cloud_support",
        "Switch Nimbus from Business to Basic support",
        {"service": "Cloud Support"},
    ),
    ("single_zone", "Serve from one availability zone only", {"charge": "Transfer between zones"}),
    ("cap_critical", "Power-limit every GPU to 500 W", {"service": "Electricity"}),
    ("power_cap", "Power-limit jobs that wait for data", {"service": "Electricity"}),
    ("", "Negotiate a discount with the provider", {"provider": "Nimbus Cloud"}),
    ("", "Better capacity planning", {"account": "cluster-burst"}),
    ("", "Fail over faster", {"service": "Colocation"}),
)
"""(what is meant, how it is said, at which rows it points)."""


def graded(*rows: dict[str, Any]) -> GradeReport:
    full = [{"id": str(n), **row} for n, row in enumerate(rows, start=1)]
    return grade(PACK, LEVEL, SEED, {"answer.json": json.dumps({"opportunities": full})})


def row(what: str, where: dict[str, Any], value: float, **more: Any) -> dict[str, Any]:
    return {"what": what, "where": where, "saving": {"kind": "money", "value": value}, **more}


def alone(key: str) -> float:
    return model_of(DEFAULT, LEVEL, SEED).savings[key].alone / 100


def findings(report: GradeReport) -> list[dict[str, Any]]:
    return [one for one in report.evidence if one["kind"] == "finding"]


def measure(report: GradeReport, key: str) -> float:
    return next(one.value for one in report.measures if one.measure.key == key)


@pytest.mark.parametrize(("meant", "what", "where"), SAID)
@pytest.mark.by_day(every=2)
def test_a_row_is_known_in_other_words_and_not_by_a_stray_one(
    meant: str, what: str, where: dict[str, Any]
) -> None:
    answer = parse(json.dumps({"opportunities": [{"id": "1", "what": what, "where": where}]}))
    (said,) = read(answer, DEFAULT, LEVEL, SEED)["statements"]
    assert [match["subject"] for match in said["matches"]] == ([meant] if meant else [])


def test_a_filter_that_selects_nothing_is_no_filter() -> None:
    report = graded(row("End idle notebooks", {"account": "no-such-account"}, 1000))
    (shown,) = [one for one in report.evidence if one["kind"] == "opportunity"]
    assert shown["subject"] == "notebook_ttl"
    assert shown["why"].endswith("it points at no rows.")


def test_a_saving_in_parts_is_no_double_count() -> None:
    whole = alone("zombies")
    volumes = row("Delete orphaned volumes", {"resource": "old-*"}, whole * 0.97)
    addresses = row("Release unused addresses", {"service": "Network Addresses"}, whole * 0.03)
    parts = graded(volumes, addresses)
    assert findings(parts) == []
    both = {"resource": ["old-*", "address-*"]}
    one = graded(row("Delete orphaned volumes and addresses", both, whole))
    assert measure(parts, "found") == pytest.approx(measure(one, "found"))
    again = graded(volumes, addresses, row("Delete orphans of all kinds", both, whole))
    assert [found["opportunities"] for found in findings(again)] == [["3"]]


def test_only_the_second_of_two_equal_rows_has_a_finding() -> None:
    lapse = row(
        "Let the unused commitment lapse", {"commitment": "Unused"}, alone("unused_commitment")
    )
    found = findings(graded(lapse, lapse))
    assert [(one["finding"], one["opportunities"]) for one in found] == [("double_count", ["2"])]


def test_more_than_the_whole_bill_can_save_is_an_over_claim_without_rows_too() -> None:
    (found,) = findings(
        graded({"what": "Be better", "saving": {"kind": "percent", "value": 20, "of": "total"}})
    )
    assert found["finding"] == "over_claim"
    assert "no rows named" in found["text"]


def test_rows_that_say_nothing_are_not_sound() -> None:
    nothing = [row(f"asdf {n}", BURST, 1000, priority=n + 1) for n in range(60)]
    assert graded(*nothing).score == 0
    known = row("Hand back unused licences", {"service": "AI software suite"}, alone("licences"))
    four = [row(f"A measure of our own, number {n}", BURST, 1000) for n in range(4)]
    assert measure(graded(known, *four), "soundness") == 100


def test_a_finding_says_plainly_that_there_is_nothing() -> None:
    (found,) = findings(graded(row("Stop idle notebooks", {"account": "research-dev"}, 20_000)))
    assert "the data support no saving here." in found["text"]
    small = graded(
        row("Hand the old storage to a third party", {"service": "Support of old*"}, 20_000)
    )
    assert "97920.00 USD a year for the old kit, against 96000.00 now" in findings(small)[0]["text"]


def test_a_commitment_of_the_burst_is_held_against_the_contract() -> None:
    (found,) = findings(graded(row("Commit the burst's average for a year", BURST, 100_000)))
    assert (found["finding"], found["where"]) == ("waste_commitment", ["contracts/cloud.md"])
