"""`top` and `htop`: one page of the busiest processes, as time stands still."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.host.memory import numbers
from scenarios.troubleshooting.console.host.processes import ran_s
from scenarios.troubleshooting.console.host.running import Process, processes
from scenarios.troubleshooting.console.host.system import threads
from scenarios.troubleshooting.console.host.told import told
from scenarios.troubleshooting.console.proc.processors import shares
from scenarios.troubleshooting.console.site import Site

_LISTED = 40
_USAGE = (
    "  procps-ng 3.3.17\nUsage:\n"
    "  top -hv | -bcEeHiOSs1 -d secs -n max -u|U user -p pid(s) -o field -w [cols]"
)
_SORTS = {"%CPU": lambda p: -p.cpu, "%MEM": lambda p: -p.memory, "PID": lambda p: -p.pid}


@dataclass(slots=True)
class _Asked:
    """Options of top: whose processes, in which order, how many pages, whole command lines."""

    pids: tuple[str, ...] = ()
    user: str = ""
    sort: str = "%CPU"
    pages: int = 1
    whole: bool = False
    quiet: bool = False


def _read(args: tuple[str, ...]) -> _Asked:
    asked, words = _Asked(), list(args)
    while words:
        letters = words.pop(0).lstrip("-")
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in "dnuUpowEe":
                given = letters or (words.pop(0) if words else "")
                letters = ""
                _take(asked, letter, given)
            elif letter == "h":
                raise Failed("", 0, f"{_USAGE}\n")
            elif letter not in "bcHiOSs1v":
                raise Failed(f"top: unknown option '{letter}'\n{_USAGE}")
            asked.whole |= letter == "c"
            asked.quiet |= letter == "i"
    return asked


def _take(asked: _Asked, letter: str, given: str) -> None:
    if not given:
        raise Failed(f"top: -{letter} requires argument")
    if letter == "n":
        if not given.isdigit() or given == "0":
            raise Failed(f"top: bad iterations argument '{given}'")
        asked.pages = min(int(given), 10)
    elif letter in "uU":
        asked.user = given
    elif letter == "p":
        asked.pids += tuple(given.split(","))
    elif letter == "o":
        asked.sort = given.lstrip("+-")
        if asked.sort not in _SORTS:
            raise Failed(f"top: unrecognized field name '{given}'")


def top(call: Call) -> str:
    """The page of `top -b -n 1`; also without -b, for nothing moves here that could be watched."""
    asked = _read(call.args)
    site, host = call.site, call.host
    every = processes(site, host)
    found = [
        p
        for p in every
        if (not asked.pids or str(p.pid) in asked.pids)
        and asked.user in ("", p.user)
        and (not asked.quiet or p.cpu > 0)
    ]
    memory, swap = numbers(call)
    page = joined(
        [*_summary(site, host, every, memory, swap), *_table(site, found, asked, memory[0])]
    )
    return "\n".join([page] * asked.pages)


def _summary(
    site: Site, host: str, every: list[Process], memory: list[int], swap: list[int]
) -> list[str]:
    running, total = max(sum(p.cpu > 50 for p in every), 1), len(every) + 1_800
    user, system, waits = shares(site, host)
    return [
        f"top - {told(site, host)['uptime'].strip()}",
        f"Tasks: {total:>3} total, {running:>3} running, {total - running:>3} sleeping,   0 stopped, "
        "  0 zombie",
        f"%Cpu(s): {user:4.1f} us, {system:4.1f} sy,  0.0 ni, {100 - user - system - waits:4.1f} id,"
        f" {waits:4.1f} wa,  0.0 hi,  0.0 si,  0.0 st",
        f"MiB Mem : {_mib(memory[0])}total, {_mib(memory[2])}free, {_mib(memory[1])}used, "
        f"{_mib(memory[4])}buff/cache",
        f"MiB Swap: {_mib(swap[0])}total, {_mib(swap[2])}free, {_mib(swap[1])}used. "
        f"{_mib(memory[5])}avail Mem",
        "",
    ]


def _mib(mib: int) -> str:
    """Nine places; what does not fit is cut off with a plus, as on every host with a terabyte."""
    text = f"{mib:.1f}"
    return f"{text:>8} " if len(text) <= 8 else f"{text[:8]}+"


def _table(site: Site, found: list[Process], asked: _Asked, total_mib: int) -> list[str]:
    rows = ["    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND"]
    for p in sorted(found, key=lambda p: (_SORTS[asked.sort](p), p.pid))[:_LISTED]:
        kib = int(p.memory * 1024)
        rows.append(
            f"{p.pid:>7} {_user(p.user):<8}  20   0 {_size(kib * 3, 7)} {_size(kib, 6)} {_size(kib // 9, 6)} "
            f"{'R' if p.cpu > 50 else 'S'} {_share(p.cpu)} {100 * p.memory / total_mib:>5.1f} "
            f"{_clock(ran_s(site, p) * p.cpu / 100):>9} {_name(p, asked.whole)}"
        )
    return rows


def _user(name: str) -> str:
    return name if len(name) <= 8 else f"{name[:7]}+"


def _name(process: Process, whole: bool) -> str:
    return process.args if whole else process.args.split()[0].rpartition("/")[2].rstrip(":")[:15]


def _share(percent: float) -> str:
    """Five places: from a thousand per cent on without a decimal."""
    return f"{percent:>5.1f}" if percent < 1000 else f"{percent:>5.0f}"


def _size(kib: int, width: int) -> str:
    """KiB as long as they fit, else in the next unit: `24.7g`."""
    if len(str(kib)) <= width:
        return f"{kib:>{width}}"
    value = float(kib)
    for unit in "mgt":
        value /= 1024
        text = f"{value:.1f}{unit}"
        if len(text) <= width:
            return f"{text:>{width}}"
    return f"{value:.0f}t"


def _clock(seconds: float) -> str:
    """Minutes, seconds and hundredths; the hundredths go where there is no room."""
    minutes, rest = divmod(int(seconds * 100), 6_000)
    text = f"{minutes}:{rest // 100:02d}.{rest % 100:02d}"
    return text if len(text) <= 9 else text.partition(".")[0]


def htop(call: Call) -> str:
    """Its first screen, with one bar for all processors."""
    if call.args and call.args[0] in ("--version", "-V"):
        return "htop 3.0.5\n"
    if call.args and call.args[0] in ("--help", "-h"):
        return "htop 3.0.5\nUsage: htop [-d DELAY] [-p PID] [-u USER] [-s COLUMN]\n"
    site, host = call.site, call.host
    every = processes(site, host)
    memory, swap = numbers(call)
    busy = min(sum(p.cpu for p in every) / threads(site, host), 97.0)
    up = told(site, host)["uptime"].strip()
    found = re.search(r"up +(.*?), +\d+ users?, +load average: (.*)", up)
    since, loads = found.groups() if found else ("", "")
    running = max(sum(p.cpu > 50 for p in every), 1)
    more = sum(p.threads for p in every)
    rows = [
        f"  Avg{_bar(busy / 100, f'{busy:.1f}%')}   Tasks: {len(every)}, {more} thr; {running} running",
        f"  Mem{_bar(memory[1] / memory[0], f'{_human(memory[1])}/{_human(memory[0])}')}   "
        f"Load average: {loads.replace(',', '')}",
        f"  Swp{_bar(swap[1] / max(swap[0], 1), f'{_human(swap[1])}/{_human(swap[0])}')}   Uptime: {since}",
        "",
        "    PID USER      PRI  NI  VIRT   RES   SHR S CPU% MEM%   TIME+  Command",
    ]
    for p in every[:_LISTED]:
        kib = int(p.memory * 1024)
        rows.append(
            f"{p.pid:>7} {p.user[:9]:<9}  20   0 {_size(kib * 3, 5)} {_size(kib, 5)} {_size(kib // 9, 5)} "
            f"{'R' if p.cpu > 50 else 'S'} {_share(p.cpu).strip():>4} {100 * p.memory / memory[0]:>4.1f} "
            f"{_clock(ran_s(site, p) * p.cpu / 100):>8} {p.args}"
        )
    return joined(rows)


def _bar(part: float, text: str) -> str:
    width = 38 - len(text)
    return f"[{'|' * round(min(part, 1.0) * width):<{width}}{text}]"


def _human(mib: int) -> str:
    if mib < 1024:
        return f"{mib}M" if mib else "0K"
    value = mib / 1024
    return (
        f"{value:.1f}G"
        if value < 100
        else f"{value:.0f}G"
        if value < 1024
        else f"{value / 1024:.2f}T"
    )
