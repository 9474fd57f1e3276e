"""Block devices of the storage servers: `iostat -x`, `/proc/mdstat`; a node's local disks look the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting import exchanges
from scenarios.troubleshooting.condition import LUSTRE
from scenarios.troubleshooting.faults.storage import HEALTHY_AWAIT_MS, FramesTooLarge, OstRebuild
from scenarios.troubleshooting.plant import Ost
from scenarios.troubleshooting.texts.lines import Document, Line
from scenarios.troubleshooting.texts.owners import shown
from scenarios.troubleshooting.texts.smi_state import value, whose
from scenarios.troubleshooting.truth import Incident

_HEAD = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm "
    "w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util"
)
READ_KIB, WRITE_KIB = 1_024.0, 2_048.0
"""Mean sizes of requests after merging, KiB."""
CHECK_KIB_S, EXCHANGE_KIB_S = 66_840, 118_206
"""What md lets a check and a recovery take of each disk while others read."""


@dataclass(frozen=True, slots=True)
class Load:
    """One device over one interval: requests a second, mean waits in ms, how many wait, share of time busy."""

    name: str
    reads: float
    read_ms: float
    writes: float
    write_ms: float
    tag: str | None = None

    @property
    def queue(self) -> float:
        return (self.reads * self.read_ms + self.writes * self.write_ms) / 1000

    @property
    def busy(self) -> float:
        """%util: near 100 on an array means little, as it serves many requests at a time."""
        return min(100.0, 100 * (1 - 1 / (1 + self.queue)) * 1.02)


def load(incident: Incident, ost: Ost, at_ms: int) -> Load:
    """What an object storage target does: reads of the training, writes of others."""
    draw = Stream(incident.seed, f"iostat {ost.name} {at_ms // 1000}")
    flash = ost.pool == "flash"
    slow = whose(incident, at_ms, ost.name, "await", "rebuilding")
    foreign = value(incident, LUSTRE, "foreign_gbytes", at_ms)
    tag = slow or (whose(incident, at_ms, LUSTRE, "foreign_gbytes") if flash else None)
    waits = _read_ms(incident, ost, at_ms, foreign) * draw.between(0.9, 1.1)
    least = (3, 2) if incident.settings.fleet and not flash else (12, 8)
    own = draw.between(260, 340) if flash else draw.between(least[0], 40)
    flashes = sum(other.pool == "flash" for other in incident.plant.storage.osts)
    writes = (foreign * 1e6 / flashes / WRITE_KIB if flash else 0) + draw.between(least[1], 30)
    if slow:
        own *= draw.between(0.55, 0.7)
        writes += draw.between(150, 190)
    return Load(
        ost.device,
        own,
        waits,
        writes,
        draw.between(0.9, 2.2) * (1 + foreign / 30),
        tag,
    )


def _read_ms(incident: Incident, ost: Ost, at_ms: int, foreign: float) -> float:
    """Mean read await in ms: what loads a whole pool shows on every target, frames lost on the way on none."""
    if ost.pool != "flash":
        return 6.0
    times = value(incident, ost.name, "await", at_ms)
    kinds = {type(cause.fault) for cause in incident.causes}
    if OstRebuild in kinds:
        times *= 1 + foreign / 20
    elif FramesTooLarge not in kinds:
        times *= 1 + 3 * (value(incident, LUSTRE, "latency", at_ms) - 1)
    return HEALTHY_AWAIT_MS * times


def iostat(incident: Incident, oss: str, at_ms: int, count: int = 3, every_s: int = 10) -> Document:
    """`iostat -x 10 3` of an object server: the heading, then one report for each interval."""
    plant = incident.plant
    at = shown(incident, oss, at_ms)
    lines = [
        Line(at_ms, f"Linux {plant.versions.kernel} ({oss}) \t{at:%m/%d/%y} \t_x86_64_\t(64 CPU)"),
        Line(at_ms, ""),
    ]
    for number in range(count):
        now = at_ms + number * every_s * 1000
        draw = Stream(incident.seed, f"cpu {oss} {now // 1000}")
        user, system, wait = draw.between(0.6, 1.4), draw.between(4, 9), draw.between(1, 3)
        lines.append(Line(now, "avg-cpu:  %user   %nice %system %iowait  %steal   %idle"))
        cells = (user, 0.0, system, wait, 0.0, 100 - user - system - wait)
        lines += [
            Line(now, "        " + "".join(f"{cell:8.2f}" for cell in cells)),
            Line(now, ""),
            Line(now, _HEAD),
        ]
        for ost in plant.storage.osts:
            if ost.oss == oss:
                one = load(incident, ost, now)
                lines.append(Line(now, _row(one), one.tag))
        lines += [Line(now, ""), Line(now, "")]
    return Document(f"servers/{oss}/iostat.txt", tuple(lines))


def _row(one: Load) -> str:
    reads = f"{one.reads:8.2f} {one.reads * READ_KIB:9.2f} {0:8.2f} {0:6.2f} {one.read_ms:7.2f} {READ_KIB:8.2f}"
    writes = f"{one.writes:7.2f} {one.writes * WRITE_KIB:9.2f} {0:8.2f} {0:6.2f} "
    writes += f"{one.write_ms:7.2f} {WRITE_KIB:8.2f}"
    rest = f"{0:7.2f} {0:9.2f} {0:8.2f} {0:6.2f} {0:7.2f} {0:8.2f} {0:7.2f} {0:7.2f}"
    return f"{one.name:<12} {reads} {writes} {rest} {one.queue:7.2f} {one.busy:6.2f}"


def mdstat(incident: Incident, oss: str, at_ms: int) -> Document:
    """`/proc/mdstat` of an object server: arrays of ten disks, two of them parity."""
    lines = [Line(at_ms, "Personalities : [raid6] [raid5] [raid4] [raid1]")]
    own = [ost for ost in incident.plant.storage.osts if ost.oss == oss]
    for ost, place in zip(own, _bays(incident, own), strict=True):
        lines += [Line(at_ms, text, tag) for text, tag in _array(incident, ost, place, at_ms)]
    lines.append(Line(at_ms, "unused devices: <none>"))
    return Document(f"servers/{oss}/mdstat.txt", tuple(lines))


def _bays(incident: Incident, own: list[Ost]) -> list[int]:
    """Which ten bays each array has: the one whose disk fails has the bays that its disk's name says."""
    first = next((n for n, ost in enumerate(own) if _rebuilt(incident, ost)), 0)
    return [(number - first) % len(own) for number in range(len(own))]


