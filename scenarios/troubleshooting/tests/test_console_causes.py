"""Every cause shows where an expert would look for it with a command, and nowhere else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.console import Console
from scenarios.troubleshooting.faults import Fault
from scenarios.troubleshooting.faults.links import NvlinkDegraded
from scenarios.troubleshooting.faults.loader import CheckpointOnDisks
from scenarios.troubleshooting.faults.power import PowerCapLeft
from scenarios.troubleshooting.faults.shared import MetadataStorm, NameServiceSlow, NfsSlotsFull
from scenarios.troubleshooting.faults.slow_compute import WrongSocket
from scenarios.troubleshooting.faults.storage import FramesTooLarge, OstRebuild
from scenarios.troubleshooting.faults.transport import AcsEnabled, DriverMismatch, PcieDowntrained
from scenarios.troubleshooting.faults.uplinks import SpineDown
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.truth import Incident, make_incident

VARIANTS = tuple((level, seed) for seed in range(3) for level in LEVELS)


@cache
def consoles() -> tuple[tuple[Incident, Console], ...]:
    found = (make_incident(DEFAULT, LEVELS[level], seed) for level, seed in VARIANTS)
    return tuple((incident, Console(incident)) for incident in found)


def out(asked: Console, host: str, command: str) -> str:
    return asked.run(host, shlex.split(command)).stdout


def healthy(incident: Incident) -> str:
    """A node of the job that no cause or herring stands on."""
    struck = {
        place.partition("/")[0] for cause in incident.causes for place in cause.fault.places()
    }
    struck |= {herring.host for herring in incident.herrings}
    return next((n.name for n in incident.training.nodes if n.name not in struck), "")


Look = Callable[[Incident, Console, Fault], Iterator[tuple[str, str, str]]]
"""Yields (host, command, what its output must match; with "!" before it must not)."""


def _driver(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, DriverMismatch)
    for node in fault.nodes:
        version = re.escape(fault.driver)
        yield node, "nvidia-smi", f"Driver Version: {version}"
        yield node, "lsmod", "!nvidia_peermem  "
        yield (
            incident.plant.login,
            f"kubectl describe node {node}",
            f"driver-version.full={version}",
        )


def _acs(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, AcsEnabled)
    far = incident.plant.nodes[-1].name
    slow, full = (
        float(
            out(asked, fault.nodes[0], f"ib_write_bw {flag} --report_gbits {far}")
            .splitlines()[-2]
            .split()[3]
        )
        for flag in ("--use_cuda=0", "")
    )
    assert slow < 0.8 * full
    yield fault.nodes[0], "lspci -vvv", r"ACSCtl:\tSrcValid\+"


def _narrow(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, PcieDowntrained)
    bus = incident.plant.node(fault.node).gpus[fault.gpu].bus_id[9:].lower()
    yield fault.node, f"lspci -vvv -s {bus}", "downgraded"


def _spine(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, SpineDown)
    yield incident.plant.login, "iblinkinfo -d", "Down/ Polling"
    yield incident.plant.login, "ibswitches", f"!{fault.spine}"


def _rebuild(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, OstRebuild)
    yield (
        fault.oss,
        f"mdadm --detail /dev/{fault.device}",
        f"degraded, recovering[\\s\\S]*faulty   /dev/{fault.disk}",
    )
    shards = out(asked, incident.plant.login, f"lfs getstripe {fault.dataset}").count(
        "lmm_stripe_offset"
    )
    place = next(ost.index for ost in incident.plant.storage.osts if ost.name == fault.ost)
    yield incident.plant.login, f"lfs getstripe {fault.dataset}", f"lmm_stripe_offset: {place}\n"
    assert shards == 40


def _frames(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, FramesTooLarge)
    port = fault.ports.split("-")[0]
    yield fault.switch, f"ip link show {port}", "mtu 1500"
    yield fault.switch, f"ethtool -S {port}", "HwIfInOversizeFrames: [1-9]"
    yield fault.switch, "ethtool -S swp16", "HwIfInOversizeFrames: 0\n"
    odd = next(a for a in incident.plant.storage.oss_ips if int(a[-1]) % 2)
    yield (
        healthy(incident) or incident.plant.login,
        f"ping -M do -s 8972 -c 3 {odd}",
        "100% packet loss",
    )
    yield incident.plant.login, f"ping -M do -s 1472 -c 3 {odd}", " 0% packet loss"


def _slots(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, NfsSlotsFull)
    node = incident.training.nodes[1].name
    yield node, "mount -t nfs4", "!nconnect"
    backlog = float(out(asked, node, "nfsiostat").splitlines()[3].split()[1])
    assert backlog > 100
    other = next(n.name for n in incident.plant.nodes if n not in incident.training.nodes)
    assert float(out(asked, other, "nfsiostat").splitlines()[3].split()[1]) == 0


def _names(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    node = incident.training.nodes[0].name
    yield (
        node,
        "dig nfs01",
        f"communications error to {re.escape(fault.places()[0])}#53: timed out[\\s\\S]*ANSWER",
    )
    yield node, f"dig @{fault.places()[0]} nfs01", "no servers could be reached"


def _storm(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, MetadataStorm)
    yield incident.plant.login, f"ps -u {fault.user} -o args", "find .* -type f"
    yield incident.plant.storage.mds, "lctl get_param mdt.*.job_stats", f"find.{fault.user}@"


def _socket(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, WrongSocket)
    node = fault.places()[0].partition("/")[0]
    pid = out(asked, node, "pgrep -f train.py").split()[-1]
    yield node, f"taskset -cp {pid}", "0-55,112-167"


def _pool(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    folder = incident.training.checkpoints
    yield incident.plant.login, f"lfs getstripe -d {folder}", "pool: capacity"


def _cap(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, PowerCapLeft)
    fields = "power.limit,clocks_event_reasons.active"
    yield (
        fault.nodes[0],
        f"nvidia-smi --query-gpu={fields} --format=csv",
        f"{fault.limit_w}.00 W, 0x0+4",
    )
    yield fault.nodes[0], "dcgmi dmon -e 160 -c 1", f"{fault.limit_w}.000"


def _links(incident: Incident, asked: Console, fault: Fault) -> Iterator[tuple[str, str, str]]:
    assert isinstance(fault, NvlinkDegraded)
    yield fault.node, "dcgmi nvlink -s", f"gpuId {fault.gpu}:\n +[UD ]*D"
    yield fault.node, f"nvidia-smi nvlink -s -i {fault.gpu}", "<inactive>"


LOOKS: dict[type[Fault], Look] = {
    DriverMismatch: _driver,
    AcsEnabled: _acs,
    PcieDowntrained: _narrow,
    SpineDown: _spine,
    OstRebuild: _rebuild,
    FramesTooLarge: _frames,
    NfsSlotsFull: _slots,
    NameServiceSlow: _names,
    MetadataStorm: _storm,
    WrongSocket: _socket,
    CheckpointOnDisks: _pool,
    PowerCapLeft: _cap,
    NvlinkDegraded: _links,
}


def seen(incident: Incident, asked: Console) -> set[type[Fault]]:
    """Look for each cause where it must show, and for none of it on a healthy node."""
    found = set()
    for cause in incident.causes:
        look = LOOKS.get(type(cause.fault))
        if look is None:
            continue
        found.add(type(cause.fault))
        for host, command, wanted in look(incident, asked, cause.fault):
            text = out(asked, host, command)
            hit = re.search(wanted.removeprefix("!"), text) is not None
            assert hit != wanted.startswith("!"), (cause.key, host, command, text[:2_000])
    return found


def test_causes_show_where_an_expert_looks() -> None:
    found: set[type[Fault]] = set()
    for incident, asked in consoles():
        found |= seen(incident, asked)
    assert len(found) >= 5, "the variants looked at hold too few of the causes"


def test_a_healthy_node_looks_healthy() -> None:
    for incident, asked in consoles():
        if not (node := healthy(incident)):
            continue
        assert "Overall Health            | Healthy" in out(asked, node, "dcgmi health -c")
        assert "downgraded" not in out(asked, node, "lspci -vvv")
        assert "<inactive>" not in out(asked, node, "nvidia-smi nvlink -s")
        limits = out(
            asked, node, "nvidia-smi --query-gpu=power.limit --format=csv,noheader,nounits"
        ).split()
        assert set(limits) == {f"{incident.plant.top_w}.00"}


_ELSEWHERE = ("cat", "grep")
"""What the terminal itself runs on the console's files."""


@pytest.mark.nightly
def test_what_causes_say_a_command_shows_can_be_asked() -> None:
    for incident, asked in consoles()[::3]:
        for host, command in _commands(incident, asked):
            argv = shlex.split(command)
            if argv[0] in _ELSEWHERE:
                continue
            if argv[0] == "ib_write_bw":
                argv.append(incident.plant.nodes[-1].name)
            reply = asked.run(host, argv)
            assert reply.stdout, (host, command)
            # Frames that do not come through are what ping reports by its exit code.
            assert reply.code == 0 or argv[0] == "ping", (host, command, reply.stderr)


def _commands(incident: Incident, asked: Console) -> Iterator[tuple[str, str]]:
    """(host, command) of everything that a cause or herring says one can see."""
    for trace in incident.traces():
        if trace.kind == "state.command":
            command = str(trace.fields["command"]).split("|")[0]
            host = trace.host if trace.host in asked.hosts else incident.training.nodes[0].name
            pid = asked.run(host, ["pgrep", "-f", "train.py"]).stdout.split()
            yield host, command.replace("PID", pid[-1] if pid else "PID")
