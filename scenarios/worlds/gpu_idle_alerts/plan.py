"""What will befall the servers, drawn beforehand: maintenance, losses, silence of exporters."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt

from scenarios.simulator.streams import Stream
from scenarios.worlds.gpu_idle_alerts.families import Family
from scenarios.worlds.gpu_idle_alerts.fleet import Fleet
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR, Setting

APART = 3 * HOUR
"""Least time between two silences of one exporter."""


@dataclass(slots=True)
class Window:
    """GPUs set aside. `kind` is maintenance, reservation or contract; times in ticks.

    `overrun`: ticks by which it will be extended shortly before its end; `forgotten`: the
    server is not given back to the scheduler afterwards.
    """

    id: int
    server: int
    units: tuple[int, ...]
    start: int
    end: int
    kind: str
    note: str
    announced: int
    overrun: int = 0
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class Silence:
    """An exporter that says nothing (`frozen`: repeats itself) from `start` to `end`, in ticks."""

    server: int
    start: int
    end: int
    frozen: bool


@dataclass
class Plan:
    """Everything that is going to happen to one fleet."""

    windows: list[Window] = field(default_factory=list)
    silences: list[Silence] = field(default_factory=list)
    losses: dict[int, list[int]] = field(default_factory=dict)
    storms: list[int] = field(default_factory=list)


def draw_plan(fleet: Fleet, setting: Setting, family: Family, seed: str) -> Plan:
    """The same fleet, setting, family and seed give the same plan."""
    plan = Plan()
    _contracts(plan, fleet, setting)
    _maintenance(plan, fleet, setting, family, Stream(seed, "maintenance"))
    _reservations(plan, fleet, setting, Stream(seed, "reservations"))
    _silences(plan, fleet, setting, family, Stream(seed, "silences"))
    _losses(plan, fleet, setting, family, Stream(seed, "losses"))
    stream = Stream(seed, "storms")
    width = (setting.ticks - 4 * DAY) // max(1, family.storms)
    for number in range(family.storms):
        plan.storms.append(int(DAY + width * (number + stream.unit())))
    for number, window in enumerate(plan.windows):
        window.id = 201 + number
    return plan


def _members(fleet: Fleet, server: int) -> tuple[int, ...]:
    return tuple(unit.number for unit in fleet.units if unit.server == server)


def _contracts(plan: Plan, fleet: Fleet, setting: Setting) -> None:
    for number, server in enumerate(fleet.servers):
        if server.contract:
            note = f"stand-by capacity of {server.contract}, paid for whether used or not"
            members = _members(fleet, number)
            plan.windows.append(
                Window(0, number, members, 0, setting.ticks + DAY, "contract", note, 0)
            )


def _maintenance(
    plan: Plan, fleet: Fleet, setting: Setting, family: Family, stream: Stream
) -> None:
    """Servers taken out by day: the only one, or a third of the fleet, one after the other."""
    able = [n for n, s in enumerate(fleet.servers) if not s.contract and not s.joins]
    chosen = able if len(able) == 1 else able[1::3]
    for turn, number in enumerate(chosen):
        day = 3 + turn if len(chosen) > 1 else 4
        start = day * DAY + int(stream.between(7, 14) * HOUR)
        end = start + int(stream.between(4, 8) * HOUR)
        overrun = int(stream.between(4, 9) * HOUR) if family.late or stream.chance(0.25) else 0
        forgotten = setting.actions and turn == 0
        note = stream.pick((("driver 580.95.05", 1.0), ("firmware of the NVSwitch tray", 1.0)))
        window = Window(
            0,
            number,
            _members(fleet, number),
            start,
            end,
            "maintenance",
            note,
            start - 2 * DAY,
            overrun,
            forgotten,
        )
        plan.windows.append(window)


def _reservations(plan: Plan, fleet: Fleet, setting: Setting, stream: Stream) -> None:
    """GPUs kept free for somebody who is not there yet: 30 to 50 hours, more of them in a fleet."""
    lanes = [lane for lane in fleet.lanes if not fleet.servers[lane.server].contract]
    lanes = [lane for lane in lanes if len(lane.units) <= 2 and fleet.units[lane.units[0]].whole]
    lanes = [lane for lane in lanes if fleet.units[lane.units[0]].parent < 0]
    for number in range(1 + len(lanes) // 6):
        lane = lanes[int(stream.unit() * len(lanes))]
        start = int(stream.between(1, setting.days - 2.5) * DAY) // HOUR * HOUR
        end = start + int(stream.between(30, 50)) * HOUR
        note = ("customer demonstration", "course", "paper deadline")[number % 3]
        plan.windows.append(
            Window(0, lane.server, lane.units, start, end, "reservation", note, start - DAY)
        )


def _silences(plan: Plan, fleet: Fleet, setting: Setting, family: Family, stream: Stream) -> None:
    """Silences of one server never meet: what comes too soon after another does not come."""
    for number, server in enumerate(fleet.servers):
        drawn: list[Silence] = []
        for mean, frozen in ((family.gaps, False), (family.freezes, True)):
            at = server.joins + DAY // 2
            while True:
                at += int(stream.exponential(DAY / max(0.01, mean * setting.trouble)))
                length = int(stream.between(0.5, 5.0) * HOUR)
                if at + length >= setting.ticks:
                    break
                drawn.append(Silence(number, at, at + length, frozen))
                at += length
        until = 0
        for silence in sorted(drawn, key=lambda one: (one.start, one.end)):
            if silence.start >= until:
                plan.silences.append(silence)
                until = silence.end + APART


def _losses(plan: Plan, fleet: Fleet, setting: Setting, family: Family, stream: Stream) -> None:
    """At least one GPU of the fleet falls off its bus; only such as are given out singly."""
    single = [
        lane.units[0]
        for lane in fleet.lanes
        if len(lane.units) == 1 and fleet.units[lane.units[0]].parent < 0
    ]
    gpus = sum(server.gpus for server in fleet.servers)
    count = max(1, int(family.losses * isqrt(gpus) / 2 + stream.unit()))
    width = (setting.ticks - 2 * DAY) / count
    for number in range(count):
        at = int(DAY // 2 + width * (number + stream.unit()))
        unit = single[int(stream.unit() * len(single))]
        plan.losses.setdefault(at, []).append(unit)
