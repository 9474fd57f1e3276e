"""Fixed samples of every pack's goldens; `make calibrate` plays the whole table."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import pytest

from graders.goldens import UNMEASURED, expected, golden_names, play_golden, unclipped
from graders.kinds import run_public
from graders.measures import Measured, total
from graders.tests.sandboxes import docker, namespace, unhurried
from graders.workloads import Workload, hidden_workloads, public_workload
from sandbox import Backend
from scenarios.packs import Pack, all_packs, load_pack

SEEDS = (11, 12)
LEVELS = [
    (pack.name, level) for pack in all_packs() if pack.kind == "automation" for level in pack.levels
]
GOLDENS = [(*case, name) for case in LEVELS for name in golden_names(load_pack(case[0]))]
MEASURED = [case for case in GOLDENS if case[-1] != UNMEASURED]
# By day the lowest level, which is the quickest, plays nearly all of them, and of one pack the highest, which
# has every measure. (Three of the five families: the night plays all, at every level.)
# Of this pack three workloads do not show by how little the expert is better than the competent golden.
SIX = "automation/cluster-priorities"
LOWEST = {
    case: "large" if case[0] == SIX else "small"
    for case in LEVELS
    if case[1] == load_pack(case[0]).levels[0]
}
AT_LOWEST = [(*case, size) for case, size in LOWEST.items()]
# Programs that send so much that one takes as long as all others: by day test_gaming plays cheaters, at mid.
LONG = {
    ("automation/cluster-priorities", "budget_breaker"),
    ("automation/cluster-priorities", "cheater"),
    ("automation/cluster-priorities", "thrasher"),
    ("automation/mig-sharing", "budget_breaker"),
    ("automation/queue-autoscaler", "cheater"),
    ("automation/slurm-fair-partitions", "budget_breaker"),
    ("automation/slurm-fair-partitions", "cheater"),
}
WHOLE = [case for case in AT_LOWEST if case[0] not in {pack for pack, _ in LONG}]
"""Those whose every golden is played by day."""
LARGE = [(*case, "large") for case in MEASURED]
BY_DAY = [
    *(
        (*case, LOWEST[case[:2]])
        for case in MEASURED
        if case[:2] in LOWEST and (case[0], case[2]) not in LONG
    ),
    ("automation/spot-checkpointing", "senior", "competent", "small"),
]
FENCES = ("namespace", pytest.param("docker", marks=pytest.mark.docker))
# In a sandbox by day an answer that asks little, one with long texts and one that acts on alerts say what all
# do, one that means harm, in either sandbox, and one that ends; test_same_bytes plays good ones in the other.
SHORT = ("queue-autoscaler", "slurm-fair-partitions", "gpu-idle-alerts")
IN_FENCES = [
    *((*case, "expert", "namespace") for case in LOWEST if case[0].endswith(SHORT)),
    *((*case, "cheater", fence) for case in LEVELS[:1] for fence in ("namespace", "docker")),
    ("automation/gpu-idle-alerts", "mid", UNMEASURED, "namespace"),
]

__all__ = ["docker", "namespace", "unhurried"]


def samples(pack: Pack, level: str, size: str) -> list[list[Workload]]:
    """Three of the first five workloads of each seed.

    Two seeds in a row meet all five families. The small one is the first of them.
    """
    firsts = {seed: 2 * (seed % 2) for seed in (SEEDS if size == "large" else SEEDS[:1])}
    return [
        hidden_workloads(pack, level, seed, 5)[first : first + 3] for seed, first in firsts.items()
    ]


@cache
def played(pack_name: str, level: str, golden: str, size: str) -> tuple[tuple[Measured, ...], ...]:
    pack = load_pack(pack_name)
    return tuple(
        tuple(play_golden(pack, level, golden, sample)) for sample in samples(pack, level, size)
    )


def mean(pack: str, level: str, golden: str, size: str) -> float:
    return fmean(unclipped(one) for one in played(pack, level, golden, size))


def clipped(pack: str, level: str, golden: str, size: str) -> float:
    return fmean(total(one) or 0.0 for one in played(pack, level, golden, size))


levels = pytest.mark.parametrize(
    ("pack", "level", "size"),
    sorted({*AT_LOWEST, *((*case, "large") for case in LEVELS)}),
)
lowest = pytest.mark.by_day("pack,level,size", WHOLE)


@pytest.mark.parametrize(("pack", "level", "golden", "size"), sorted({*BY_DAY, *LARGE}))
@pytest.mark.by_day("pack,level,golden,size", BY_DAY)
def test_golden_comes_out_within_its_bounds(pack: str, level: str, golden: str, size: str) -> None:
    bounds = expected(load_pack(pack)).bounds[level][golden]
    assert bounds is not None
    assert bounds.total[0] <= clipped(pack, level, golden, size) <= bounds.total[1]
    assert bounds.mean[0] <= mean(pack, level, golden, size) <= bounds.mean[1]


@pytest.mark.parametrize(("pack", "level"), list(LEVELS))
def test_every_golden_has_bounds_and_a_pack_may_bring_further_ones(pack: str, level: str) -> None:
    chosen = load_pack(pack)
    assert set(expected(chosen).bounds[level]) == set(golden_names(chosen))
    further = golden_names(load_pack("automation/spot-checkpointing"))
    assert further[-1] == "on_demand_only"


@levels
@lowest
def test_goldens_are_ordered_with_the_stated_margins(pack: str, level: str, size: str) -> None:
    for margin in expected(load_pack(pack)).margins:
        better, worse = (mean(pack, level, one, size) for one in (margin.better, margin.worse))
        assert better - worse >= margin.least, (margin.worse, margin.better, better - worse)


def is_moved(one: Measured) -> bool:
    """Whether the script does almost as well as can be, and its anchor therefore stands just below it."""
    best = 100.0 if (one.measure.unit, one.measure.better) == ("%", "higher") else 0.0
    apart = abs(one.reference - one.naive)
    return one.reference == best and apart == pytest.approx(one.measure.floor) and 0 < one.score < 1


@levels
@pytest.mark.by_day("pack,level,size", AT_LOWEST)
def test_anchors_mean_what_they_say(pack: str, level: str, size: str) -> None:
    assert clipped(pack, level, "do_nothing", size) <= 0.1
    for one in (one for seed in played(pack, level, "naive", size) for one in seed):
        assert one.score == pytest.approx(0.0, abs=1e-9) or is_moved(one)
    for margin in (("naive", "competent"), ("competent", "expert"), ("thrasher", "competent")):
        stated = [(one.worse, one.better) for one in expected(load_pack(pack)).margins]
        assert margin in stated


@levels
@lowest
def test_doing_nothing_or_cheating_hides_no_measure(pack: str, level: str, size: str) -> None:
    wanted = {one.key for one in load_pack(pack).measures(level)}
    for golden in ("do_nothing", "cheater", "expert"):
        found = {one.measure.key for seed in played(pack, level, golden, size) for one in seed}
        assert found == wanted


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("fence", FENCES)
@pytest.mark.parametrize(("pack", "level", "golden"), list(GOLDENS))
@pytest.mark.by_day("pack,level,golden,fence", IN_FENCES)
def test_golden_runs_in_the_sandbox_as_it_does_here(
    pack: str, level: str, golden: str, fence: str, request: pytest.FixtureRequest
) -> None:
    backend: Backend = request.getfixturevalue(fence)
    chosen = load_pack(pack)
    files = {chosen.entry: chosen.golden(level, golden)}
    name, _ = chosen.public_workloads(level)[0]
    report = run_public(pack, level, 11, files, backend, name)
    if golden == UNMEASURED:
        assert (report.status, report.measures) == ("candidate_error", [])
        assert report.stderr
        return
    assert report.status in ("ok", "incomplete"), report.detail
    # the sandbox ends a program that goes on sending rubbish; this process does not
    if golden != "cheater":
        here = play_golden(chosen, level, golden, [public_workload(chosen, level, 11, name)])
        assert report.measures == here
