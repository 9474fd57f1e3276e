"""What a fault or herring leaves behind, as data: texts give it the form of the tool that wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Trace:
    """One thing that was written down. `kind` is a key of `KINDS`, which names the fields.

    `at_ms` is when it was written (ms UTC); for `config.*` and `state.*` from when on it holds.
    `host` is the machine or device whose log or file it is. `tag` is the key of the fault or herring.
    """

    kind: str
    at_ms: int
    host: str
    tag: str
    fields: Mapping[str, Value] = field(default_factory=dict)

    @property
    def artefact(self) -> str:
        """The family of artefacts that shows it: the part of `kind` before the point."""
        return self.kind.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Mark:
    """Evidence in a metric: which series, when, and what they show there.

    `metric` is the exporter's name, `labels` a part of the series' labels (`node`, `gpu`, `device`,
    `ost`, `switch`, `port`); `from_ms` to `to_ms` in ms UTC; `shows` is a sentence for the key.
    """

    metric: str
    labels: Mapping[str, str]
    from_ms: int
    to_ms: int
    shows: str


KINDS: dict[str, tuple[str, ...]] = {
    # kernel ring buffer of a node
    "dmesg.line": ("text",),
    "dmesg.xid": ("gpu", "bus_id", "xid", "pid", "process", "text"),
    # journal of a node or server
    "syslog.line": ("unit", "severity", "text"),
    # BMC: event log (its own clock in UTC; `clock` is "unset" for 1970) and a sensor's reading
    "sel.event": ("sensor", "event", "direction", "clock"),
    "sensors.reading": ("sensor", "value", "unit", "status"),
    # the training log and NCCL's lines in it; `rank` -1 is the launcher, 0 the first rank
    "train.line": ("rank", "severity", "text"),
    "nccl.line": ("rank", "severity", "text"),
    # Slurm's controller log
    "slurmctld.line": ("text",),
    # log of a switch or the subnet manager, of the cooling or power plant
    "fabric.line": ("unit", "severity", "text"),
    "facility.line": ("unit", "severity", "text"),
    # people: `id` like CHG-2417 (change) or INC-; chat: `channel`, `who`
    "ticket.change": ("id", "title", "who", "status", "text"),
    "chat.message": ("channel", "who", "text"),
    # one setting that differs from the last known good; "" means that the line is absent
    "config.setting": ("path", "key", "before", "after"),
    # what a command shows on this host during the run; `shows` is its distinctive output
    "state.command": ("command", "shows"),
}
"""Kind -> names of its fields."""
