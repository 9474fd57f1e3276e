"""One incident as the console's commands look at it: hosts, instants, and what is made once and asked often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from threading import RLock
from typing import TypeVar, cast

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.readings import Readings
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.fabric_ports import Counters, read_counters
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.owners import during, shown
from scenarios.troubleshooting.texts.system_host import kind_of, looking, servers
from scenarios.troubleshooting.texts.system_journal import Entry, entries
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident

Kept = TypeVar("Kept")
Ask = Callable[[str, list[str], str], Reply]
"""Runs a command on a host: (host, argv, stdin)."""


class Site:
    """The incident at the instant at which time stands still.

    `now_ms` is when Slurm, fabric and storage were asked, `looked_ms` (a moment later) when the
    machines were: while every rank computes. Records (journals, kernel buffers, event logs,
    accounting) reach to the end of the window, as the materials do. Times are ms since 1970, UTC.
    """

    def __init__(self, incident: Incident) -> None:
        self.incident = incident
        self.now_ms = during(incident)
        self.looked_ms = looking(incident)
        self._journals: dict[str, tuple[Entry, ...]] = {}
        self._readings: dict[str, Readings] = {}
        self._kept: dict[str, object] = {}
        self._lock = RLock()

    def connect(self, ask: Ask, files: Callable[[str], Mapping[str, str]]) -> None:
        """How a command asks another host: for the few that run others."""
        self.ask, self.files = ask, files

    @cached_property
    def traces(self) -> list[Trace]:
        return list(self.incident.traces())

    @cached_property
    def nodes(self) -> dict[str, Node]:
        return {node.name: node for node in self.incident.plant.nodes}

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Every machine on which somebody can log in, nodes first."""
        plant = self.incident.plant
        return (*self.nodes, *servers(self.incident), *plant.storage_switches)

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Host -> its address in the name service, for those whose address is known."""
        plant = self.incident.plant
        storage = plant.storage
        found = {name: node.host_ip for name, node in self.nodes.items()}
        found |= {node.bmc: node.bmc_ip for node in plant.nodes}
        found |= dict(zip(storage.oss, storage.oss_ips, strict=True))
        found |= {storage.mds: storage.mds_ip, storage.nfs_server: storage.nfs_ip}
        rest = (plant.login, plant.controller, "monitor01", "registry01", "ufm01")
        found |= {name: f"10.20.0.{place}" for place, name in enumerate(rest, start=21)}
        return found | {"ntp1": "10.20.0.11", "ntp2": "10.20.0.12"}

    @cached_property
    def counters(self) -> Counters:
        """Counters of the fabric's switch ports in this minute; takes most of a second."""
        return read_counters(self.incident, self.now_ms)

    def kind(self, host: str) -> str:
        """The kind of a host, or "" for one that does not exist."""
        if host not in self.hosts:
            return ""
        return (
            "switch"
            if host in self.incident.plant.storage_switches
            else kind_of(self.incident, host)
        )

    def journal(self, host: str) -> tuple[Entry, ...]:
        """Everything in a host's journal, in order of time."""
        with self._lock:
            if host not in self._journals:
                self._journals[host] = entries(self.incident, host, self.traces)
            return self._journals[host]

    def kept(self, name: str, make: Callable[[], Kept]) -> Kept:
        """What was made under this name, made now if it was not yet."""
        with self._lock:
            if name not in self._kept:
                self._kept[name] = make()
            return cast(Kept, self._kept[name])

    def readings(self, node: str) -> Readings:
        """The last scrapes of a node."""
        with self._lock:
            if node not in self._readings:
                self._readings[node] = Readings(self.incident, self.nodes[node], self.now_ms)
            return self._readings[node]

    def ahead_ms(self, host: str) -> int:
        """How far the clock of a host is ahead of the others."""
        return round(self.incident.condition.constant(host, "clock_offset_s") * SECOND)

    def clock(self, host: str, at_ms: int, form: str) -> str:
        """An instant as a host's wall clock shows it."""
        return shown(self.incident, host, at_ms).strftime(form)

    def own_job(self, node: str) -> bool:
        """Whether the slow job runs on this node now."""
        return node in self.incident.slow.nodes and self.incident.slow.runs_at(self.looked_ms)


def text(lines: Iterable[Line]) -> str:
    """Lines of a material as a program prints them."""
    return "".join(f"{line.text}\n" for line in lines)


def said(shown_lines: Iterable[tuple[str, str | None]]) -> str:
    """The same of lines with their tags."""
    return "".join(f"{line}\n" for line, _ in shown_lines)
