from __future__ import annotations

import pytest

from scenarios.simulator.engine import EventOrder, Simulation
from scenarios.simulator.machine import Pool
from scenarios.simulator.outputs import summary
from scenarios.simulator.policies import open_policy
from scenarios.simulator.tests.shared import shared, table
from scenarios.simulator.trace import Workload, read_trace

PYSS = {"fcfs": "FCFS", "easy": "EASY", "easy-sjbf": "EASY_SJBF", "conservative": "CONS"}
TRACES: list[tuple[str, int, EventOrder]] = [
    ("lublin256_over_ms", 256, "batch"),
    ("philly_ee9e8c_ms", 128, "batch"),
    ("synthgpu256_2k", 256, "one-by-one"),
]
# The deep queue of the first takes the slow rule ten times as long as the others do together.
BY_DAY = [
    (policy, trace)
    for policy in PYSS
    for trace, *_ in TRACES
    if (policy, trace) != ("conservative", "lublin256_over_ms")
]


def run(
    workload: Workload, processors: int, policy: str, order: EventOrder = "batch"
) -> Simulation:
    simulation = Simulation(workload, Pool(processors), open_policy(policy), order)
    simulation.run()
    return simulation


def spans(simulation: Simulation) -> dict[int, tuple[int, int]]:
    ids = simulation.workload.job_id
    ends = zip(simulation.first_start, simulation.last_end, strict=True)
    return dict(zip(ids, ends, strict=True))


def reference(relative: str) -> dict[int, tuple[int, int]]:
    return {int(r["job_id"]): (int(r["start"]), int(r["finish"])) for r in table(relative)}


@pytest.mark.by_day("policy,trace", BY_DAY)
@pytest.mark.parametrize("policy", PYSS)
@pytest.mark.parametrize(("trace", "processors", "order"), TRACES)
def test_every_start_is_that_of_pyss(
    trace: str, processors: int, order: EventOrder, policy: str
) -> None:
    simulation = run(read_trace(shared(f"traces/{trace}.swf")), processors, policy, order)
    assert spans(simulation) == reference(f"reference/pyss/{trace}.{PYSS[policy]}.csv")


@pytest.mark.parametrize("policy", ["fcfs", "sjf"])
def test_every_start_is_that_of_accasim(policy: str) -> None:
    simulation = run(read_trace(shared("traces/synthgpu256_2k.swf")), 256, policy)
    expected = reference(f"reference/accasim/synthgpu256_2k.{policy.upper()}.csv")
    assert spans(simulation) == expected


def test_sjf_of_the_philly_trace_is_that_of_accasim() -> None:
    """Whole seconds of the _ms trace; the reference's own run times, which rounding moved."""
    expected = reference("reference/accasim/philly_ee9e8c.SJF.csv")
    exact = read_trace(shared("traces/philly_ee9e8c_ms.swf"))
    workload = Workload()
    for i, job_id in enumerate(exact.job_id):
        start, end = expected[job_id]
        estimate, submit = exact.estimate[i] // 1000, exact.submit[i] // 1000
        workload.add(job_id, submit, end - start, estimate, exact.procs[i])
    assert spans(run(workload, 128, "sjf")) == expected


@pytest.mark.parametrize(
    ("policy", "name", "preemptions"),
    [
        ("fcfs", "fifo", 0),
        ("srtf", "shortest", 4),
        ("srgf", "shortest-gpu", 7),
        ("las", "dlas", 0),
        ("las", "dlas-gpu", 0),
    ],
)
def test_preemptions_are_those_of_tiresias(policy: str, name: str, preemptions: int) -> None:
    simulation = run(read_trace(shared("traces/tiresias60.swf")), 16, policy)
    rows = table(f"reference/tiresias/60_job.n4g4.{name}.count.csv")
    expected = {
        int(r["job_id"]) + 1: (int(r["start_time"]), int(r["end_time"]), int(r["preempt"]))
        for r in rows
    }
    got = {
        job_id: (*span, simulation.preemptions[i])
        for i, (job_id, span) in enumerate(spans(simulation).items())
    }
    assert got == expected
    assert sum(simulation.preemptions) == preemptions


def test_summary_gives_the_figures_of_the_study() -> None:
    simulation = run(read_trace(shared("traces/synthgpu256_2k.swf")), 256, "easy", "one-by-one")
    figures = summary(simulation, 1)
    assert figures["mean_wait"] == pytest.approx(6_732.31, abs=0.005)
    assert figures["mean_bounded_slowdown"] == pytest.approx(12.29, abs=0.005)
    assert figures["makespan"] == 897_905
