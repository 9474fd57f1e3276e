"""A fixed sample of every pack's goldens; `make calibrate` plays the whole table."""

from __future__ import annotations

from functools import cache

import pytest

from graders.goldens import UNMEASURED, expected, golden_names, play_golden, unclipped
from graders.grading import run_public
from graders.measures import Measured, total
from graders.tests.sandboxes import backend, unhurried
from graders.workloads import Workload, hidden_workloads, public_workload
from sandbox import Backend
from scenarios.packs import Pack, all_packs, load_pack

SEEDS = (11, 12)
LEVELS = [
    (pack.name, level) for pack in all_packs() if pack.kind == "automation" for level in pack.levels
]
GOLDENS = [(*case, name) for case in LEVELS for name in golden_names(load_pack(case[0]))]
MEASURED = [case for case in GOLDENS if case[-1] != UNMEASURED]

__all__ = ["backend", "unhurried"]


def sample(pack: Pack, level: str, seed: int) -> list[Workload]:
    """Three of the first five workloads; two seeds in a row meet all five families."""
    first = 2 * (seed % 2)
    return hidden_workloads(pack, level, seed, 5)[first : first + 3]


@cache
def played(pack_name: str, level: str, golden: str) -> tuple[tuple[Measured, ...], ...]:
    pack = load_pack(pack_name)
    return tuple(
        tuple(play_golden(pack, level, golden, sample(pack, level, seed))) for seed in SEEDS
    )


def mean(pack: str, level: str, golden: str) -> float:
    return sum(unclipped(one) for one in played(pack, level, golden)) / len(SEEDS)


def clipped(pack: str, level: str, golden: str) -> float:
    return sum(total(one) or 0.0 for one in played(pack, level, golden)) / len(SEEDS)


@pytest.mark.parametrize(("pack", "level", "golden"), list(MEASURED))
def test_golden_comes_out_within_its_bounds(pack: str, level: str, golden: str) -> None:
    bounds = expected(load_pack(pack)).bounds[level][golden]
    assert bounds is not None
    assert bounds.total[0] <= clipped(pack, level, golden) <= bounds.total[1]
    assert bounds.mean[0] <= mean(pack, level, golden) <= bounds.mean[1]


@pytest.mark.parametrize(("pack", "level"), list(LEVELS))
def test_every_golden_has_bounds_and_a_pack_may_bring_further_ones(pack: str, level: str) -> None:
    chosen = load_pack(pack)
    assert set(expected(chosen).bounds[level]) == set(golden_names(chosen))
    further = golden_names(load_pack("automation/spot-checkpointing"))
    assert further[-1] == "on_demand_only"


@pytest.mark.parametrize(("pack", "level"), list(LEVELS))
def test_goldens_are_ordered_with_the_stated_margins(pack: str, level: str) -> None:
    for margin in expected(load_pack(pack)).margins:
        distance = mean(pack, level, margin.better) - mean(pack, level, margin.worse)
        assert distance >= margin.least, (margin.worse, margin.better, distance)


@pytest.mark.parametrize(("pack", "level"), list(LEVELS))
def test_anchors_mean_what_they_say(pack: str, level: str) -> None:
    assert clipped(pack, level, "do_nothing") <= 0.1
    assert mean(pack, level, "naive") == pytest.approx(0.0, abs=1e-9)
    for margin in (("naive", "competent"), ("competent", "expert"), ("thrasher", "competent")):
        stated = [(one.worse, one.better) for one in expected(load_pack(pack)).margins]
        assert margin in stated


@pytest.mark.parametrize(("pack", "level"), list(LEVELS))
def test_doing_nothing_or_cheating_hides_no_measure(pack: str, level: str) -> None:
    wanted = {one.key for one in load_pack(pack).measures(level)}
    for golden in ("do_nothing", "cheater", "expert"):
        found = {one.measure.key for seed in played(pack, level, golden) for one in seed}
        assert found == wanted


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(("pack", "level", "golden"), list(GOLDENS))
def test_golden_runs_in_the_sandbox_as_it_does_here(
    pack: str, level: str, golden: str, backend: Backend
) -> None:
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
