from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.simulator.placement.fgd import typical_kinds
from scenarios.simulator.placement.fleet import Fleet
from scenarios.simulator.placement.packing import POLICIES, chooser, pack
from scenarios.simulator.placement.tables import WHOLE, Demand, NodeTable

Node = tuple[int, int, list[int], list[Demand]]
"""(CPU, memory, thousandths left per GPU, pods there): the obvious way to keep a node."""


def shapes(cpu: int, memory: int) -> st.SearchStrategy[Demand]:
    shares = st.builds(Demand, st.just(cpu), st.just(memory), st.just(1), st.integers(1, 10))
    return st.one_of(
        st.just(Demand(cpu, memory, 0, 0)),
        shares.map(lambda d: Demand(d.cpu, d.memory, 1, d.milli * 100)),
        st.integers(1, 4).map(lambda gpus: Demand(cpu, memory, gpus, WHOLE)),
    )


demands = st.tuples(
    st.sampled_from([0, 1000, 2500, 4000]), st.sampled_from([0, 512, 4096])
).flatmap(lambda pair: shapes(*pair))
streams = st.lists(demands, max_size=25)


@st.composite
def node_tables(draw: st.DrawFn) -> NodeTable:
    count = draw(st.integers(1, 5))
    gpus = [draw(st.sampled_from([0, 1, 2, 4])) for _ in range(count)]
    cpu = [draw(st.sampled_from([4000, 8000, 16000])) for _ in range(count)]
    return NodeTable([f"n{n}" for n in range(count)], cpu, [8192] * count, gpus)


def has_room(node: Node, pod: Demand) -> bool:
    cpu, memory, left, _ = node
    fitting = [milli for milli in left if milli >= pod.milli]
    return cpu >= pod.cpu and memory >= pod.memory and len(fitting) >= pod.gpus


def with_pod(node: Node, pod: Demand, gpus: list[int]) -> Node:
    left = [milli - pod.milli * (gpu in gpus) for gpu, milli in enumerate(node[2])]
    return node[0] - pod.cpu, node[1] - pod.memory, left, [*node[3], pod]


def tight(node: Node, pod: Demand) -> list[int]:
    left = node[2]
    room = [gpu for gpu in range(len(left)) if left[gpu] >= pod.milli]
    if pod.shares:
        return sorted(room, key=lambda gpu: (left[gpu], gpu))[:1]
    return room[: pod.gpus]


def best_fit(node: Node, pod: Demand) -> int:
    cpu, _, left, _ = with_pod(node, pod, tight(node, pod))
    return int((1.0 - (cpu / 128_000 * 0.5 + sum(left) / 8_000 * 0.5)) * 100)


def packing(node: Node, pod: Demand) -> int:
    left = node[2]
    if not pod.gpus:
        return 0
    if all(milli == WHOLE for milli in left):
        return max(33 - len(left), len(left))
    used = sorted(milli for milli in left if milli >= pod.milli)[: pod.gpus]
    if WHOLE in used:
        return max(50 - used.count(WHOLE), 33)
    return max(100 - sum(milli * 100 // WHOLE for milli in used) // 10, 50)


def clustering(node: Node, pod: Demand) -> int:
    if not pod.gpus:
        return 0

    def kind(other: Demand) -> str:
        return "share" if other.shares else f"{other.gpus}-gpu"

    kinds = {kind(other) for other in node[3] if other.gpus}
    base = 25 * (8000 - sum(node[2])) // 8000
    if kind(pod) in kinds:
        return base + (75 if len(kinds) == 1 else 50)
    return base + (0 if kinds else 25)


def stranded(node: Node, typical: list[Demand]) -> float:
    total = 0.0
    kinds = typical_kinds(typical)
    for kind in kinds:
        fitting = [milli for milli in node[2] if milli >= kind.milli]
        usable = kind.gpus and node[0] >= kind.cpu and len(fitting) >= kind.gpus
        lost = sum(node[2]) - (sum(fitting) if usable else 0)
        total += lost * kind.pods / sum(k.pods for k in kinds)
    return total


def fgd(node: Node, pod: Demand, typical: list[Demand]) -> tuple[int, list[int]]:
    before, best, chosen = stranded(node, typical), -1, [-1]
    room = [gpu for gpu, milli in enumerate(node[2]) if milli >= pod.milli]
    for gpus in [[gpu] for gpu in room] if pod.shares else [room[: pod.gpus]]:
        gain = (before - stranded(with_pod(node, pod, gpus), typical)) / 1000
        score = int(100 / (1 + math.exp(-round(gain, 9))))
        if score > best:
            best, chosen = score, gpus
    return best, chosen


def slow_pack(table: NodeTable, pods: list[Demand], policy: str) -> list[int]:
    rows = zip(table.cpu, table.memory, table.gpus, strict=True)
    nodes: list[Node] = [(cpu, memory, [WHOLE] * gpus, []) for cpu, memory, gpus in rows]
    score = {"bestfit": best_fit, "gpupacking": packing, "gpuclustering": clustering}
    chosen = []
    for pod in pods:
        best, place, gpus = -1, -1, [-1]
        for number, node in enumerate(nodes):
            if has_room(node, pod):
                if policy == "fgd":
                    points, use = fgd(node, pod, pods)
                else:
                    points, use = score[policy](node, pod), tight(node, pod)
                if points > best:
                    best, place, gpus = points, number, use
        chosen.append(place)
        if place >= 0:
            nodes[place] = with_pod(nodes[place], pod, gpus)
    return chosen


@given(node_tables(), streams, st.sampled_from(POLICIES))
@settings(max_examples=300, deadline=None)
def test_placements_equal_the_slow_and_obvious_ones(
    table: NodeTable, pods: list[Demand], policy: str
) -> None:
    assert pack(table, pods, policy, pods).nodes == slow_pack(table, pods, policy)


@given(node_tables(), streams, st.sampled_from(POLICIES))
@settings(max_examples=100, deadline=None)
def test_nothing_is_overdrawn_and_all_comes_back(
    table: NodeTable, pods: list[Demand], policy: str
) -> None:
    fleet, taken = Fleet(table), []
    packer = chooser(policy, fleet, [*pods, Demand(0, 0, 1, 500)])
    for pod in pods:
        found = packer.choose(pod)
        if found is not None:
            fleet.take(found[0], pod, found[1])
            packer.placed(found[0], pod)
            taken.append((found[0], pod, found[1]))
        assert fleet.cpu.min() >= 0
        assert fleet.memory.min() >= 0
        assert all(0 <= milli <= WHOLE for left in fleet.gpus for milli in left)
    for node, pod, gpus in taken:
        fleet.give(node, pod, gpus)
    fresh = Fleet(table)
    for name in ("cpu", "memory", "whole", "most", "idle"):
        assert (getattr(fleet, name) == getattr(fresh, name)).all(), name


def test_a_fleet_without_gpus_has_no_curve() -> None:
    table = NodeTable(["a"], [1000], [1000], [0])
    result = pack(table, [Demand(500, 0, 0, 0), Demand(0, 0, 1, WHOLE)], "bestfit", [])
    assert (result.nodes, result.curve()) == ([0, -1], [])
