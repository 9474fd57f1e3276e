"""What an engineer types first is printed as the tools print it, and tells the same as everything else."""

from __future__ import annotations

import re
from functools import cache

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.console import Console, Reply
from scenarios.troubleshooting.levels import QUIET
from scenarios.troubleshooting.texts.harmless import CHANGES, changed, lines
from scenarios.troubleshooting.texts.kernel import kernel_lines
from scenarios.troubleshooting.texts.train_log import train_log
from scenarios.troubleshooting.truth import Incident, make_incident


@cache
def made(level: str, seed: int) -> Incident:
    return make_incident(DEFAULT, QUIET[level], seed)


@cache
def console(seed: int = 1) -> Console:
    return Console(made("mid", seed))


def run(line: str, seed: int = 1, host: str = "") -> Reply:
    return console(seed).run(host or made("mid", seed).slow.nodes[0], line.split())


def test_top_prints_its_columns_as_wide_as_they_are() -> None:
    rows = run("top -b -n 1").stdout.splitlines()
    head = next(row for row in rows if "PID USER" in row)
    for row in rows[rows.index(head) + 1 :]:
        assert re.fullmatch(
            r" *\d+ \S{1,8} +20   0 +[\d.]+[mgt]? +[\d.]+[mgt]? +[\d.]+[mgt]? [RS] +[\d.]+ +[\d.]+ +"
            r"\d+:\d\d(\.\d\d)? \S+",
            row,
        ), row
        assert row.index(" 20   0") == head.index("  PR") + 1
    assert re.fullmatch(r"MiB Mem : .{9}total, .{9}free, .{9}used, .{9}buff/cache", rows[3])
    one = run(f"top -p {rows[rows.index(head) + 1].split()[0]}").stdout.splitlines()
    assert len(one) == rows.index(head) + 2
    assert run("top -o NOTHING").code == 1


@pytest.mark.parametrize("host", ["", "oss01"])
def test_vmstat_top_and_uptime_tell_of_one_load(host: str) -> None:
    rows = [row.split() for row in run("vmstat 1 3", host=host).stdout.splitlines()[2:]]
    assert len(rows) == 3
    load = float(run("uptime", host=host).stdout.rpartition("load average: ")[2].split(",")[0])
    assert all(abs(int(row[0]) - load) <= max(1.0, 0.15 * load) for row in rows)
    page = run("top -b -n 1", host=host).stdout
    cpus = re.search(r"Cpu\(s\): +([\d.]+) us, +([\d.]+) sy.* ([\d.]+) wa", page)
    assert cpus is not None
    assert all(
        abs(int(row[at]) - float(cpus[n])) <= 0.6 for row in rows for n, at in ((1, 12), (2, 13))
    )


def test_an_interface_is_told_in_full() -> None:
    shown = run("ethtool ens1f0np0").stdout
    assert len(shown.splitlines()) >= 25
    assert "\tSupported link modes:   1000baseKX/Full\n" in shown
    assert "\tSpeed: 100000Mb/s\n" in shown
    assert shown.endswith("\tLink detected: yes\n")
    hca = made("mid", 1).plant.node(made("mid", 1).slow.nodes[0]).hcas[3]
    assert f"bus-info: {hca.bus_id}\n" in run("ethtool -i ib3").stdout


def test_profiling_fields_of_multiprocessors_are_read() -> None:
    rows = run("dcgmi dmon -e 1001,1002,1003,1004,1005 -c 1").stdout.splitlines()
    assert rows[0].split() == ["#Entity", "GRACT", "SMACT", "SMOCC", "TENSO", "DRAMA"]
    for row in rows[2:]:
        graphics, active, occupied, tensor, _ = map(float, row.split()[2:])
        assert graphics >= active >= tensor
        assert active > occupied
    assert run("dcgmi dmon -e 1001,4711 -c 1").code == 255


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("strace -p {pid}", "ptrace(PTRACE_SEIZE, {pid}): Operation not permitted"),
        ("strace -p 4000000", "No such process"),
        ("perf top", "perf_event_paranoid"),
        ("py-spy dump --pid {pid}", "Permission Denied"),
    ],
)
def test_tools_that_look_into_others_processes_are_there_and_refuse(line: str, said: str) -> None:
    pid = run("pgrep -f train.py").stdout.split()[0]
    reply = run(line.format(pid=pid))
    assert said.format(pid=pid) in reply.stderr
    assert reply.code not in (0, 127)
    assert "train.py" in run("htop").stdout


def test_ibdiagnet_warns_of_the_ports_that_count_errors() -> None:
    """Its variant has a link that flaps; a host without an adapter cannot ask."""
    shown = run("ibdiagnet").stdout
    assert "-W- leaf04/P10 - link_down_counter" in shown
    counted = re.search(r"-I- Port Counters +(\d+)", shown)
    assert counted is not None
    assert int(counted[1]) == shown.count("(threshold 0)")
    storage = made("mid", 1).plant.storage.mds
    assert run("ibdiagnet", host=storage).code != 0


def test_healthy_gpus_name_what_keeps_them_below_their_top_clock() -> None:
    fields = "clocks.sm,clocks.max.sm,clocks_event_reasons.active"
    shown = run(f"nvidia-smi --query-gpu={fields} --format=csv,noheader,nounits", seed=4).stdout
    for row in shown.splitlines():
        clock, top, reasons = row.split(", ")
        assert int(clock) == int(top) or int(reasons, 16) != 0


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_says_once_what_it_says_once(seed: int) -> None:
    incident = made("mid", seed)
    traces = list(incident.traces())
    for node in incident.plant.nodes:
        told = [line.text for line in kernel_lines(incident, node.name, traces)]
        for once in ("hrtimer: interrupt", "squashfs: version", "Command line", "Linux version"):
            assert sum(text.startswith(once) for text in told) <= 1
        limits = [text for text in told if text.startswith("perf: interrupt")]
        assert len(limits) == len(set(limits))


@pytest.mark.parametrize("run_name", ["slow", "baseline"])
def test_no_two_batches_wait_alike(run_name: str) -> None:
    waits = re.findall(r"data_time=([\d.]+)", train_log(made("mid", 3), run_name).text())
    assert len(waits) == 600
    assert len(set(waits)) > 8
    assert len(set(waits[:40])) > 3


def test_harmless_changes_differ_from_variant_to_variant() -> None:
    drawn = [frozenset(changed(made("mid", seed).seed)) for seed in range(12)]
    assert len(set(drawn)) > 10
    assert all(3 <= len(one) <= 6 for one in drawn)
    for change in CHANGES:
        assert sum(change.before in one for one in drawn) < 9, change
    for file in {change.file for change in CHANGES}:
        for before, now in lines(made("mid", 0).seed, file):
            assert before != now or before not in changed(made("mid", 0).seed)
