"""The queue that worlds keep beside the engine's policy `slurm` and beside a table of every second."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Nodes
from scenarios.simulator.slurm.nodes import demand_of, members
from scenarios.simulator.slurm.planner import Waiting
from scenarios.simulator.slurm.policy import Slurm
from scenarios.simulator.slurm.queue import Queue
from scenarios.simulator.slurm.tests.test_planner import slow_starts
from scenarios.simulator.tests.jobs import Row, examples, workload_of

NODES, PER_NODE = 3, 4
JOBS = st.lists(
    st.tuples(
        st.integers(0, 30), st.integers(1, 15), st.integers(0, 15), st.integers(1, NODES * PER_NODE)
    ),
    max_size=20,
)
Starts = dict[int, tuple[int, tuple[int, ...]]]
"""job -> (instant, nodes)."""
Begin = Callable[[int], list[tuple[int, tuple[int, ...]]]]


def play(
    jobs: list[Row], submit: Callable[[int], None], end: Callable[[int], None], begin: Begin
) -> Starts:
    """Second by second, as a world does it: ends, submissions, then the queue is asked."""
    starts: Starts = {}
    for now in range(sum(run for _, run, _, _ in jobs) + 31):
        for job, (since, _) in starts.items():
            if since + jobs[job][1] == now:
                end(job)
        for job, (at, *_) in enumerate(jobs):
            if at == now:
                submit(job)
        starts.update((job, (now, nodes)) for job, nodes in begin(now))
    return starts


def by_queue(jobs: list[Row]) -> Starts:
    queue = Queue(Nodes(NODES, PER_NODE))

    def submit(job: int) -> None:
        at, run, over, procs = jobs[job]
        queue.enqueue((at, job), procs, run + over)

    return play(jobs, submit, queue.end, queue.begin)


def by_policy(jobs: list[Row]) -> Starts:
    """The engine's policy with a backfill pass in every second."""
    nodes, places = Nodes(NODES, PER_NODE), {}

    class Diary:
        def started(self, job: int, now: int) -> None:
            places[job] = now, tuple(node for node, _ in nodes.where[job])

        def left(self, job: int, now: int, finished: bool) -> None:
            pass

    policy = Slurm({"slurm": {"bf_interval": 1}})
    Simulation(workload_of(jobs), nodes, policy, watcher=Diary()).run()
    return places


def by_table(jobs: list[Row]) -> Starts:
    """Every pass from a table of the GPUs free on each node in each second to come."""
    held: dict[int, tuple[int, list[int], int]] = {}
    waiting: list[tuple[int, int]] = []

    def begin(now: int) -> list[tuple[int, tuple[int, ...]]]:
        table = [[PER_NODE] * 200 for _ in range(NODES)]
        for job, (end, whole, shared) in held.items():
            for second in range(end - now):
                for node in whole:
                    table[node][second] -= PER_NODE
                if shared >= 0:
                    table[shared][second] -= jobs[job][3] % PER_NODE
        everywhere = ((1 << NODES) - 1,)
        queue = [
            Waiting(job, demand_of(jobs[job][3], PER_NODE), jobs[job][1] + jobs[job][2], everywhere)
            for _, job in sorted(waiting)
        ]
        found = slow_starts(table, PER_NODE, queue)
        for job, whole, shared in found:
            held[job] = (now + jobs[job][1] + jobs[job][2], whole, shared)
            waiting.remove((jobs[job][0], job))
        return [(job, (*whole, *([shared] if shared >= 0 else []))) for job, whole, shared in found]

    return play(
        jobs,
        lambda job: waiting.append((jobs[job][0], job)),
        lambda job: held.pop(job) and None,
        begin,
    )


@examples(150)
@given(JOBS)
def test_queue_starts_what_the_engine_s_policy_starts_at_the_same_instant_on_the_same_nodes(
    jobs: list[Row],
) -> None:
    assert by_queue(jobs) == by_policy(jobs)


@examples(60)
@given(JOBS)
def test_queue_starts_what_a_table_of_every_second_says(jobs: list[Row]) -> None:
    assert by_queue(jobs) == by_table(jobs)


def test_job_takes_the_pool_with_the_soonest_room_and_the_first_among_equals() -> None:
    queue = Queue(Nodes(0, 4), pools=2)
    for pool in (0, 0, 1, 1):
        queue.in_service(queue.add_node(pool), True)
    queue.enqueue((0, 0), 4, 50, (1, 0))
    queue.enqueue((0, 1), 8, 10, (1, 0))
    queue.enqueue((0, 2), 8, 10, (0, 1))
    assert queue.begin(0) == [(0, (2,)), (1, (0, 1))]
    assert members(queue.pools[1]) == [2, 3]
    queue.end(1)
    assert queue.begin(10) == [(2, (0, 1))]


def test_gang_never_spans_pools_and_one_that_fits_nowhere_keeps_nobody_waiting() -> None:
    queue = Queue(Nodes(0, 4), pools=2)
    for pool in (0, 1):
        queue.in_service(queue.add_node(pool), True)
    queue.enqueue((0, 0), 8, 50, (0, 1))
    queue.enqueue((1, 1), 4, 500, (0, 1))
    assert queue.begin(0) == [(1, (0,))]


def test_nothing_new_starts_on_a_node_out_of_service_and_what_runs_there_stays() -> None:
    queue = Queue(Nodes(1, 4))
    queue.enqueue((0, 0), 2, 50)
    assert queue.begin(0) == [(0, (0,))]
    queue.in_service(0, False)
    queue.enqueue((0, 1), 2, 50)
    assert queue.begin(1) == []
    queue.end(0)
    assert queue.begin(2) == []
    queue.in_service(0, True)
    assert queue.begin(3) == [(1, (0,))]


def test_job_withdrawn_from_the_queue_lets_the_next_one_start() -> None:
    queue = Queue(Nodes(2, 4))
    for job, (gpus, limit) in enumerate([(4, 50), (8, 50), (4, 99)]):
        queue.enqueue((job,), gpus, limit)
    assert queue.begin(0) == [(0, (0,))]
    assert queue.begin(1) == []
    queue.dequeue(1)
    assert queue.begin(2) == [(2, (1,))]
