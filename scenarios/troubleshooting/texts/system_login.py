"""What the login node shows: who runs what there, and whether large frames reach the storage servers."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.faults.shared import MetadataStorm
from scenarios.troubleshooting.faults.storage import FramesTooLarge
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.truth import Incident

_LARGE, _SMALL = 8_972, 1_472
"""Payloads that fill a frame of 9000 and of 1500 bytes."""


def login_transcript(incident: Incident, at_ms: int) -> tuple[Line, ...]:
    """`ps` of the busiest processes, then pings of both sizes to every object server."""
    host = incident.plant.login
    lines = []
    commands: list[tuple[str, Iterator[tuple[str, str | None]]]] = [
        ("ps -eo user,pid,etime,pcpu,args --sort=-pcpu | head -40", _busiest(incident, at_ms))
    ]
    for address in incident.plant.storage.oss_ips:
        for size in (_LARGE, _SMALL):
            command = f"ping -M do -s {size} -c 4 {address}"
            commands.append((command, ping(incident, address, size)))
    for command, rows in commands:
        lines.append(Line(at_ms, f"[ops@{host} ~]$ {command}"))
        lines += [Line(at_ms, text, tag) for text, tag in rows]
    return tuple(lines)


def _busiest(incident: Incident, at_ms: int) -> Iterator[tuple[str, str | None]]:
    yield "USER         PID     ELAPSED %CPU COMMAND", None
    draw = Stream(incident.seed, "ps")
    storm = next((c.fault for c in incident.causes if isinstance(c.fault, MetadataStorm)), None)
    if storm and storm.start_ms <= at_ms:
        for number in range(24):
            elapsed = elapsed_text((at_ms - storm.start_ms) // SECOND - number // 8)
            pid = 412_018 + 3 * number
            load = 61 - number * 0.9
            command = f"find {storm.path}/part-{number:02d} -type f -printf %p\\t%s\\t%T@\\n"
            yield f"{storm.user:<10} {pid:>6} {elapsed:>11} {load:>4.1f} {command}", storm.key
    users = sorted({job.user for job in incident.jobs})
    for number, command in enumerate(
        (
            "vim train.sbatch",
            "python -m tensorboard.main --logdir runs",
            "tmux: server",
            "rsync -a results/ nas:",
            "python plot.py",
            "less slurm-latest.out",
            "-bash",
            "htop",
        )
    ):
        user = draw.pick([(name, 1.0) for name in users])
        elapsed = elapsed_text(int(draw.between(60, 90_000)))
        pid = int(draw.between(3_000, 900_000))
        yield f"{user:<10} {pid:>6} {elapsed:>11} {6.1 / (number + 1):>4.1f} {command}", None
    days = 1 + int(draw.between(20, 120))
    yield f"{'root':<10} {'1':>6} {f'{days}-03:12:44':>11} {0.0:>4.1f} /sbin/init", None


def elapsed_text(seconds: int) -> str:
    """`[[dd-]hh:]mm:ss` as ps prints it."""
    minutes, second = divmod(max(seconds, 0), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}-{hour:02d}:{minute:02d}:{second:02d}"
    return f"{hour:02d}:{minute:02d}:{second:02d}" if hours else f"{minute:02d}:{second:02d}"


def ping(
    incident: Incident,
    address: str,
    size: int,
    count: int = 4,
    host: str | None = None,
    whole: bool = True,
) -> Iterator[tuple[str, str | None]]:
    """Frames larger than one hop takes vanish on one of two ways; its address says which one a server has.

    `host` is where it is typed, the login node if none is named; `whole`: in one frame or not at all.
    """
    small = next((c.key for c in incident.causes if isinstance(c.fault, FramesTooLarge)), None)
    behind = address in incident.plant.storage.oss_ips and int(address.rpartition(".")[2]) % 2 == 1
    lost = small is not None and whole and size > _SMALL and behind
    first = host in (None, incident.plant.login)
    draw = Stream(
        incident.seed, f"ping {address} {size}" if first else f"ping {host} {address} {size}"
    )
    yield f"PING {address} ({address}) {size}({size + 28}) bytes of data.", None
    times = [draw.between(0.09, 0.21) for _ in range(count)]
    tag = small if lost else None
    if not lost:
        for number, ms in enumerate(times, start=1):
            yield (
                f"{size + 8} bytes from {address}: icmp_seq={number} ttl=64 time={ms:.3f} ms",
                None,
            )
    yield "", None
    yield f"--- {address} ping statistics ---", None
    got, took = 0 if lost else count, 1_022 * count - 1_021 if count != 4 else 3_067
    loss = 100 if lost else 0
    yield f"{count} packets transmitted, {got} received, {loss}% packet loss, time {took}ms", tag
    if not lost:
        mean = sum(times) / count
        yield f"rtt min/avg/max/mdev = {min(times):.3f}/{mean:.3f}/{max(times):.3f}/0.031 ms", None
    yield "", None
