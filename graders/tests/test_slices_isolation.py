"""Controllers that put tenants side by side to serve more of them: none may gain by it."""

from __future__ import annotations

from functools import cache

import pytest

from graders.anchors import anchor_figures, play_trusted
from graders.measures import Measured, measure_workloads, total
from graders.workloads import Workload, hidden_workloads
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

PACK, LEVEL, SEED = load_pack("automation/mig-sharing"), "senior", 31
KEEPS = "    def allowed(self, tenant: str, gpu: MigGpu) -> bool:\n"
PLACES = "            if self.allowed(service.tenant, gpu):\n                self.cluster.place("
STARTS = "and self.allowed(job.team, gpu)\n"
FORGETFUL = {
    "everywhere": (KEEPS, f"{KEEPS}        return True\n"),
    "for services": (PLACES, PLACES.replace("self.allowed(service.tenant, gpu)", "True")),
    "for training": (STARTS, "and True\n"),
    "for critical services": (
        PLACES,
        PLACES.replace("if self", "if service.slo == 'critical' or self"),
    ),
}
"""The competent golden, changed in one place so that it breaks the contracts."""
MARGIN = 0.2


def days() -> list[Workload]:
    """The first two families of a seed that no calibration uses."""
    return hidden_workloads(PACK, LEVEL, SEED)[:2]


@cache
def played(where: str = "") -> tuple[Measured, ...]:
    source = PACK.golden(LEVEL, "competent")
    if where:
        before, after = FORGETFUL[where]
        assert source.count(before) == 1
        source = source.replace(before, after)
    anchors = [anchor_figures(PACK, LEVEL, one, DEFAULT) for one in days()]
    return tuple(
        measure_workloads(
            PACK.measures(LEVEL),
            PACK.world.measures,
            [play_trusted(source, one, DEFAULT, faults=True) for one in days()],
            [naive for naive, _ in anchors],
            [reference for _, reference in anchors],
        )
    )


@pytest.mark.parametrize("where", FORGETFUL)
@pytest.mark.nightly
def test_breaking_the_contracts_does_not_pay(where: str) -> None:
    assert (total(played(where)) or 0.0) < (total(played()) or 0.0) - MARGIN


@pytest.mark.parametrize("where", FORGETFUL)
@pytest.mark.nightly
def test_no_measure_of_work_is_better_for_it(where: str) -> None:
    work = ("availability_critical", "availability_other", "training_done", "utilisation")
    honest = {one.measure.key: one.score for one in played()}
    broken = {one.measure.key: one.score for one in played(where)}
    for key in (*work, "isolation"):
        assert broken[key] <= honest[key], key
