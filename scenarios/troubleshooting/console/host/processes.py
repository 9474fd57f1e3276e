"""`ps`, `pgrep`, `taskset`: the processes of a host as their tools print them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.command import LOGIN, Call, Failed, joined
from scenarios.troubleshooting.console.host.memory import numbers
from scenarios.troubleshooting.console.host.running import Process, allowed, processes
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.texts.system_login import elapsed_text


def ran_s(site: Site, process: Process) -> int:
    """How long it has been there."""
    return (site.looked_ms - process.since_ms) // SECOND


def _columns(site: Site, host: str) -> dict[str, tuple[str, int, Callable[[Process], str]]]:
    """Name of a column -> heading, width (negative: left), reader."""
    total = numbers(Call(site, host, "free", ()))[0][0]

    def used(process: Process) -> int:
        return int(ran_s(site, process) * process.cpu / 100)

    def cpu_time(process: Process) -> str:
        hours, rest = divmod(used(process), 3_600)
        clock = f"{hours % 24:02d}:{rest // 60:02d}:{rest % 60:02d}"
        return f"{hours // 24}-{clock}" if hours >= 24 else clock

    found: dict[str, tuple[str, int, Callable[[Process], str]]] = {
        "user": ("USER", -8, lambda p: p.user), "pid": ("PID", 7, lambda p: str(p.pid)),
        "ppid": ("PPID", 7, lambda p: str(p.parent)), "pcpu": ("%CPU", 4, lambda p: f"{p.cpu:.1f}"),
        "pmem": ("%MEM", 4, lambda p: f"{100 * p.memory / total:.1f}"),
        "vsz": ("VSZ", 8, lambda p: str(int(p.memory * 1024 * 3))), "rss": ("RSS", 8,
        lambda p: str(int(p.memory * 1024))),
        "tty": ("TT", -8, lambda p: "?"), "stat": ("STAT", -4, lambda p: "Rl" if p.cpu > 50 else "Ssl"),
        "etime": ("ELAPSED", 11, lambda p: elapsed_text(ran_s(site, p))), "etimes": ("ELAPSED", 7,
        lambda p: str(ran_s(site, p))),
        "bsdtime": ("TIME", 6, lambda p: f"{used(p) // 60}:{used(p) % 60:02d}"),
        "c": ("C", 2, lambda p: str(int(p.cpu))), "time": ("TIME", 8, cpu_time), "nlwp": ("NLWP", 4,
        lambda p: str(p.threads)),
        "psr": ("PSR", 3, lambda p: str(p.cores * 14)), "ni": ("NI", 3, lambda p: "0"), "pri": ("PRI", 3,
        lambda p: "19"),
        "lstart": ("STARTED", 24, lambda p: site.clock(host, p.since_ms, "%a %b %e %H:%M:%S %Y")),
        "start": ("START", 5, lambda p: site.clock(host, p.since_ms, "%H:%M" if ran_s(site,
        p) < 86_400 else "%b%d")),
        "comm": ("COMMAND", -15, lambda p: p.args.split()[0].rpartition("/")[2][:15]),
        "args": ("COMMAND", -27, lambda p: p.args),
    }  # fmt: skip
    same = {"uname": "user", "euser": "user", "%cpu": "pcpu", "%mem": "pmem", "tt": "tty", "tname": "tty",
            "s": "stat", "state": "stat", "cputime": "time", "thcount": "nlwp", "ucmd": "comm", "cmd": "args",
            "command": "args", "vsize": "vsz", "rssize": "rss", "start_time": "start", "bsdstart": "start",
            "ruser": "user", "nice": "ni"}  # fmt: skip
    return found | {name: found[other] for name, other in same.items()}


_AUX = "user,pid,pcpu,pmem,vsz,rss,tty=TTY,stat,start,bsdtime,args"
_EF = "user=UID,pid,ppid,c,start=STIME,tty=TTY,time,args=CMD"


def ps(call: Call) -> str | Reply:
    """`aux`, `-ef`, `-eo COLUMNS`, `-u USER`, `-p PID`, `-C NAME`, `--sort`."""
    form, tests, sort, bare = "pid,tty,time,comm", [], None, False
    every, words = False, list(call.args)
    while words:
        word = words.pop(0)
        if word.startswith("--sort"):
            sort = word.partition("=")[2] or (words.pop(0) if words else "")
        elif word in ("--no-headers", "--no-heading"):
            bare = True
        elif word.startswith("--"):
            raise Failed("error: unknown gnu long option\n\nUsage:\n ps [options]")
        else:
            took = _letters(word, words)
            every, form = every or took.every, took.form or form
            tests += took.tests
    site, found = call.site, processes(call.site, call.host)
    if not every and not tests:
        found = []
    found = [process for process in found if all(test(process) for test in tests)]
    return _printed(site, call.host, form, _sorted(site, call.host, found, sort), bare)


@dataclass(slots=True)
class _Took:
    """What a word of options says."""

    every: bool
    form: str
    tests: list[Callable[[Process], bool]]


def _letters(word: str, rest: list[str]) -> _Took:
    """One word of letters with or without a dash. Raises Failed."""
    took = _Took(False, "", [])
    letters = word.lstrip("-")
    if word.isdigit():
        return _Took(False, "", [lambda p: str(p.pid) == word])
    for place, letter in enumerate(letters):
        if letter in "oupCtUG" and (word.startswith("-") or letter == "o"):
            given = letters[place + 1 :] or (rest.pop(0) if rest else "")
            if not given:
                raise Failed(
                    "error: list of process IDs must follow -p"
                    if letter == "p"
                    else "error: improper list\n\nUsage:\n ps [options]"
                )
            if letter == "o":
                took.form = given
            elif letter != "t":
                took.tests.append(_test(letter, given))
            return took
        if letter in "eAax":
            took.every = True
        elif letter == "f":
            took.form = took.form or _EF
        elif letter == "u":
            took.form = _AUX
        elif letter not in "wlLTHjrFcSym":
            raise Failed("error: unsupported option (BSD syntax)\n\nUsage:\n ps [options]")
    return took


def _test(letter: str, given: str) -> Callable[[Process], bool]:
    names = re.split(r"[,\s]+", given)
    if letter == "p":
        return lambda process: str(process.pid) in names
    if letter == "C":
        return lambda process: process.args.split()[0].rpartition("/")[2] in names
    return lambda process: process.user in names


def _sorted(site: Site, host: str, found: list[Process], sort: str | None) -> list[Process]:
    """By number of the process unless told otherwise; a minus in front means from the top."""
    found = sorted(found, key=lambda p: p.pid)
    known = _columns(site, host)
    for key in reversed((sort or "").split(",")):
        name = key.lstrip("+-")
        if not name:
            continue
        if name not in known:
            raise Failed("error: unknown sort specifier\n\nUsage:\n ps [options]")
        read = known[name][2]
        numeric = name in (
            "pcpu",
            "%cpu",
            "pmem",
            "%mem",
            "rss",
            "vsz",
            "pid",
            "ppid",
            "etimes",
            "nlwp",
        )
        found = sorted(
            found,
            key=lambda p: (float(read(p)) if numeric else 0.0, read(p)),
            reverse=key.startswith("-"),
        )
    return found


def _printed(site: Site, host: str, form: str, found: list[Process], bare: bool) -> str:
    known, columns = _columns(site, host), []
    if form == "user,pid,etime,pcpu,args" and site.kind(host) == LOGIN:
        # The materials' own columns.
        rows = [
            f"{p.user:<10} {p.pid:>6} {elapsed_text(ran_s(site, p)):>11} {p.cpu:>4.1f} {p.args}"
            for p in found
        ]
        return joined(rows if bare else ["USER         PID     ELAPSED %CPU COMMAND", *rows])
    for part in form.split(","):
        name, _, head = part.partition("=")
        if name.strip().lower() not in known:
            raise Failed(
                f'error: unknown user-defined format specifier "{name.strip()}"\n\nUsage:\n ps [options]'
            )
        title, width, read = known[name.strip().lower()]
        columns.append((head if "=" in part else title, width, read))
    table = [[read(process) for _, _, read in columns] for process in found]
    heads = (
        []
        if bare or all(not title for title, _, _ in columns)
        else [[title for title, _, _ in columns]]
    )
    return joined([_line(cells, [width for _, width, _ in columns]) for cells in [*heads, *table]])


def _line(cells: list[str], widths: list[int]) -> str:
    placed = [
        cell.ljust(-w) if w < 0 else cell.rjust(w) for cell, w in zip(cells, widths, strict=True)
    ]
    return " ".join(placed).rstrip()


def pgrep(call: Call) -> Reply:
    flags = "".join(word.lstrip("-") for word in call.args if word.startswith("-"))
    words = [word for word in call.args if not word.startswith("-")]
    user = words.pop(0) if "u" in flags and len(words) > 1 else None
    if not words and user is None:
        raise Failed(
            "pgrep: no matching criteria specified\nTry `pgrep --help' for more information.", 2
        )
    wanted = (words[0] if words else "").replace(".*", "").replace("\\", "")
    rows = []
    for p in sorted(processes(call.site, call.host), key=lambda p: p.pid):
        text = p.args if "f" in flags else p.args.split()[0].rpartition("/")[2][:15]
        if wanted in text and user in (None, p.user):
            rows.append(
                f"{p.pid} {p.args}"
                if "a" in flags
                else f"{p.pid} {text}"
                if "l" in flags
                else str(p.pid)
            )
    if "c" in flags:
        return Reply(f"{len(rows)}\n", "", 0 if rows else 1)
    return Reply(joined(rows), "", 0 if rows else 1)


def taskset(call: Call) -> str:
    """`-cp PID` and `-p PID`: the same CPUs as in /proc/PID/status."""
    words = [word for word in call.args if not word.startswith("-")]
    flags = "".join(word.lstrip("-") for word in call.args if word.startswith("-"))
    if "p" not in flags or len(words) != 1:
        raise Failed(
            "taskset: failed to execute: Operation not permitted"
            if words
            else "taskset: bad usage\nTry 'taskset --help' for more information."
        )
    pid = words[0]
    site, host = call.site, call.host
    if not any(str(process.pid) == pid for process in processes(site, host)):
        raise Failed(f"taskset: failed to get pid {pid}'s affinity: No such process")
    cpus = allowed(site, host).get(pid, "0-223")
    if "c" in flags:
        return f"pid {pid}'s current affinity list: {cpus}\n"
    return f"pid {pid}'s current affinity mask: {_mask(cpus)}\n"


def _mask(cpus: str) -> str:
    total = 0
    for span in cpus.split(","):
        first, _, last = span.partition("-")
        for cpu in range(int(first), int(last or first) + 1):
            total |= 1 << cpu
    return f"{total:x}"
