"""A command line as it runs on another host without a terminal: one program, and filters behind it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from itertools import groupby

from scenarios.troubleshooting.console.command import Failed, joined
from scenarios.troubleshooting.console.options import Grammar, whole
from scenarios.troubleshooting.console.patterns import Refused, pattern_of
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site

_GREP = Grammar(
    "grep", "EFivchHnowxq", "emABC", {}, "Usage: grep [OPTION]... PATTERNS [FILE]...", 2
)
_COUNT = Grammar("head", "qv", "nc", {}, "Try 'head --help' for more information.")
NOT_HERE = "bash: this terminal runs one program and simple filters on many hosts; use ssh for more"


def run_line(site: Site, host: str, line: str) -> Reply:
    """What `ssh HOST LINE` would print. Filters: grep, head, tail, wc -l, sort, uniq."""
    try:
        reader = shlex.shlex(line, posix=True, punctuation_chars="|;&<>()")
        reader.whitespace_split = True
        words = list(reader)
    except ValueError:
        return Reply("", "bash: unexpected EOF while looking for matching quote\n", 2)
    stages: list[list[str]] = [[]]
    for word in _plain(words):
        if word == "|":
            stages.append([])
        elif set(word) <= set("|;&<>()") and word:
            return Reply("", f"{NOT_HERE}\n", 2)
        else:
            stages[-1].append(word)
    if any(not stage for stage in stages):
        return Reply(
            "",
            f"bash: syntax error near unexpected token `{'|' if len(stages) > 1 else 'newline'}'\n",
            2,
        )
    try:
        return _piped(site, host, stages)
    except Failed as failed:
        return failed.reply


def _plain(words: list[str]) -> list[str]:
    """Without `2>/dev/null` and `2>&1`, which change nothing here."""
    text = "\0".join(words)
    for ending in ("2\0>\0/dev/null", "2\0>&\x001"):
        text = text.replace(f"\0{ending}", "")
    return text.split("\0") if text else []


def _piped(site: Site, host: str, stages: list[list[str]]) -> Reply:
    first, *rest = stages
    reply = _first(site, host, first)
    text, code = reply.stdout, reply.code
    for stage in rest:
        text, code = _filtered(stage, text)
    return Reply(text, reply.stderr, code)


def _first(site: Site, host: str, argv: list[str]) -> Reply:
    """A console command, or one that reads the host's files."""
    files = [word for word in argv[1:] if word.startswith("/")]
    if argv[0] in ("cat", "grep", "egrep", "fgrep", "head", "tail", "wc") and files:
        missing = [path for path in files if path not in site.files(host)]
        if missing:
            return Reply("", f"{argv[0]}: {missing[0]}: No such file or directory\n", 1)
        text = "".join(site.files(host)[path] for path in files)
        if argv[0] == "cat":
            return Reply(text)
        found, code = _filtered([word for word in argv if word not in files], text)
        return Reply(found, "", code)
    return site.ask(host, argv, "")


def _filtered(argv: list[str], text: str) -> tuple[str, int]:
    """(what a filter leaves, its exit code). Raises Failed."""
    filters: dict[str, Callable[[list[str], list[str]], tuple[list[str], int]]] = {
        "grep": _grep,
        "egrep": _grep,
        "fgrep": _grep,
        "head": _head,
        "tail": _tail,
        "wc": _wc,
        "sort": lambda args, lines: (sorted(lines, reverse="-r" in args), 0),
        "uniq": lambda args, lines: ([line for line, _ in groupby(lines)], 0),
        "cat": lambda args, lines: (lines, 0),
    }
    run = filters.get(argv[0])
    if run is None:
        raise Failed(NOT_HERE, 2)
    lines, code = run(argv[1:], text.splitlines())
    return joined(lines), code


def _grep(args: list[str], lines: list[str]) -> tuple[list[str], int]:
    asked = _GREP.read(args)
    words = asked.values.get("e", []) or asked.rest[:1]
    if not words:
        raise Failed(_GREP.hint, 2)
    word = "|".join(words).replace("\\|", "|")
    try:
        pattern = pattern_of(word, asked.has("i"))
    except Refused as refused:
        raise Failed(f"grep: {refused}", 2) from None
    found = [line for line in lines if (pattern.search(line[:1_000]) is None) == asked.has("v")]
    code = 0 if found else 1
    if asked.has("c"):
        return [str(len(found))], code
    return ([] if asked.has("q") else found[: whole(asked.get("m"), len(found))]), code


def _number(args: list[str]) -> int:
    """`-n 3`, `-n3`, `-3`."""
    if args and args[0][:1] == "-" and args[0][1:].isascii() and args[0][1:].isdigit():
        return whole(args[0][1:], 10)
    return whole((_COUNT.read(args).get("n") or "10").lstrip("+-"), 10)


def _head(args: list[str], lines: list[str]) -> tuple[list[str], int]:
    return lines[: _number(args)], 0


def _tail(args: list[str], lines: list[str]) -> tuple[list[str], int]:
    count = _number(args)
    return lines[len(lines) - min(count, len(lines)) :], 0


def _wc(args: list[str], lines: list[str]) -> tuple[list[str], int]:
    if "-l" in args:
        return [str(len(lines))], 0
    size = sum(len(line) + 1 for line in lines)
    return [f"{len(lines):>7} {sum(len(line.split()) for line in lines):>7} {size:>7}"], 0
