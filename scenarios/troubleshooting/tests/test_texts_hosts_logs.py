"""Logs, sensors, disks and transcripts of hosts: forms, tags where a trace stands, names that exist."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting.calendar import DAY, HOUR, MINUTE
from scenarios.troubleshooting.faults.base import Fault
from scenarios.troubleshooting.faults.cooling import FanFailure, RackInletHot
from scenarios.troubleshooting.faults.loader import CgroupLimit, RanksLostCpus
from scenarios.troubleshooting.faults.power import PowerBrake
from scenarios.troubleshooting.faults.slow_compute import GovernorPowersave, WrongSocket
from scenarios.troubleshooting.faults.storage import HEALTHY_AWAIT_MS, OstRebuild
from scenarios.troubleshooting.faults.transport import AcsEnabled, DriverMismatch
from scenarios.troubleshooting.herrings.base import Herring
from scenarios.troubleshooting.herrings.in_place import ClockAhead, HighLoad, SwapUsed, UnsetClock
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.tests.test_texts_hosts_smi import fault_of, holding, made
from scenarios.troubleshooting.texts.bmc import sdr, sel, sensor_list, sensors
from scenarios.troubleshooting.texts.disks import iostat, mdstat
from scenarios.troubleshooting.texts.kernel import dmesg, xid_text
from scenarios.troubleshooting.texts.lines import Document
from scenarios.troubleshooting.texts.owners import shown, universal
from scenarios.troubleshooting.texts.system_commands import server_transcript, transcript
from scenarios.troubleshooting.texts.system_documents import documents
from scenarios.troubleshooting.texts.system_host import boot_ms, looking, servers
from scenarios.troubleshooting.texts.system_journal import entries, journal
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import make_incident

VARIANTS = (("junior", 1), ("mid", 2), ("senior", 3))


@cache
def written(level: str, seed: int) -> dict[str, Document]:
    return {document.path: document for document in documents(made(level, seed))}


@cache
def hosts_of(level: str, seed: int) -> tuple[str, ...]:
    incident = made(level, seed)
    return (*(node.name for node in incident.plant.nodes), *servers(incident))


@pytest.fixture(params=VARIANTS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def variant(request: pytest.FixtureRequest) -> tuple[str, int]:
    pair: tuple[str, int] = request.param
    return pair


def tagged(document: Document) -> list[tuple[int, str, str]]:
    return [(line.at_ms, line.text, line.tag) for line in document.lines if line.tag]


@pytest.mark.by_day(but=["mid-2", "senior-3"])
def test_every_trace_of_a_host_stands_once_in_its_log(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    for trace in incident.traces():
        if trace.at_ms >= incident.calendar.window_end:
            continue
        texts = _texts_of(trace)
        for path, text in texts.items():
            found = [
                (at, tag)
                for at, line, tag in tagged(files[path])
                if line.endswith(text) and at == trace.at_ms
            ]
            assert found == [(trace.at_ms, trace.tag)], (path, text)


def _texts_of(trace: Trace) -> dict[str, str]:
    """Path -> how the line of this trace ends, for the kinds that hosts write."""
    host = trace.host
    if trace.kind == "syslog.line":
        return {f"logs/{host}/journal.log": str(trace.fields["text"])}
    if trace.kind in ("dmesg.line", "dmesg.xid"):
        text = xid_text(trace) if trace.kind == "dmesg.xid" else str(trace.fields["text"])
        return {f"nodes/{host}/dmesg.txt": text, f"logs/{host}/journal.log": text}
    if trace.kind == "sel.event":
        fields = trace.fields
        text = f"| {fields['sensor']} | {fields['event']} | {fields['direction']}"
        return {f"nodes/{host}/ipmi-sel.txt": text}
    if trace.kind == "facility.line":
        return {"facility/bms.log": str(trace.fields["text"])}
    return {}


@pytest.mark.by_day(but=["mid-2", "senior-3"])
def test_logs_hold_no_tag_that_no_trace_explains(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    end = incident.calendar.window_end
    seen = [trace for trace in incident.traces() if trace.at_ms < end]
    told = Counter((path, trace.tag) for trace in seen for path in _texts_of(trace))
    introduced = (
        "NVRM: GPU at PCI",
        "NVRM: GPU Board Serial",
        "NVRM: loading NVIDIA",
        "supply air",
    )
    for path, document in files.items():
        if not path.endswith(("journal.log", "dmesg.txt", "ipmi-sel.txt", "bms.log")):
            continue
        found = Counter(
            (path, tag)
            for _, text, tag in tagged(document)
            if not any(word in text for word in introduced)
            or any(text.endswith(str(t.fields.get("text", "-"))) for t in seen)
        )
        assert found == Counter({key: count for key, count in told.items() if key[0] == path})


@pytest.mark.by_day(but=["senior-3"])
def test_every_cause_and_herring_of_hosts_is_evident_somewhere(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    kinds = ("dmesg", "syslog", "sel", "sensors", "facility")
    wanted = {trace.tag for trace in incident.traces() if trace.artefact in kinds}
    assert wanted <= {tag for document in files.values() for tag in document.evidence()}


def test_logs_are_in_order_and_their_times_are_the_sites(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    for host in hosts_of(*variant):
        lines = files[f"logs/{host}/journal.log"].lines
        assert all(a.at_ms <= b.at_ms for a, b in pairwise(lines))
        assert lines[-1].at_ms < incident.calendar.window_end
        for line in (lines[0], lines[-1]):
            stamp, name = line.text.split()[:2]
            assert name == host
            assert stamp == f"{shown(incident, host, line.at_ms):%Y-%m-%dT%H:%M:%S%z}"


def test_logs_of_a_day_are_as_many_as_a_real_site_writes(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    start, end = incident.calendar.window_start, incident.calendar.window_end
    count = sum(
        start <= line.at_ms
        for host in hosts_of(*variant)
        for line in files[f"logs/{host}/journal.log"].lines
    )
    assert 12_000 < count / ((end - start) / DAY) < 26_000


def test_a_node_was_started_during_the_maintenance_and_loads_its_driver(
    variant: tuple[str, int],
) -> None:
    incident, files = made(*variant), written(*variant)
    for node in incident.plant.nodes:
        boot = boot_ms(incident, node.name, list(incident.traces()))
        assert 0 < boot - incident.calendar.maintenance < 6 * HOUR
        events = files[f"nodes/{node.name}/ipmi-sel.txt"].lines
        off = max(line.at_ms for line in events if "Power off/down | Asserted" in line.text)
        assert 5 * MINUTE < boot - off < 15 * MINUTE
        text = files[f"nodes/{node.name}/dmesg.txt"].text()
        assert all(
            f"mlx5_core {hca.bus_id}: firmware version: {hca.firmware}" in text for hca in node.hcas
        )


def test_identifiers_exist_in_the_plant(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    plant = incident.plant
    uuids = {gpu.uuid for node in plant.nodes for gpu in node.gpus}
    buses = {gpu.bus_id for node in plant.nodes for gpu in node.gpus}
    jobs = {job.id for job in incident.jobs}
    users = {job.user for job in incident.jobs}
    for path, document in files.items():
        text = document.text()
        assert set(re.findall(r"GPU-[0-9a-f]{8}-[0-9a-f-]{27}", text)) <= uuids, path
        assert set(re.findall(r"00000000:[0-9A-F]{2}:00\.0", text)) <= buses, path
        assert {int(n) for n in re.findall(r"\bjob (\d{5,6})\b", text)} <= jobs, path
        assert set(re.findall(r"job \d+ user (\w+)", text)) <= users, path


def test_jobs_in_a_nodes_journal_ran_there(variant: tuple[str, int]) -> None:
    incident, files = made(*variant), written(*variant)
    for node in incident.plant.nodes:
        lines = files[f"logs/{node.name}/journal.log"].lines
        began = {
            int(found[1])
            for line in lines
            if (found := re.search(r"slurm-prolog\S* job (\d+) ", line.text))
        }
        start = incident.calendar.window_start
        ran = {
            j.id
            for j in incident.jobs
            if node.name in j.nodes and j.start_ms and j.start_ms >= start
        }
        assert began == ran


def test_same_variant_is_the_same_bytes() -> None:
    once = {d.path: d for d in documents(make_incident(DEFAULT, LEVELS["mid"], 2))}
    assert once == written("mid", 2)


@pytest.mark.parametrize("gpu", ["A100", "B200"])
def test_other_clusters_have_their_documents(gpu: str) -> None:
    incident = make_incident(Profile(nodes=8, gpus_per_node=4, gpu=gpu), LEVELS["junior"], 2)
    files = list(documents(incident))
    assert len({document.path for document in files}) == len(files)
    assert all(document.lines for document in files)


@pytest.mark.nightly
def test_a_clock_that_is_ahead_shows_in_everything_that_the_host_writes() -> None:
    incident = holding(ClockAhead)
    herring = fault_of(incident, ClockAhead)
    traces = list(incident.traces())
    own = next(t for t in traces if t.tag == herring.key)
    line = next(e for e in entries(incident, herring.host, traces) if e.tag == herring.key)
    assert line.at_ms == own.at_ms
    text = next(
        t for _, t, tag in tagged(journal(incident, herring.host, traces)) if tag == herring.key
    )
    ahead = incident.calendar.local(own.at_ms + herring.offset_ms)
    assert text.startswith(f"{ahead:%Y-%m-%dT%H:%M:%S%z}")
    node = incident.plant.node(herring.host)
    rows = transcript(incident, node, looking(incident))
    assert any("synchronized: no" in line.text and line.tag == herring.key for line in rows)


@pytest.mark.nightly
def test_an_event_log_prints_utc_and_an_unset_clock_1970() -> None:
    incident = holding(UnsetClock)
    herring, traces = fault_of(incident, UnsetClock), list(incident.traces())
    told = [
        text for _, text, tag in tagged(sel(incident, herring.host, traces)) if tag == herring.key
    ]
    assert told
    assert all("/1970 |" in text for text in told)
    incident = holding(FanFailure)
    fault, traces = fault_of(incident, FanFailure), list(incident.traces())
    first = next(t for _, t, tag in tagged(sel(incident, fault.node, traces)) if tag == fault.key)
    assert f"{universal(fault.failed_ms):%m/%d/%Y | %H:%M:%S}" in first


@pytest.mark.nightly
def test_sensors_agree_with_the_truth_and_with_their_thresholds() -> None:
    incident = holding(FanFailure)
    fault, at = fault_of(incident, FanFailure), looking(incident)
    found = {one.name: one for one in sensors(incident, incident.plant.node(fault.node), at)}
    assert (found[f"{fault.fan} Tach"].reading, found[f"{fault.fan} Tach"].status) == (0, "nr")
    assert found[f"GPU{fault.gpus[0] + 1} Temp"].tag == fault.key
    incident = holding(PowerBrake)
    brake, at = fault_of(incident, PowerBrake), looking(incident)
    found = {one.name: one for one in sensors(incident, incident.plant.node(brake.node), at)}
    dead = {name for name, one in found.items() if one.unit == "Watts" and one.status == "cr"}
    assert dead == {f"{supply} Input Power" for supply in brake.supplies}
    incident = holding(RackInletHot)
    hot, at = fault_of(incident, RackInletHot), looking(incident)
    for node in incident.plant.nodes:
        inlet = sensors(incident, node, at)[0]
        assert (inlet.status == "nc") == (node.name in hot.nodes)


def test_sensor_listings_have_ten_and_five_columns() -> None:
    incident = made("mid", 2)
    node, at = incident.plant.nodes[0], looking(incident)
    assert {line.text.count("|") for line in sensor_list(incident, node, at).lines} == {9}
    assert {line.text.count("|") for line in sdr(incident, node, at).lines} == {4}


def test_one_array_rebuilds_and_its_target_alone_is_slow() -> None:
    incident = holding(OstRebuild)
    fault, at = fault_of(incident, OstRebuild), looking(incident)
    rows = [line for line in iostat(incident, fault.oss, at, 1).lines if line.text.startswith("md")]
    waits = {line.text.split()[0]: float(line.text.split()[5]) for line in rows}
    slow = waits.pop(fault.device)
    assert slow == pytest.approx(fault.times * HEALTHY_AWAIT_MS, rel=0.2)
    assert max(waits.values()) < slow / 2
    table = mdstat(incident, fault.oss, at)
    told = [text for _, text, tag in tagged(table) if tag == fault.key]
    part = (at - fault.start_ms) / (fault.end_ms - fault.start_ms)
    assert any(f"recovery = {100 * part:4.1f}%" in text for text in told)
    assert any(f"{fault.disk}[" in text and "(F)" in text for text in told)
    disks = re.findall(r"(\w+|dm-\d+)\[\d+\]", table.text())
    assert len(disks) == len(set(disks))


def test_iostat_has_a_value_for_every_column() -> None:
    incident = made("mid", 2)
    lines = [line.text for line in iostat(incident, "oss01", looking(incident), 1).lines]
    head = next(line for line in lines if line.startswith("Device"))
    rows = [line for line in lines if line.startswith("md")]
    assert len(rows) == 8
    assert {len(row.split()) for row in rows} == {len(head.split())}
    assert all(0 <= float(row.split()[-1]) <= 100 for row in rows)


@pytest.mark.parametrize(
    ("kind", "shows"),
    [
        (GovernorPowersave, 'The governor "powersave"'),
        (WrongSocket, "Cpus_allowed_list:\t0-55,112-167"),
        (RanksLostCpus, "Cpus_allowed_list:\t14,126"),
        (CgroupLimit, "1600000 100000"),
        (AcsEnabled, "SrcValid+"),
        (HighLoad, "load average: "),
    ],
)
def test_transcripts_show_what_a_command_would(kind: type, shows: str) -> None:
    incident = holding(kind)
    fault: Fault | Herring = fault_of(incident, kind)
    places = fault.places() if isinstance(fault, Fault) else (fault.host,)
    at = looking(incident)
    for node in incident.training.nodes:
        rows = transcript(incident, node, at)
        hit = any(shows in line.text and line.tag == fault.key for line in rows)
        assert hit == (node.name in places)


def test_without_the_peer_memory_module_its_line_is_missing() -> None:
    incident = holding(DriverMismatch)
    fault, at = fault_of(incident, DriverMismatch), looking(incident)
    for node in incident.training.nodes:
        text = "\n".join(line.text for line in transcript(incident, node, at))
        assert ("\nnvidia_peermem " in text) != (node.name in fault.nodes)


@pytest.mark.nightly
def test_a_little_swap_is_used_where_the_herring_says() -> None:
    incident = holding(SwapUsed)
    herring, at = fault_of(incident, SwapUsed), looking(incident)
    nodes = {node.name: node for node in incident.plant.nodes}
    if herring.host in nodes:
        rows = transcript(incident, nodes[herring.host], at)
    else:
        rows = server_transcript(incident, herring.host, at)
    assert [line.text.split()[2] for line in rows if line.tag == herring.key] == ["142"]


def test_dmesg_counts_local_time_and_knows_the_bus() -> None:
    incident = made("mid", 2)
    node = incident.plant.nodes[3]
    lines = dmesg(incident, node.name, list(incident.traces())).lines
    assert all(
        re.match(r"\[\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d 2026\] ", line.text) for line in lines
    )
