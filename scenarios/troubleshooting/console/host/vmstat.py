"""`vmstat`: memory, swapping and CPUs of a host in one line each time."""

from __future__ import annotations

import re

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.host.memory import numbers
from scenarios.troubleshooting.console.proc.processors import loadavg, shares

_MOST_LINES = 20


def vmstat(call: Call) -> str:
    """A line for each time that was asked for: nothing is swapped in or out anywhere."""
    if any(not re.match(r"^(-[awnStfmsV]+|\d{1,6})$", word, re.ASCII) for word in call.args):
        raise Failed("vmstat: failed to parse argument" if call.args else "")
    memory, swap = numbers(call)
    draw = Stream(call.site.incident.seed, f"vmstat {call.host}")
    user, system, waits = (round(share) for share in shares(call.site, call.host))
    load = float(loadavg(call.site, call.host).split()[0])
    counts = [int(word) for word in call.args if word.isdigit()]
    rows = [
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",
    ]
    for _ in range(min(counts[1], _MOST_LINES) if len(counts) > 1 else 1):
        ready = max(round(load * draw.between(0.9, 1.1)), 0)
        rows.append(
            f"{ready:>2}  0 {swap[1] * 1024:>6} {memory[2] * 1024:>6} {2_048:>6}"
            f" {memory[4] * 1024:>6}    0    0"
            f" {int(draw.between(4, 90)):>5} {int(draw.between(4, 60)):>5}"
            f" {int(draw.between(900, 1100)):>4} {int(draw.between(900, 2100)):>4}"
            f" {user:>2} {system:>2} {100 - user - system - waits:>2} {waits:>2}  0"
        )
    return joined(rows)
