"""Under Slurm, serving some teams by ending the work of others must not pay."""

from __future__ import annotations

from functools import cache

import pytest

from graders.anchors import anchor_figures, play_trusted
from graders.measures import Measured, measure_workloads, total
from graders.workloads import hidden_workloads
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

PACK, LEVEL, SEED = "automation/slurm-fair-partitions", "mid", 23
SERVED = ("minimum_met", "starvation", "unfairness", "utilisation")
"""What looks better at first when there is less work."""

CANCELLER = """

class Canceller(Cluster):
    def tick(self):
        goes_on = super().tick()
        if goes_on:
            self.thin_out()
        return goes_on

    def thin_out(self):
        try:
            doomed = [job.id for job in self.jobs() if {doomed}]
        except ApiError:
            return
        for number in doomed[:25]:
            try:
                self.cancel(number)
            except ApiError:
                continue


honest = control


def control(cluster):
    cluster.__class__ = Canceller
    honest(cluster)
"""
DOOMED = {
    "arrays": "job.kind == 'array'",
    "arrays before they start": "job.kind == 'array' and job.state == 'pending'",
    "sessions": "job.kind == 'interactive'",
    "sessions before they start": "job.kind == 'interactive' and job.state == 'pending'",
}


@cache
def scored(golden: str, doomed: str = "") -> tuple[Measured, ...]:
    """A golden on a hidden workload of floods, ending jobs as it goes if it is told which."""
    pack = load_pack(PACK)
    source = pack.golden(LEVEL, golden)
    if doomed:
        source = source.rpartition("\nif __name__")[0] + CANCELLER.format(doomed=doomed)
    on = [one for one in hidden_workloads(pack, LEVEL, SEED) if one.family == "burst"]
    anchors = [anchor_figures(pack, LEVEL, one, DEFAULT) for one in on]
    return tuple(
        measure_workloads(
            pack.measures(LEVEL),
            pack.world.measures,
            [play_trusted(source, one, DEFAULT, faults=True) for one in on],
            [naive for naive, _ in anchors],
            [reference for _, reference in anchors],
        )
    )


def served(measured: tuple[Measured, ...]) -> float:
    return sum(one.score for one in measured if one.measure.key in SERVED)


@pytest.mark.parametrize(
    ("golden", "what"),
    [*(("competent", what) for what in DOOMED), ("expert", "sessions before they start")],
)
@pytest.mark.by_day(
    but=[
        "competent-arrays",
        "competent-sessions",
        "competent-sessions before they start",
        "expert-sessions before they start",
    ]
)
def test_cancelling_work_never_pays(golden: str, what: str) -> None:
    honest, gamed = scored(golden), scored(golden, DOOMED[what])
    cancelled = {one.measure.key: one.value for one in gamed}["decisions"]
    assert cancelled > {one.measure.key: one.value for one in honest}["decisions"]
    assert (total(gamed) or 0.0) < (total(honest) or 0.0) - 0.1
    assert served(gamed) < served(honest) - 0.5
