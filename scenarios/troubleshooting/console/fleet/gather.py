"""`dshbak`: what many hosts printed, host by host, or once for all hosts that printed the same."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.texts.slurm_words import hostlist

_RULE = "-" * 16


def dshbak(call: Call) -> str:
    """`-c` joins hosts with the same lines."""
    unknown = [word for word in call.args if word not in ("-c", "-h")]
    if unknown or "-h" in call.args:
        raise Failed(
            "Usage: dshbak [OPTION]...\n   -c   Coalesce identical output from hosts.",
            1 if unknown else 0,
        )
    answers: dict[str, list[str]] = {}
    for line in call.stdin.splitlines():
        host, sign, rest = line.partition(":")
        if sign:
            answers.setdefault(host.strip(), []).append(rest.removeprefix(" "))
    return gathered(answers, "-c" in call.args)


def gathered(answers: Mapping[str, list[str]], same: bool) -> str:
    """Blocks under a heading of hosts; with `same`, hosts that printed the same stand together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for host, lines in answers.items():
        groups.setdefault((*lines,) if same else (host, *lines), []).append(host)
    rows: list[str] = []
    for told, hosts in groups.items():
        rows += [_RULE, hostlist(hosts), _RULE, *(told if same else told[1:])]
    return joined(rows)
