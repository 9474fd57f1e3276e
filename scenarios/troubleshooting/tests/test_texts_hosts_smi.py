"""What `nvidia-smi` and `dcgmi` print: their shapes, and that they say what the truth says."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import numpy as np
import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting import physics
from scenarios.troubleshooting.faults.cooling import FanFailure, GpuThermalThrottle
from scenarios.troubleshooting.faults.links import NvlinkDegraded
from scenarios.troubleshooting.faults.power import ClocksPinned, PowerBrake, PowerCapLeft
from scenarios.troubleshooting.faults.transport import DriverMismatch, PcieDowntrained
from scenarios.troubleshooting.herrings.in_place import FewCorrectable, LimitTouched, RowSettled
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.signals.activity import activity
from scenarios.troubleshooting.signals.gpu_state import gpu_state
from scenarios.troubleshooting.signals.stage import slow_stage
from scenarios.troubleshooting.steps import rank_compute
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.smi_csv import UnknownField, query_apps, query_gpu
from scenarios.troubleshooting.texts.smi_health import diag, health
from scenarios.troubleshooting.texts.smi_live import UnknownGroup, dmon, pmon
from scenarios.troubleshooting.texts.smi_query import query
from scenarios.troubleshooting.texts.smi_state import GpuNow, gpu_now, node_now
from scenarios.troubleshooting.texts.smi_table import listed, table
from scenarios.troubleshooting.texts.system_host import looked_before, looking
from scenarios.troubleshooting.texts.topo import nvlink_status, topo
from scenarios.troubleshooting.truth import Incident, make_incident

T = TypeVar("T")


@cache
def made(level: str, seed: int) -> Incident:
    return make_incident(DEFAULT, LEVELS[level], seed)


@cache
def holding(kind: type) -> Incident:
    """The first variant in which this cause or herring stands."""
    for seed in range(60):
        for level in LEVELS:
            incident = made(level, seed)
            if any(isinstance(f, kind) for f in _drawn(incident)):
                return incident
    raise AssertionError(f"no variant holds {kind.__name__}")


def _drawn(incident: Incident) -> list[object]:
    return [*(cause.fault for cause in incident.causes), *incident.herrings]


def fault_of(incident: Incident, kind: type[T]) -> T:
    return next(f for f in _drawn(incident) if isinstance(f, kind))


def texts(lines: tuple[Line, ...]) -> list[str]:
    return [line.text for line in lines]


def trained_nodes(incident: Incident) -> tuple[Node, ...]:
    return incident.training.nodes


@pytest.mark.parametrize(("gpu", "width"), [("H100", 91), ("H200", 91), ("B200", 91), ("A100", 79)])
def test_the_table_has_the_width_of_its_driver(gpu: str, width: int) -> None:
    incident = make_incident(Profile(gpu=gpu), LEVELS["junior"], 4)
    at = looking(incident)
    for node in (trained_nodes(incident)[0], incident.plant.nodes[-1]):
        rows = texts(table(incident, node, at))[1:]
        assert {len(row) for row in rows} == {width}
        assert sum(gpu.bus_id in row for row in rows for gpu in node.gpus) == len(node.gpus)


def test_the_table_names_the_driver_that_a_node_has() -> None:
    incident = holding(DriverMismatch)
    fault, at = fault_of(incident, DriverMismatch), looking(incident)
    for node in trained_nodes(incident):
        head = table(incident, node, at)[2]
        stricken = node.name in fault.nodes
        assert (fault.driver if stricken else fault.fleet) in head.text
        assert head.tag == (fault.key if stricken else None)


def test_a_listing_gives_every_uuid_once() -> None:
    incident = made("mid", 3)
    node = incident.plant.nodes[2]
    assert [row.split("UUID: ")[1][:-1] for row in texts(listed(incident, node, 0))] == [
        gpu.uuid for gpu in node.gpus
    ]


@pytest.mark.nightly
def test_memory_adds_up_and_power_stays_below_its_limit() -> None:
    for level, seed in (("junior", 1), ("mid", 2), ("senior", 3), ("senior", 4)):
        incident = made(level, seed)
        for moment in range(6):
            at = looking(incident) + moment * 1_000
            for node in trained_nodes(incident):
                for now in node_now(incident, node, at):
                    assert now.used_mib + now.free_mib + now.reserved_mib == now.total_mib
                    assert now.watts <= now.limit_w
                    assert now.core_c <= physics.limit_c(incident.plant) + 1
                    assert (now.phase == "idle") == (now.job is None)


def test_healthy_gpus_compute_at_the_load_clock() -> None:
    incident = made("mid", 3)
    at, plant = looking(incident), incident.plant
    stricken = {e.subject for e in incident.condition.effects if e.field != "workers"}
    stricken -= {e.subject for e in incident.condition.effects if e.field == "throttled"}
    seen = 0
    for node in trained_nodes(incident):
        for now in node_now(incident, node, at):
            if now.gpu.name in stricken or node.name in stricken:
                continue
            seen += 1
            assert now.phase == "compute"
            assert abs(now.sm_mhz - physics.load_clock(plant)) <= 15
            assert now.watts == pytest.approx(physics.load_power(plant), rel=0.04)
            assert abs(now.core_c - 62 - now.gpu.warmth) <= 2
            # Below its top clock something holds it: its power.
            assert now.reasons == 0x4
    assert seen > 20


@pytest.mark.parametrize("kind", [GpuThermalThrottle, PowerCapLeft, PowerBrake, FanFailure])
@pytest.mark.by_day(but=["PowerBrake"])
def test_readings_agree_with_the_metrics_of_the_same_minutes(kind: type) -> None:
    incident = holding(kind)
    at, stage = looking(incident), slow_stage(incident)
    cell = incident.calendar.cell(at)
    near = slice(cell - 40, cell + 40)
    for node in trained_nodes(incident):
        doing = activity(stage, node)
        state = gpu_state(stage, node, doing)
        for now in node_now(incident, node, at):
            row = now.gpu.index
            assert now.used_mib == doing.used[row, cell]
            assert abs(now.core_c - np.median(state.core[row, near])) <= 4
            if now.reasons != 0x88:
                assert abs(now.sm_mhz - np.median(state.clock[row, near])) <= 45
                assert now.watts == pytest.approx(float(state.watts[row, near].max()), rel=0.06)


def hottest(incident: Incident) -> GpuNow:
    fault = fault_of(incident, GpuThermalThrottle)
    return gpu_now(incident, incident.plant.node(fault.node).gpus[fault.gpu], looking(incident))


def test_a_throttled_gpu_shows_heat_clock_power_and_reason_together() -> None:
    incident = holding(GpuThermalThrottle)
    fault, now = fault_of(incident, GpuThermalThrottle), hottest(incident)
    assert abs(now.sm_mhz - fault.clock_mhz) <= 30
    assert now.reasons == 0x48
    assert 85 <= now.core_c <= 89
    assert now.watts == pytest.approx(
        physics.power_at_clock(incident.plant, fault.clock_mhz), rel=0.06
    )
    text = query(incident, incident.plant.node(fault.node), now.at_ms, [fault.gpu])
    told = [line.text.split(":")[0].strip() for line in text if line.tag == fault.key]
    assert "HW Thermal Slowdown" in told
    assert "GPU T.Limit Temp" in told
    margin = next(line.text for line in text if "GPU T.Limit Temp" in line.text)
    assert abs(int(margin.split(":")[1].split()[0])) <= 2


def test_the_ranks_of_a_throttled_gpu_wait_least() -> None:
    """While everybody else waits in the collective, the slow GPU still computes."""
    incident = holding(GpuThermalThrottle)
    fault = fault_of(incident, GpuThermalThrottle)
    run, node = incident.run, incident.plant.node(fault.node)
    pace = rank_compute(incident.condition, node, fault.gpu)
    own = float(pace[incident.calendar.cell(looking(incident))])  # type: ignore[index]
    step = run.step_at(looking(incident))
    late = int(run.starts[step] + 1000 * (run.data[step] + own) - 150)
    busy = gpu_now(incident, node.gpus[fault.gpu], late)
    other = gpu_now(incident, node.gpus[(fault.gpu + 1) % len(node.gpus)], late)
    assert (busy.phase, other.phase) == ("compute", "wait")
    assert other.util >= 98
    assert other.watts < 0.62 * physics.load_power(incident.plant)


def test_a_power_limit_is_flat_and_a_pinned_clock_gives_no_reason() -> None:
    incident = holding(PowerCapLeft)
    cap, at = fault_of(incident, PowerCapLeft), looking(incident)
    for now in node_now(incident, incident.plant.node(cap.nodes[0]), at):
        assert now.limit_w == cap.limit_w
        assert cap.limit_w - 3 <= now.watts <= cap.limit_w
        assert now.reasons == 0x4
        assert abs(now.sm_mhz - cap.clock_mhz) <= 15
    incident = holding(ClocksPinned)
    pinned, at = fault_of(incident, ClocksPinned), looking(incident)
    found = node_now(incident, incident.plant.node(pinned.node), at)
    assert {(now.sm_mhz, now.reasons) for now in found} == {(pinned.clock_mhz, 0)}


def test_before_the_maintenance_everything_is_healthy() -> None:
    for kind in (PowerCapLeft, ClocksPinned, GpuThermalThrottle, PcieDowntrained):
        incident = holding(kind)
        at = looked_before(incident)
        for node in incident.training.before:
            for now in node_now(incident, node, at):
                assert now.job is not None
                assert now.job.role == "baseline"
                assert abs(now.sm_mhz - physics.load_clock(incident.plant)) <= 15
                assert (now.pcie_width, now.limit_w) == (16, incident.plant.top_w)


def test_the_long_form_has_its_sections_in_order_and_only_those_asked_for() -> None:
    incident = made("mid", 3)
    node, at = trained_nodes(incident)[0], looking(incident)
    rows = texts(query(incident, node, at, [0]))
    heads = [row.strip() for row in rows if row.startswith("    ") and row[4] != " "]
    names = [head.split("  ")[0].split(" :")[0] for head in heads]
    wanted = (
        "Product Name",
        "GPU UUID",
        "PCI",
        "Clocks Event Reasons",
        "FB Memory Usage",
        "Utilization",
        "ECC Errors",
        "Remapped Rows",
        "Temperature",
        "GPU Power Readings",
        "Clocks",
        "Fabric",
        "Processes",
    )
    places = [names.index(name) for name in wanted]
    assert places == sorted(places)
    part = texts(query(incident, node, at, [1], ["POWER"]))
    assert any("Current Power Limit" in row for row in part)
    assert not any("Retired Pages" in row or "Product Name" in row for row in part)


def test_ampere_prints_absolute_temperatures() -> None:
    incident = make_incident(Profile(gpu="A100"), LEVELS["junior"], 4)
    rows = texts(query(incident, trained_nodes(incident)[0], looking(incident), [0]))
    assert any(row.strip().startswith("GPU T.Limit Temp") and row.endswith("N/A") for row in rows)
    assert any(row.split(":")[0].strip() == "GPU Slowdown Temp" for row in rows)
    assert any("Clocks Throttle Reasons" in row for row in rows)


def test_csv_has_units_in_the_heading_and_genuine_errors() -> None:
    incident = made("mid", 3)
    node, at = trained_nodes(incident)[0], looking(incident)
    fields = ["index", "power.draw", "clocks.sm", "clocks_event_reasons.active", "fan.speed"]
    rows = texts(query_gpu(incident, node, at, fields))
    assert (
        rows[0]
        == "index, power.draw [W], clocks.sm [MHz], clocks_event_reasons.active, fan.speed [%]"
    )
    first = rows[1].split(", ")
    assert first[1].endswith(" W")
    assert len(first[1].split(".")[1]) == 4
    assert first[3] == "0x0000000000000004"
    assert first[4] == "[N/A]"
    bare = texts(query_gpu(incident, node, at, fields, header=False, units=False))
    assert len(bare) == len(node.gpus)
    assert float(bare[0].split(", ")[1]) > 0
    with pytest.raises(UnknownField, match=r'^Field "foo" is not a valid field to query\.$'):
        query_gpu(incident, node, at, ["index", "foo"])
    apps = texts(query_apps(incident, node, at, ["gpu_uuid", "pid", "used_memory"]))
    assert [row.split(", ")[0] for row in apps[1:]] == [gpu.uuid for gpu in node.gpus]


def test_one_narrow_slot_and_one_link_counter_are_told() -> None:
    incident = holding(PcieDowntrained)
    fault, at = fault_of(incident, PcieDowntrained), looking(incident)
    fields = ["index", "pcie.link.width.current"]
    rows = query_gpu(incident, incident.plant.node(fault.node), at, fields, header=False)
    assert {line.text for line in rows if line.tag == fault.key} == {f"{fault.gpu}, 8"}
    assert {line.text.split(", ")[1] for line in rows if line.tag is None} == {"16"}


def test_inactive_nvlinks_are_those_of_the_truth() -> None:
    incident = holding(NvlinkDegraded)
    fault, at = fault_of(incident, NvlinkDegraded), looking(incident)
    for node in trained_nodes(incident):
        lines = nvlink_status(incident, node, at)
        dead = [line.text.split(":")[0].split()[-1] for line in lines if "<inactive>" in line.text]
        assert dead == ([str(link) for link in fault.down] if node.name == fault.node else [])
        matrix = texts(topo(incident, node, at))[1 : 1 + len(node.gpus)]
        for index, row in enumerate(matrix):
            hurt = (node.name, index) == (fault.node, fault.gpu)
            whole = f"NV{incident.plant.nvlinks}"
            assert (whole in row) != hurt
            assert row.split("\t")[index + 1] == " X "


def test_corrected_errors_and_a_settled_row_stand_where_the_herrings_say() -> None:
    for kind, label in ((FewCorrectable, "DRAM Correctable"), (RowSettled, "Uncorrectable Error")):
        incident = holding(kind)
        herring = fault_of(incident, kind)
        assert isinstance(herring, (FewCorrectable, RowSettled))
        text = query(incident, incident.plant.node(herring.host), looking(incident), [herring.gpu])
        told = [line.text for line in text if line.tag == herring.key]
        count = herring.count if isinstance(herring, FewCorrectable) else 1
        assert any(
            row.split(":")[0].strip() == label and row.endswith(f": {count}") for row in told
        )


def test_a_gpu_that_touches_its_limit_does_so_in_one_second_of_ten() -> None:
    incident = holding(LimitTouched)
    herring, at = fault_of(incident, LimitTouched), looking(incident)
    gpu = incident.plant.node(herring.host).gpus[herring.gpu]
    seconds = [gpu_now(incident, gpu, at + 1_000 * second) for second in range(60)]
    touches = [now.watts > incident.plant.top_w - 6.6 for now in seconds]
    assert touches[0]
    assert 1 <= sum(touches) <= 6
    rows = query(incident, incident.plant.node(herring.host), at, [herring.gpu], ["PERFORMANCE"])
    assert any("SW Power Cap" in line.text and line.tag == herring.key for line in rows)


def test_dmon_and_pmon_have_two_heads_and_a_row_for_each_gpu_and_second() -> None:
    incident = made("mid", 3)
    node, at = trained_nodes(incident)[0], looking(incident)
    rows = texts(dmon(incident, node, at, 3, "pucvmet"))
    assert rows[0].split()[:4] == ["#", "gpu", "pwr", "gtemp"]
    assert [len(row.split()) for row in rows[2:]] == [len(rows[0].split()) - 1] * 24
    assert len(pmon(incident, node, at)) == 2 + len(node.gpus)
    with pytest.raises(UnknownGroup):
        dmon(incident, node, at, 1, "pz")


def test_diagnostics_are_boxed_and_pass_where_nothing_is_watched() -> None:
    incident = holding(GpuThermalThrottle)
    fault, at = fault_of(incident, GpuThermalThrottle), looking(incident)
    node = incident.plant.node(fault.node)
    boxed = texts(diag(incident, node, at, 2))[1:]
    assert {len(row) for row in boxed} == {78}
    report = health(incident, node, at)
    assert any(line.tag == fault.key and f"GPU {fault.gpu}" in line.text for line in report)
    well = next(n for n in trained_nodes(incident) if n.name != fault.node)
    assert "Healthy" in "".join(texts(health(incident, well, at)))
