"""Ways round the purpose of spot training: none may pay."""

from __future__ import annotations

import pytest

from graders.goldens import unclipped
from graders.measures import total
from graders.tests.exploits import Changes, score, scored

PACK = "automation/spot-checkpointing"
LEVELS = ("junior", "mid", "senior")

STOPPING: Changes = (
    (
        """            supervisor.step()
""",
        """            supervisor.step()
            for run in cluster.trainings().values():
                good = [c for c in cluster.checkpoints() if c.checked == "good"]
                mine = [c for c in good if c.training == run.name and run.step - c.step < 300]
                if mine and run.state == "training" and cluster.now // 3600 != stopped.get(run.name):
                    stopped[run.name] = cluster.now // 3600
                    cluster.stop(run.name)
                    cluster.launch(run.name, list(run.nodes), mine[-1].name)
""",
    ),
    (
        "    supervisor = Supervisor(cluster)\n",
        "    supervisor, stopped = Supervisor(cluster), {}\n",
    ),
)
"""Stops a run every hour and starts it again at once, for many quick returns."""
NEVER_AGAIN: Changes = (
    (
        """        for run in runs.values():
            self.answer_notice(run)
""",
        """        for run in runs.values():
            self.answer_notice(run)
            if run.state == "training" and run.step > run.steps // 10:
                cluster.stop(run.name)
        if any(run.state == "stopped" and run.step > run.steps // 10 for run in runs.values()):
            for node in cluster.nodes():
                if node.free:
                    cluster.release(node.name)
            return
""",
    ),
)
"""Trains a tenth on spot nodes, which is cheap, and stops for good."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.nightly
def test_running_everything_on_demand_stays_below_a_sound_use_of_spot(level: str) -> None:
    firm, honest = scored(PACK, level, "on_demand_only"), scored(PACK, level, "competent")
    assert (total(firm) or 0.0) <= (total(honest) or 0.0) - 0.05
    assert unclipped(firm) <= unclipped(honest) - 0.05
    for key in ("cost", "saving", "goodput"):
        assert score(firm, key) <= 0.5
        assert score(honest, key) >= score(firm, key) + 0.25


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.by_day(but=["mid", "senior"])
def test_the_best_supervisor_on_demand_stays_below_the_same_one_on_spot(level: str) -> None:
    firm, spot = scored(PACK, level, "on_demand_only"), scored(PACK, level, "expert")
    assert (total(firm) or 0.0) <= (total(spot) or 0.0) - 0.2


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.by_day(but=["mid", "senior"])
def test_being_done_early_earns_no_more_than_being_done_in_time(level: str) -> None:
    for golden in ("on_demand_only", "expert"):
        assert score(scored(PACK, level, golden), "late") == pytest.approx(1.0)


@pytest.mark.parametrize("level", ["junior", "mid"])
@pytest.mark.by_day(but=["mid"])
def test_stops_of_ones_own_do_not_hide_slow_returns(level: str) -> None:
    stopping, honest = scored(PACK, level, "competent", STOPPING), scored(PACK, level, "competent")
    assert score(stopping, "resume_p95") <= score(honest, "resume_p95") + 0.05
    assert (total(stopping) or 0.0) <= (total(honest) or 0.0)


@pytest.mark.parametrize("level", ["junior", "mid"])
@pytest.mark.by_day(but=["mid"])
def test_a_few_cheap_hours_are_no_bargain(level: str) -> None:
    short = scored(PACK, level, "competent", NEVER_AGAIN)
    for key in ("late", "cost", "saving", "goodput", "resume_p95"):
        assert score(short, key) <= 0.05, key
