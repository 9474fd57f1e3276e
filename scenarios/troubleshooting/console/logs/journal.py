"""`journalctl`: the host's journal, filtered and printed in the forms that people ask for."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Callable
from zlib import crc32

from scenarios.troubleshooting.calendar import SECOND
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.logs.when import instant
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar, Options, whole
from scenarios.troubleshooting.console.patterns import Refused, pattern_of
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.texts.system_host import boot_ms
from scenarios.troubleshooting.texts.system_journal import Entry, printed

GRAMMAR = Grammar(
    "journalctl",
    "aefkqrxlmhNb",
    "cDFgioptuSUM",
    {
        "all": ("a", NONE),
        "pager-end": ("e", NONE),
        "follow": ("f", NONE),
        "dmesg": ("k", NONE),
        "quiet": ("q", NONE),
        "reverse": ("r", NONE),
        "catalog": ("x", NONE),
        "full": ("l", NONE),
        "no-full": ("l", NONE),
        "merge": ("m", NONE),
        "help": ("h", NONE),
        "boot": ("b", MAYBE),
        "grep": ("g", ONE),
        "case-sensitive": ("case", MAYBE),
        "output": ("o", ONE),
        "priority": ("p", ONE),
        "identifier": ("t", ONE),
        "unit": ("u", ONE),
        "user-unit": ("user-unit", ONE),
        "since": ("S", ONE),
        "until": ("U", ONE),
        "lines": ("n", MAYBE),
        "no-tail": ("no-tail", NONE),
        "no-pager": ("no-pager", NONE),
        "no-hostname": ("no-hostname", NONE),
        "utc": ("utc", NONE),
        "list-boots": ("list-boots", NONE),
        "disk-usage": ("disk-usage", NONE),
        "version": ("version", NONE),
        "system": ("system", NONE),
        "fields": ("N", NONE),
        "facility": ("facility", ONE),
        "output-fields": ("output-fields", ONE),
        "vacuum-size": ("vacuum", ONE),
        "vacuum-time": ("vacuum", ONE),
        "rotate": ("rotate", NONE),
        "flush": ("rotate", NONE),
        "sync": ("rotate", NONE),
        "cursor": ("c", ONE),
    },
)
LEVELS = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_OTHER = {"error": "err", "warn": "warning", "panic": "emerg"}
_FORMS = tuple(
    (
        "short short-full short-iso short-iso-precise short-precise short-monotonic short-unix "
        "verbose export json json-pretty json-sse json-seq cat with-unit"
    ).split()
)


def journalctl(call: Call) -> str:
    asked = _read(call.args)
    site, host = call.site, call.host
    if asked.has("h"):
        return "journalctl [OPTIONS...] [MATCHES...]\n\nQuery the journal.\n"
    if asked.has("version"):
        return "systemd 249 (249.11-0ubuntu3.12)\n"
    if asked.has("vacuum", "rotate"):
        raise Failed("Failed to write to the journal: Permission denied")
    entries = site.journal(host)
    if asked.has("list-boots"):
        return _boots(site, host, entries)
    if asked.has("disk-usage"):
        size = max(len(entries) * 900 // 2**20, 8)
        return f"Archived and active journals take up {size}.0M in the file system.\n"
    found = _limited(asked, [entry for entry in entries if _filter(site, host, asked)(entry)])
    form = asked.get("o") or "short"
    if form not in _FORMS:
        raise Failed(f"Unknown output '{form}'.")
    if not found:
        return "" if asked.has("q") else "-- No entries --\n"
    show = _shown(site, form, asked)
    return joined([show(entry) for entry in found])


def _read(args: tuple[str, ...]) -> Options:
    """`-n` and `-b` may go without their value, which for both may be the next word."""
    words, found = [], Options()
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if re.match(r"^-n\d{0,9}$", word) or word in ("--lines", "--boot", "-b"):
            key = "b" if word in ("--boot", "-b") else "n"
            value = word[2:] if word.startswith("-n") else ""
            if not value and rest and re.match(r"^(?:[+-]?\d{1,9}|all)$", rest[0]):
                value = rest.pop(0)
            found.add(key, value)
        elif re.match(r"^-[a-z]*n$", word) and word != "-n":
            words.append(word[:-1])
            rest.insert(0, "-n")
        else:
            words.append(word)
    read = GRAMMAR.read(words)
    read.values.update(found.values)
    return read


def _limited(asked: Options, found: list[Entry]) -> list[Entry]:
    """The last lines with `-n`, `-e` or `-f`, the newest first with `-r`."""
    count: int | None = None
    if asked.has("n"):
        word = asked.get("n") or ""
        count = None if word == "all" else whole(word.lstrip("+-") or None, 10)
    elif asked.has("f"):
        count = 10
    elif asked.has("e"):
        count = 1_000
    kept = found if count is None else found[len(found) - min(count, len(found)) :]
    return kept[::-1] if asked.has("r") else kept


def _level(word: str) -> int:
    name = _OTHER.get(word.lower(), word.lower())
    if name in LEVELS:
        return LEVELS.index(name)
    if word.isascii() and word.isdigit() and int(word) < len(LEVELS):
        return int(word)
    raise Failed(f"Unknown log level {word}")


def _filter(site: Site, host: str, asked: Options) -> Callable[[Entry], bool]:
    """One test from all the filters. Raises Failed."""
    tests: list[Callable[[Entry], bool]] = []
    ahead = site.ahead_ms(host)
    for key, sign in (("S", 1), ("U", -1)):
        if asked.has(key):
            at = instant(site, asked.get(key) or "")
            if at is None:
                raise Failed(f"Failed to parse timestamp: {asked.get(key)}")
            tests.append(_since_or_until(at - ahead, sign))
    if asked.has("b") and (asked.get("b") or "0") not in ("0", "-0", "all"):
        raise Failed(
            f"Data from the specified boot ({asked.get('b')}) is not available: No such boot ID in journal"
        )
    if asked.has("k"):
        tests.append(lambda e: e.unit == "kernel")
    if asked.has("b", "k"):
        boot = boot_ms(site.incident, host, site.traces)
        tests.append(lambda e: e.at_ms >= boot)
    units = [unit for value in asked.values.get("u", []) for unit in value.split(",")]
    if units or asked.has("t"):
        names = [unit.removesuffix(".service") for unit in units]
        marks = asked.values.get("t", [])
        tests.append(
            lambda e: any(fnmatch.fnmatchcase(e.unit, name) for name in names) or e.unit in marks
        )
    if asked.has("p"):
        low, _, high = (asked.get("p") or "").partition("..")
        first, last = (_level(low), _level(high)) if high else (0, _level(low))
        tests.append(lambda e: first <= LEVELS.index(e.severity) <= last)
    if asked.has("g"):
        tests.append(_grep(asked))
    tests += [_match(word, host) for word in asked.rest]
    return lambda entry: all(test(entry) for test in tests)


def _since_or_until(at_ms: int, sign: int) -> Callable[[Entry], bool]:
    return lambda entry: (entry.at_ms - at_ms) * sign >= 0


def _grep(asked: Options) -> Callable[[Entry], bool]:
    """Case counts only if the pattern has a capital letter. A pattern that could run for long is not run."""
    word = asked.get("g") or ""
    case = asked.get("case")
    ignore = case in ("no", "false", "0") if asked.has("case") else word == word.lower()
    try:
        pattern = pattern_of(word, ignore)
    except Refused as refused:
        raise Failed(f'Bad pattern "{word[:80]}": {refused}') from None
    return lambda entry: pattern.search(entry.text[:400]) is not None


def _match(word: str, host: str) -> Callable[[Entry], bool]:
    """`_SYSTEMD_UNIT=...`, `_PID=...`, `PRIORITY=...` and the like. Raises Failed."""
    name, sign, value = word.partition("=")
    if word == "+":
        return lambda entry: True
    if not sign:
        raise Failed(f"Failed to add match '{word}': Invalid argument")
    readers: dict[str, Callable[[Entry], str]] = {
        "_SYSTEMD_UNIT": lambda e: f"{e.unit}.service",
        "SYSLOG_IDENTIFIER": lambda e: e.unit,
        "_COMM": lambda e: e.unit,
        "_PID": lambda e: str(e.pid),
        "PRIORITY": lambda e: str(LEVELS.index(e.severity)),
        "_HOSTNAME": lambda e: host,
        "_TRANSPORT": lambda e: "kernel" if e.unit == "kernel" else "journal",
        "MESSAGE": lambda e: e.text,
    }
    read = readers.get(name)
    return lambda entry: read is not None and read(entry) == value


def _shown(site: Site, form: str, asked: Options) -> Callable[[Entry], str]:
    """How one entry is printed."""
    calendar = site.incident.calendar

    def stamped(entry: Entry, pattern: str) -> str:
        ahead = site.ahead_ms(entry.host)
        at = entry.at_ms + ahead
        moment = at - calendar.zone.offset * 60_000 if asked.has("utc") else at
        micro = f"{at % SECOND * 1_000 + crc32(entry.text.encode()) % 1_000:06d}"
        return calendar.local(moment).strftime(pattern.replace("<us>", micro))

    def line(entry: Entry, when: str) -> str:
        who = f"{entry.unit}[{entry.pid}]" if entry.pid else entry.unit
        host = "" if asked.has("no-hostname") else f" {entry.host}"
        return f"{when}{host} {who}: {entry.text}"

    if form == "short-iso" and not asked.has("utc", "no-hostname"):
        return lambda entry: printed(site.incident, entry).text
    if form == "cat":
        return lambda entry: entry.text
    if form.startswith("json") or form in ("export", "verbose"):
        return lambda entry: _record(site, entry)
    if form == "short-unix":
        return lambda entry: line(
            entry, f"{(entry.at_ms + site.ahead_ms(entry.host)) / SECOND:.6f}"
        )
    if form == "short-monotonic":
        return lambda entry: line(entry, f"[{_since(site, entry):12.6f}]")
    short = calendar.zone.short if calendar.zone.short.isalpha() else f"{calendar.local(0):%z}"[:3]
    patterns = {
        "short": "%b %d %H:%M:%S",
        "with-unit": f"%a %Y-%m-%d %H:%M:%S {short}",
        "short-full": f"%a %Y-%m-%d %H:%M:%S {short}",
        "short-precise": "%b %d %H:%M:%S.<us>",
        "short-iso": "%Y-%m-%dT%H:%M:%S%z",
        "short-iso-precise": "%Y-%m-%dT%H:%M:%S.<us>%z",
    }
    return lambda entry: line(entry, stamped(entry, patterns[form]))


def _since(site: Site, entry: Entry) -> float:
    return max(entry.at_ms - boot_ms(site.incident, entry.host, site.traces), 0) / SECOND


def _record(site: Site, entry: Entry) -> str:
    record = {
        "__REALTIME_TIMESTAMP": str((entry.at_ms + site.ahead_ms(entry.host)) * 1_000),
        "_HOSTNAME": entry.host,
        "SYSLOG_IDENTIFIER": entry.unit,
        "PRIORITY": str(LEVELS.index(entry.severity)),
        "_TRANSPORT": "kernel" if entry.unit == "kernel" else "journal",
        "MESSAGE": entry.text,
    }
    if entry.pid:
        record["_PID"] = str(entry.pid)
    return json.dumps(record)


def _boots(site: Site, host: str, entries: tuple[Entry, ...]) -> str:
    number = crc32(f"{site.incident.seed} {host} boot".encode())
    first, last = (
        site.clock(host, entry.at_ms, "%a %Y-%m-%d %H:%M:%S %Z")
        for entry in (entries[0], entries[-1])
    )
    return f"0 {number:08x}{number ^ 0x5A17C0DE:08x}{number:08x}{number ^ 0x0BADCAFE:08x} {first}—{last}\n"
