"""The plant hangs together: every name once, every cable between two ports, rails on their leaves."""

from __future__ import annotations

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting.calendar import CELL, FIRST_DAY, HOUR, SECOND, draw_calendar
from scenarios.troubleshooting.hall import draw_plant


@pytest.mark.parametrize("nodes", [8, 20, 32, 33, 64])
def test_cables_join_each_port_once_and_rails_keep_to_their_leaf(nodes: int) -> None:
    plant = draw_plant(Profile(nodes=nodes), "plant")
    ends = [end for cable in plant.cables for end in (cable.a, cable.b)]
    assert len(ends) == len(set(ends))
    switches = {switch.name: switch for switch in (*plant.leaves, *plant.spines)}
    for end in ends:
        device, port = end.split("/")
        if device in switches:
            assert 1 <= int(port) <= switches[device].ports
    for node in plant.nodes:
        assert len({hca.leaf for hca in node.hcas}) == len(node.hcas)
    for leaf in plant.leaves:
        down = sum(cable.b.startswith(f"{leaf.name}/") for cable in plant.cables)
        assert len(plant.uplinks(leaf.name)) >= down


def test_twenty_nodes_have_eight_leaves_and_four_spines_with_five_links_each() -> None:
    plant = draw_plant(DEFAULT, "plant")
    assert (len(plant.leaves), len(plant.spines)) == (8, 4)
    assert len(plant.uplinks("leaf01")) == 20
    assert len(plant.cables) == 160 + 160


def test_identifiers_are_unique() -> None:
    plant = draw_plant(Profile(nodes=64), "plant")
    gpus = [gpu for node in plant.nodes for gpu in node.gpus]
    hcas = [hca for node in plant.nodes for hca in node.hcas]
    switches = [*plant.leaves, *plant.spines]
    assert len({gpu.uuid for gpu in gpus}) == len({gpu.serial for gpu in gpus}) == 512
    lids = [hca.lid for hca in hcas] + [switch.lid for switch in switches]
    guids = [hca.guid for hca in hcas] + [switch.guid for switch in switches]
    assert len(set(lids)) == len(lids)
    assert len(set(guids)) == len(guids)
    addresses = [ip for node in plant.nodes for ip in (node.host_ip, node.bond_ip, node.bmc_ip)]
    assert len(set(addresses)) == len(addresses)
    assert all(plant.gpu(gpu.name) == gpu for gpu in gpus)
    assert all(plant.hca(hca.name) == hca for hca in hcas)


@pytest.mark.parametrize("hours", [24, 48, 72])
def test_calendar_leaves_room_for_the_longest_run(hours: int) -> None:
    for seed in range(50):
        calendar = draw_calendar(hours, str(seed))
        assert calendar.window_start < calendar.job_start - 2 * HOUR
        assert calendar.job_start + 16.5 * HOUR < calendar.window_end
        assert calendar.baseline_start + 9 * HOUR < calendar.maintenance < calendar.window_start
        assert calendar.window_start % CELL == 0
        assert calendar.cells * CELL == hours * HOUR
        last = FIRST_DAY.timestamp() + 42 * 24 * 3_600
        assert FIRST_DAY.timestamp() * SECOND < calendar.baseline_start
        assert calendar.window_end < last * SECOND
        assert calendar.local(calendar.job_start).weekday() < 5
