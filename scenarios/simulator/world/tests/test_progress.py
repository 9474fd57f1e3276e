"""Checkpoints against a job that is followed second by second."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.engine import Kind
from scenarios.simulator.policies import open_policy
from scenarios.simulator.tests.jobs import examples
from scenarios.simulator.world.setting import CheckpointSetting
from scenarios.simulator.world.tests.small import fixed, jobs, on_machine
from scenarios.simulator.world.world import World


def interrupted(
    run: int, checkpoint: CheckpointSetting, stops: list[tuple[int, int | None]]
) -> World:
    """One job, stopped at given instants, each with its notice."""
    world = World(jobs([(0, run, 1)]), open_policy("easy"), fixed(1, checkpoint=checkpoint), "s")

    def stop(notice: int | None) -> None:
        if list(world.simulation.running()):
            world.stop(0, notice)

    for time, notice in stops:
        world.simulation.at(time, Kind.LOSS, partial(stop, notice))
    world.run()
    return world


def second_by_second(run: int, every: int, save: int, recovery: int, stops: set[int]) -> int:
    """The end of a job that runs at once again after each stop, without notices."""
    time = done = saved = since = recover = saving = 0
    while True:
        if time in stops and time:
            done, since, saving = saved, 0, 0
            recover = recovery
        if recover:
            recover -= 1
        elif saving:
            saving -= 1
            saved = done if not saving else saved
        else:
            done, since = done + 1, since + 1
            if done == run:
                return time + 1
            if every and since == every:
                since, saving = 0, save
                saved = done if not save else saved
        time += 1


@examples(150)
@given(
    st.integers(1, 400),
    st.sampled_from((0, 7, 50)),
    st.sampled_from((0, 3)),
    st.sampled_from((0, 11)),
    st.sets(st.integers(1, 900), max_size=6),
)
def test_end_is_that_of_a_job_followed_second_by_second(
    run: int, every: int, save: int, recovery: int, stops: set[int]
) -> None:
    world = interrupted(
        run, CheckpointSetting(every, save, recovery), [(time, None) for time in sorted(stops)]
    )
    assert world.simulation.last_end[0] == second_by_second(run, every, save, recovery, stops)


def test_job_with_time_to_save_loses_only_the_save() -> None:
    world = interrupted(1_000, CheckpointSetting(300, 20, 50), [(200, 30)])
    assert world.progress.lost == [20]
    assert world.progress.recovering == [50]
    assert on_machine(world, 0) == 1_000 + 3 * 20 + 20 + 50


def test_notice_shorter_than_a_save_saves_nothing() -> None:
    world = interrupted(1_000, CheckpointSetting(300, 40, 0), [(200, 30)])
    assert world.progress.lost == [200]


def test_job_without_checkpoints_starts_over() -> None:
    world = interrupted(1_000, CheckpointSetting(), [(400, None), (900, None)])
    assert world.progress.lost == [900]
    assert world.simulation.last_end == [1_900]
    assert world.progress.interruptions == [2]


def test_policy_that_preempts_keeps_progress_and_loses_nothing() -> None:
    world = World(jobs([(0, 500, 4), (100, 50, 4)]), open_policy("srtf"), fixed(1), "s")
    world.run()
    assert world.simulation.preemptions == [1, 0]
    assert world.progress.lost == [0, 0]
    assert world.simulation.last_end == [550, 150]
