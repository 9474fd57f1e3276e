"""What a world leaves behind: the event log, the meters and the time series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios.simulator.machine import largest_in

if TYPE_CHECKING:
    from scenarios.simulator.machine import Nodes

Entry = tuple[int, str, str]
"""(time in the trace's unit, kind of event, whom it concerns)."""

COLUMNS = (
    "time",
    "waiting_jobs",
    "waiting_gpus",
    "busy_gpus",
    "gpus",
    "starting_nodes",
    "nodes",
    "cost",
)
"""The time series, as they stand at `time` before the policy looks; cost in USD so far."""


class Record:
    """Meters in whole numbers, so that sums do not depend on their order.

    `busy` GPU-time given to jobs, `room` GPU-time in service, `free` GPU-time nobody used,
    `stuck` the part of it that the largest job that could have started would not have
    covered. `node_time[pool]` is charged node-time, `up_time` node-time drawing power.
    """

    def __init__(self, machine: Nodes, pools: int) -> None:
        self._machine = machine
        self.log: list[Entry] = []
        self.series: dict[str, list[int | float]] = {name: [] for name in COLUMNS}
        self.busy = self.room = self.free = self.stuck = self.up_time = 0
        self.node_time = [0] * pools
        self._since = 0
        self._free = self._stuck = self._room = 0
        self.settle(0)

    def event(self, time: int, kind: str, subject: str) -> None:
        """One line of the event log."""
        self.log.append((time, kind, subject))

    def settle(self, now: int) -> None:
        """Bring the integrals up to `now` and note the machine as it is from here on."""
        machine = self._machine
        passed = now - self._since
        if passed:
            self.free += self._free * passed
            self.stuck += self._stuck * passed
            self.room += self._room * passed
            self._since = now
        self._free = free = machine.free
        self._room = machine.capacity
        self._stuck = free - largest_in(machine.at_level) if free else 0

    def sample(self, row: tuple[int | float, ...]) -> None:
        """One point of every series, in the order of COLUMNS."""
        for name, value in zip(COLUMNS, row, strict=True):
            self.series[name].append(value)
