"""/proc of a cluster's host agrees with its commands and charts, and knows nothing of any other machine."""

from __future__ import annotations

import re
from functools import cache

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.console import Console
from scenarios.troubleshooting.levels import QUIET
from scenarios.troubleshooting.truth import Incident, make_incident


@cache
def incident_of(level: str, seed: int) -> Incident:
    return make_incident(DEFAULT, QUIET[level], seed)


@pytest.fixture(scope="module")
def console() -> Console:
    return Console(incident_of("mid", 4))


@pytest.fixture(scope="module", params=["node", "server"])
def host(request: pytest.FixtureRequest) -> str:
    plant = incident_of("mid", 4).plant
    return incident_of("mid", 4).slow.nodes[0] if request.param == "node" else plant.storage.mds


def numbers(console: Console, host: str, name: str) -> dict[str, int]:
    rows = (re.split(r":?\s+", row) for row in console.files(host)[f"/proc/{name}"].splitlines())
    return {row[0]: int(row[1]) for row in rows}


def test_every_thread_has_its_paragraph_and_its_time(console: Console, host: str) -> None:
    threads = int(console.run(host, ["nproc"]).stdout)
    info = console.files(host)["/proc/cpuinfo"]
    assert info.count("\nprocessor\t: ") + 1 == threads
    assert len(set(re.findall(r"physical id\t: (\d)", info))) == 2
    assert "core id\t\t: 1\n" in info
    rows = re.findall(r"^cpu\d+ (.*)$", console.files(host)["/proc/stat"], re.MULTILINE)
    up = float(console.files(host)["/proc/uptime"].split()[0])
    assert len(rows) == threads
    assert all(abs(sum(map(int, row.split())) / 100 - up) < 0.1 for row in rows)
    heads = console.files(host)["/proc/interrupts"].splitlines()[0].split()
    assert heads == [f"CPU{cpu}" for cpu in range(threads)]


def test_processors_are_those_of_lscpu(console: Console) -> None:
    node = console.hosts[0]
    facts = dict(row.split(":", 1) for row in console.run(node, ["lscpu"]).stdout.splitlines())
    info = console.files(node)["/proc/cpuinfo"]
    for name, shown in (("  Model name", "model name"), ("    Stepping", "stepping")):
        assert re.search(rf"^{shown}\t+: {re.escape(facts[name].strip())}$", info, re.MULTILINE)


def test_load_and_time_are_those_of_uptime(console: Console, host: str) -> None:
    said = console.run(host, ["uptime"]).stdout
    loads = said.rpartition("load average: ")[2].strip().split(", ")
    assert console.files(host)["/proc/loadavg"].split()[:3] == loads
    days, hours, minutes = map(int, re.search(r"up (\d+) days, +(\d+):(\d+)", said).groups())  # type: ignore[union-attr]
    up = float(console.files(host)["/proc/uptime"].split()[0])
    assert up // 60 == (days * 24 + hours) * 60 + minutes


def test_memory_is_that_of_free(console: Console, host: str) -> None:
    cells = [int(n) for n in console.run(host, ["free", "-m"]).stdout.splitlines()[1].split()[1:]]
    found = numbers(console, host, "meminfo")
    assert found["MemTotal"] == cells[0] * 1024
    assert found["MemFree"] == cells[2] * 1024
    cache = found["Buffers"] + found["Cached"] + found["SReclaimable"]
    assert abs(cache / 1024 - cells[4]) < 2
    assert numbers(console, host, "vmstat")["nr_free_pages"] == found["MemFree"] // 4


def test_interfaces_are_those_of_ip(console: Console, host: str) -> None:
    rows = console.files(host)["/proc/net/dev"].splitlines()[2:]
    told = console.run(host, ["ip", "-s", "link", "show", "bond0"]).stdout
    received = next(row.split()[1] for row in rows if row.strip().startswith("bond0:"))
    assert received in told
    mac = re.search(r"link/ether (\S+)", told)
    assert mac is not None
    assert f"Permanent HW addr: {mac[1]}" in console.files(host)["/proc/net/bonding/bond0"]


def test_kernel_was_started_with_what_its_log_says(console: Console) -> None:
    node = console.hosts[0]
    asked = console.files(node)["/proc/cmdline"].strip()
    assert f"Command line: {asked}" in console.run(node, ["dmesg"]).stdout


def test_pressure_tells_of_the_variants_faults() -> None:
    """Where loaders wait for storage it shows; where they do not, it does not."""
    slow = {seed: incident_of("mid", seed) for seed in (3, 4)}
    waits = {}
    for seed, incident in slow.items():
        found = Console(incident).files(incident.slow.nodes[0])
        waits[seed] = {
            what: float(re.search(r"some avg10=([\d.]+)", found[f"/proc/pressure/{what}"])[1])  # type: ignore[index]
            for what in ("cpu", "io")
        }
    assert "nfs-slots-full" in {cause.key for cause in slow[4].causes}
    assert waits[4]["io"] > 15 > waits[3]["io"]
    assert waits[4]["cpu"] < 5
