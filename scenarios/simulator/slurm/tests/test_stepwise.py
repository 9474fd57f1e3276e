from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.simulator.engine import Simulation
from scenarios.simulator.machine import Nodes, Pool
from scenarios.simulator.slurm.policy import Slurm
from scenarios.simulator.slurm.stepwise import Record, compare, hold_to, node_mask, read_reference
from scenarios.simulator.tests.shared import shared
from scenarios.simulator.trace import Workload

HEADER = "job_id,submit,start,finish,procs,limit_s,asked_run_s,state,nodelist\n"


class _Seen:
    """The nodes of every start, as a mask."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes, self.masks = nodes, dict[int, int]()

    def started(self, job: int, now: int) -> None:
        self.masks[job] = sum(1 << node for node, _ in self.nodes.where[job])

    def left(self, job: int, now: int, finished: bool) -> None:
        pass


def _replay(records: list[Record], phase: int | None = None) -> tuple[Simulation, dict[int, int]]:
    workload = Workload()
    for record in records:
        run = record.finish - record.start
        workload.add(record.job_id, record.submit, run, record.limit, record.count)
    nodes = Nodes(8, 1)
    seen = _Seen(nodes)
    table = {} if phase is None else {"bf_phase": phase}
    simulation = Simulation(workload, nodes, Slurm({"slurm": table}), watcher=seen)
    simulation.run()
    return simulation, seen.masks


def test_every_recorded_start_is_predicted_on_the_same_nodes() -> None:
    tally = compare(read_reference(shared("reference/slurm/bf_default_8n.csv")), 8)
    assert (tally.missed, tally.moved) == ((), ())
    assert tally.to_dict() == {"predicted": 120, "same_nodes": 120, "of": 120}


def test_whole_run_starts_every_job_within_65_seconds_on_the_same_nodes() -> None:
    records = read_reference(shared("reference/slurm/bf_default_8n.csv"))
    simulation, masks = _replay(records)
    apart = [abs(simulation.first_start[n] - r.start) for n, r in enumerate(records)]
    assert max(apart) <= 65
    assert [masks[n] for n in range(len(records))] == [r.nodes for r in records]
    real = sum(r.start - r.submit for r in records)
    ours = sum(simulation.first_start[n] - r.submit for n, r in enumerate(records))
    assert ours == pytest.approx(real, rel=0.01)


@pytest.mark.parametrize("phase", [0, 7, 13, 20, 29])
def test_whole_run_does_not_hang_on_the_phase_of_the_beat(phase: int) -> None:
    records = read_reference(shared("reference/slurm/bf_default_8n.csv"))
    simulation, masks = _replay(records, phase)
    near = [abs(simulation.first_start[n] - r.start) <= 65 for n, r in enumerate(records)]
    assert sum(near) >= 119
    assert sum(masks[n] == r.nodes for n, r in enumerate(records)) >= 117


def test_pool_of_processors_is_scheduled_as_nodes_of_one() -> None:
    records = read_reference(shared("reference/slurm/bf_default_8n.csv"))
    on_nodes, _ = _replay(records)
    pool = Simulation(on_nodes.workload, Pool(8), Slurm({}))
    pool.run()
    assert pool.first_start == on_nodes.first_start


def test_wrong_nodes_and_wrong_instants_are_counted() -> None:
    records = [
        Record(1, 0, 0, 100, 1, 100, 0b01),
        Record(2, 0, 0, 100, 1, 100, 0b01 << 2),  # the planner takes the second node
        Record(3, 10, 60, 90, 2, 500, 0b1010),
        Record(4, 20, 40, 90, 2, 500, 0b0101),  # cannot start: the first job holds its node
    ]
    tally = compare(records, 4)
    assert tally.moved == (2,)
    assert 4 in tally.missed
    assert tally.predicted == tally.of - len(tally.missed)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [("n1", 0b1), ("n[1-3,7]", 0b1000111), ("gpu-node[2,4-5]", 0b11010), ("f8", 0b10000000)],
)
def test_node_list_is_read_as_slurm_writes_it(text: str, nodes: int) -> None:
    assert node_mask(text) == nodes


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2,9,8,10,1,5,5,DONE,n1", "line 3: submit, start and finish are not in this order."),
        ("2,1,8,x,1,5,5,DONE,n1", "line 3: finish is 'x'; it should be a whole number."),
        ("2,1,8,10,2,5,5,DONE,n1", "line 3: 2 nodes asked for, but the node list is 'n1'."),
        ("2,1,8,10,1,5,5,DONE,n[1", "line 3: 'n[1' is not a list of nodes such as n[1-3,7]."),
        ("2,1,8,10,1,5,5,DONE,n0", "line 3: 'n0' names nodes beyond 1 to 100,000."),
        ("1,1,8,10,1,5,5,DONE,n1", "line 3: job 1 is there twice."),
        ("2,1,8,10", "line 3: 4 fields where the header has 9."),
    ],
)
def test_malformed_record_is_refused_by_line(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "record.csv"
    path.write_text(f"{HEADER}1,0,0,5,1,5,5,DONE,n1\n{row}\n")
    with pytest.raises(ValueError, match="line 3") as caught:
        read_reference(path)
    assert str(caught.value).endswith(said)


def test_record_must_speak_of_the_trace_and_the_machine(tmp_path: Path) -> None:
    record, trace = tmp_path / "record.csv", tmp_path / "trace.csv"
    record.write_text(f"{HEADER}1,0,0,5,1,5,5,DONE,n2\n")
    trace.write_text("job_id,submit,run_time,estimate,procs\n2,0,5,5,1\n")
    with pytest.raises(ValueError, match=r"trace\.csv has no job 1"):
        hold_to(record, trace, None)
    with pytest.raises(ValueError, match="job 1 is recorded on a node beyond the 1 there are"):
        hold_to(record, record, 1)
    assert hold_to(record, record, None).to_dict() == {"predicted": 1, "same_nodes": 0, "of": 1}
