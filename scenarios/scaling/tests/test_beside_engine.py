"""How close the year's queue comes to the simulator's engine, which is shown equal to real schedulers."""

from __future__ import annotations

import pytest

from scenarios.scaling.tests.beside_engine import in_the_year, on_the_engine, queue_alone

ALL = ("training", "fine_tuning", "interactive", "batch")


@pytest.mark.parametrize("load", [0.6, 0.75, 0.85])
def test_large_jobs_alone_wait_as_with_easy(load: float) -> None:
    """Gangs of whole nodes: 0.80, 4.1 and 14.4 h on average, where EASY has 0.82, 3.6 and 13.9."""
    scene = queue_alone(load, "training")
    ours, theirs = in_the_year(scene), on_the_engine(scene, "easy")
    assert ours.waits.keys() == theirs.waits.keys()
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.15)
    assert ours.use == pytest.approx(theirs.use, abs=0.03)


@pytest.mark.parametrize("load", [0.6, 0.75])
def test_small_jobs_alone_wait_as_with_easy_and_hold_half_an_hour_more(load: float) -> None:
    """A job that starts within an hour is counted as use from the full hour on, and as work from its start."""
    scene = queue_alone(load, "batch")
    ours, theirs = in_the_year(scene), on_the_engine(scene, "easy")
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.05)
    assert 0.08 < ours.use - theirs.use < 0.12


@pytest.mark.parametrize(("load", "apart_h"), [(0.6, 0.05), (0.75, 0.5)])
def test_all_classes_together_wait_about_as_with_slurm(load: float, apart_h: float) -> None:
    """Priority by class and age on both sides. Batch waits longest on both, and in the year a little longer."""
    scene = queue_alone(load, *ALL)
    ours, theirs = in_the_year(scene), on_the_engine(scene, "slurm")
    assert ours.mean() == pytest.approx(theirs.mean(), abs=apart_h)
    assert ours.use == pytest.approx(theirs.use, abs=0.05)
    for job_class, hours in zip(ALL, (0.5, 0.3, 0.1, 1.5), strict=True):
        assert ours.mean(job_class) == pytest.approx(theirs.mean(job_class), abs=hours)


@pytest.mark.nightly
def test_a_cluster_that_is_nearly_full_waits_longer_in_the_year_than_with_slurm() -> None:
    """Nodes kept for a large job stand idle until it starts; Slurm lets short jobs by. The README says so."""
    scene = queue_alone(0.85, *ALL)
    ours, theirs = in_the_year(scene), on_the_engine(scene, "slurm")
    assert 1.5 < ours.mean() / theirs.mean() < 3
    assert ours.use == pytest.approx(theirs.use, abs=0.03)
    assert ours.mean("interactive") < theirs.mean("interactive") < 1
