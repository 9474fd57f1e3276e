"""`dmesg`: the kernel's ring buffer, as it was at the end of the window."""

from __future__ import annotations

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.logs.journal import LEVELS
from scenarios.troubleshooting.console.logs.when import instant
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar, Options
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.texts.kernel import kernel_level, kernel_lines
from scenarios.troubleshooting.texts.lines import Line
from scenarios.troubleshooting.texts.system_host import boot_ms

GRAMMAR = Grammar(
    "dmesg",
    "CcDdEeHhkPpruSTtuVwWx",
    "FflnsK",
    {
        "clear": ("C", NONE),
        "read-clear": ("c", NONE),
        "show-delta": ("d", NONE),
        "reltime": ("e", NONE),
        "facility": ("f", ONE),
        "human": ("H", NONE),
        "kernel": ("k", NONE),
        "color": ("L", MAYBE),
        "level": ("l", ONE),
        "console-level": ("n", ONE),
        "nopager": ("P", NONE),
        "raw": ("r", NONE),
        "ctime": ("T", NONE),
        "notime": ("t", NONE),
        "time-format": ("format", ONE),
        "userspace": ("u", NONE),
        "follow": ("w", NONE),
        "follow-new": ("W", NONE),
        "decode": ("x", NONE),
        "since": ("since", ONE),
        "until": ("until", ONE),
        "help": ("h", NONE),
        "version": ("V", NONE),
        "force-prefix": ("p", NONE),
    },
    "Try 'dmesg --help' for more information.",
)
_NAMES = {"warn": "warning", "err": "err", "error": "err"}


def dmesg(call: Call) -> str:
    asked = GRAMMAR.read(tuple(word for word in call.args if word != "-L"))
    site, host = call.site, call.host
    if asked.has("h"):
        return "\nUsage:\n dmesg [options]\n\nDisplay or control the kernel ring buffer.\n"
    if asked.has("V"):
        return "dmesg from util-linux 2.37.2\n"
    if asked.has("C", "c", "D", "E", "n"):
        word = "clear kernel buffer failed" if asked.has("C", "c") else "klogctl failed"
        raise Failed(f"dmesg: {word}: Operation not permitted")
    lines = site.kept(f"dmesg {host}", lambda: kernel_lines(site.incident, host, site.traces))
    lines = _kept(site, host, asked, lines)
    return joined([_shown(site, host, asked, line) for line in lines])


def _kept(site: Site, host: str, asked: Options, lines: list[Line]) -> list[Line]:
    """Lines of the levels and the time asked for. Raises Failed."""
    if asked.has("u"):
        return []
    if asked.has("l"):
        wanted = _levels(asked.get("l") or "")
        lines = [line for line in lines if kernel_level(line.text) in wanted]
    ahead = site.ahead_ms(host)
    for key, sign in (("since", 1), ("until", -1)):
        if asked.has(key):
            at = instant(site, asked.get(key) or "")
            if at is None:
                raise Failed(f'dmesg: invalid time value "{asked.get(key)}"')
            lines = [line for line in lines if (line.at_ms + ahead - at) * sign >= 0]
    return lines


def _levels(text: str) -> set[str]:
    found = set()
    for word in text.split(","):
        name = _NAMES.get(word.rstrip("+"), word.rstrip("+"))
        if name not in LEVELS:
            raise Failed(f"dmesg: unknown level '{word}'")
        found.add(name)
        if word.endswith("+"):
            found |= set(LEVELS[: LEVELS.index(name)])
    return found


def _shown(site: Site, host: str, asked: Options, line: Line) -> str:
    form = asked.get("format") or ""
    level = {"warning": "warn"}.get(kernel_level(line.text), kernel_level(line.text))
    prefix = f"kern  :{level:<6}: " if asked.has("x") else ""
    if asked.has("r"):
        return f"<{LEVELS.index(kernel_level(line.text))}>{_seconds(site, host, line)}{line.text}"
    if asked.has("t") or form == "notime":
        return prefix + line.text
    if form == "iso":
        zone = site.clock(host, line.at_ms, "%z")
        stamp = site.clock(host, line.at_ms, "%Y-%m-%dT%H:%M:%S")
        micro = f"{line.at_ms % SECOND * 1_000:06d}"
        return f"{prefix}{stamp},{micro}{zone[:3]}:{zone[3:]} {line.text}"
    if asked.has("T") or form == "ctime":
        return f"{prefix}[{site.clock(host, line.at_ms, '%a %b %e %H:%M:%S %Y')}] {line.text}"
    if asked.has("e", "H") or form in ("reltime", "delta"):
        return f"{prefix}[{site.clock(host, line.at_ms, '%b%d %H:%M')}] {line.text}"
    return f"{prefix}{_seconds(site, host, line)}{line.text}"


def _seconds(site: Site, host: str, line: Line) -> str:
    since = max(line.at_ms - boot_ms(site.incident, host, site.traces), 0)
    return f"[{since / SECOND:12.6f}] "
