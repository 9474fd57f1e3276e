from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.placement.scale_up import PodGroup, Template, estimate_nodes
from scenarios.simulator.tests.shared import shared


def test_new_nodes_equal_every_case_of_the_cluster_autoscaler() -> None:
    text = shared("reference/ca_binpacking.json").read_text(encoding="utf-8")
    cases = json.loads(text)["cases"]
    assert len(cases) == 7
    for case in cases:
        node = case["node"]
        template = Template({"cpu": node["cpu"], "mem": node["mem"]}, node.get("pods_per_node", 10))
        groups = [
            PodGroup(
                group["n"],
                {"cpu": group["cpu"], "mem": group["mem"]},
                1 if group.get("exclusive_per_node") else group.get("max_skew_per_host"),
            )
            for group in case["groups"]
        ]
        result = estimate_nodes(template, groups, case.get("max_nodes") or 10**9)
        assert (result.nodes, sum(result.placed)) == (case["want_nodes"], case["want_pods"])
        if "want_all_from_group" in case:
            assert result.placed[case["want_all_from_group"]] == case["want_pods"]


def test_pods_that_fit_no_template_bring_no_node() -> None:
    result = estimate_nodes(
        Template({"cpu": 4}), [PodGroup(3, {"cpu": 5}), PodGroup(2, {"gpu": 1})]
    )
    assert (result.nodes, result.placed) == (0, [0, 0])


def test_one_scale_up_stops_at_its_cap() -> None:
    assert estimate_nodes(Template({"cpu": 1}), [PodGroup(5000, {"cpu": 1})]).nodes == 1000


groups_drawn = st.lists(
    st.tuples(
        st.integers(1, 6), st.integers(1, 5), st.integers(0, 3), st.none() | st.integers(1, 2)
    ),
    max_size=4,
)


@given(groups_drawn, st.integers(1, 6))
def test_estimate_equals_first_fit_pod_by_pod(
    drawn: list[tuple[int, int, int, int | None]], most: int
) -> None:
    groups = [PodGroup(n, {"cpu": cpu, "gpu": gpu}, per) for n, cpu, gpu, per in drawn]
    template = Template({"cpu": 6, "gpu": 4}, 3)
    nodes: list[list[int]] = []

    def fits(node: list[int], number: int) -> bool:
        asked, per = groups[number].amounts, groups[number].per_node
        return (
            len(node) < 3
            and sum(groups[other].amounts["cpu"] for other in node) + asked["cpu"] <= 6
            and sum(groups[other].amounts["gpu"] for other in node) + asked["gpu"] <= 4
            and (per is None or node.count(number) < per)
        )

    order = sorted(
        range(len(groups)),
        key=lambda g: -(groups[g].amounts["cpu"] / 6 + groups[g].amounts["gpu"] / 4),
    )
    for number in order:
        for _ in range(groups[number].count):
            home = next((node for node in nodes if fits(node, number)), None)
            if home is None and len(nodes) < most:
                nodes.append(home := [])
            if home is not None:
                home.append(number)
    result = estimate_nodes(template, groups, most)
    assert result.nodes == len(nodes)
    assert result.placed == [
        sum(node.count(number) for node in nodes) for number in range(len(groups))
    ]