def _array(
    incident: Incident, ost: Ost, place: int, at_ms: int
) -> Iterator[tuple[str, str | None]]:
    rebuild = _rebuild(incident, ost, at_ms)
    first = 1 + 10 * place
    flash = ost.pool == "flash"
    names = [f"nvme{first + n}n1" if flash else f"dm-{first + n}" for n in range(10)]
    tag = rebuild.key if rebuild else None
    each = ost.size_tib * 1024**3 // 512 * 512 // 8
    lost, told = -1, ""
    if rebuild:
        lost, told = names.index(rebuild.disk), _recovery(rebuild, each, at_ms)
    elif ost.name in exchanges.exchanged(incident):
        lost, part = exchanges.place(incident, ost)
        told = _progress("recovery", part, each, int(EXCHANGE_KIB_S * (0.7 + part / 2)))
    elif _checked(incident, ost):
        speed = CHECK_KIB_S * Stream(incident.seed, f"check speed {ost.name}").between(0.6, 1.5)
        told = _progress("check", 0.1 + ost.index % 8 / 10, each, int(speed))
    disks = [f"{name}[{n}]" + ("(F)" if n == lost else "") for n, name in enumerate(names)]
    if lost >= 0:
        disks.append(f"nvme{91 + place}n1[10]" if flash else f"dm-{91 + place}[10]")
    state = "".join("_" if n == lost else "U" for n in range(10))
    count = 10 - state.count("_")
    yield f"{ost.device} : active raid6 {' '.join(reversed(disks))}", tag
    yield (
        f"      {each * 8} blocks super 1.2 level 6, 512k chunk, algorithm 2 [10/{count}] [{state}]",
        tag,
    )
    if told:
        yield told, tag
    yield "      bitmap: 2/273 pages [8KB], 65536KB chunk", None
    yield "", None


def _recovery(rebuild: OstRebuild, each: int, at_ms: int) -> str:
    """How far a rebuild has come."""
    part = (at_ms - rebuild.start_ms) / (rebuild.end_ms - rebuild.start_ms)
    done = int(20 * part)
    left = (rebuild.end_ms - at_ms) / 60_000
    speed = each * 1000 // (rebuild.end_ms - rebuild.start_ms)
    bar = "=" * done + ">" + "." * (20 - done)
    return (
        f"      [{bar}]  recovery = {100 * part:4.1f}% ({int(each * part)}/{each}) "
        f"finish={left:.1f}min speed={speed}K/sec"
    )


def _progress(what: str, part: float, each: int, speed: int) -> str:
    """How far an array has come with something that gives way to any reader; `speed` in KiB/s of each disk."""
    done = int(20 * part)
    bar = "=" * done + ">" + "." * (20 - done)
    return (
        f"      [{bar}]  {what} = {100 * part:4.1f}% ({int(each * part)}/{each}) "
        f"finish={each * (1 - part) / speed / 60:.1f}min speed={speed}K/sec"
    )


def _checked(incident: Incident, ost: Ost) -> bool:
    """Whether the monthly check of arrays has reached this one; it gives way to any reader."""
    draw = Stream(incident.seed, f"check {ost.name}")
    return incident.settings.fleet and ost.pool != "flash" and draw.chance(0.6)


def _rebuild(incident: Incident, ost: Ost, at_ms: int) -> OstRebuild | None:
    """The rebuild that runs on this target at the moment."""
    fault = _rebuilt(incident, ost)
    return fault if fault and fault.start_ms <= at_ms < fault.end_ms else None


def _rebuilt(incident: Incident, ost: Ost) -> OstRebuild | None:
    for cause in incident.causes:
        if isinstance(cause.fault, OstRebuild) and cause.fault.ost == ost.name:
            return cause.fault
    return None
