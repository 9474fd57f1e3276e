"""`pdsh` and `clush`: the same command line on many hosts, each line after its host's name."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.troubleshooting.console.command import Call, Failed
from scenarios.troubleshooting.console.fleet.gather import gathered
from scenarios.troubleshooting.console.fleet.remote import run_line
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.slurm.words import hosts_of

MOST_HOSTS, MOST_OUTPUT = 256, 4_000_000
_TAKES = {
    "-w": "w",
    "-x": "x",
    "-l": "l",
    "-f": "f",
    "-t": "t",
    "-u": "u",
    "-R": "R",
    "-g": "g",
    "-o": "o",
}
_USAGE = {
    "pdsh": "Usage: pdsh [-options] command ...\n-w host,host,...  set target node list on command line",
    "clush": "Usage: clush [options] command",
}


@dataclass(slots=True)
class _Asked:
    """Hosts, the command line, and whether answers are joined or stand without the host's name."""

    hosts: list[str]
    line: str
    joined: bool = False
    bare: bool = False


def pdsh(call: Call) -> str | Reply:
    return _run(call, _read(call))


def clush(call: Call) -> str | Reply:
    return _run(call, _read(call))


def _read(call: Call) -> _Asked:
    """Options before the command line; what follows is the command. Raises Failed."""
    words, hosts, left_out = list(call.args), list[str](), set[str]()
    found = _Asked([], "")
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("-h", "--help"):
            raise Failed("", 0, f"{_USAGE[call.name]}\n")
        name = "-" + option[-1] if option.startswith("-b") and len(option) == 3 else option
        found.joined = found.joined or option[:2] == "-b"
        found.bare = found.bare or option in ("-N",)
        if name == "-a":
            hosts += call.site.nodes
        elif name[:2] in _TAKES and not option.startswith("--"):
            value = name[2:] or (words.pop(0) if words else "")
            if name[:2] in ("-w", "-x"):
                named = hosts_of(value)
                hosts, left_out = (
                    (hosts + named, left_out)
                    if name[:2] == "-w"
                    else (hosts, left_out | set(named))
                )
        elif name not in ("-b", "-B", "-N", "-S", "-q", "-d", "-L"):
            raise Failed(
                f"{call.name}: invalid option -- '{option.lstrip('-')[:1]}'\n{_USAGE[call.name]}"
            )
    found.hosts = [host for host in dict.fromkeys(hosts) if host not in left_out][:MOST_HOSTS]
    found.line = words[0] if len(words) == 1 else " ".join(words)
    if not found.hosts:
        raise Failed(f"{call.name}@{call.host}: no remote hosts specified")
    if not found.line.strip():
        raise Failed(
            f"{call.name}@{call.host}: no command given; this terminal runs one command at a time"
        )
    return found


def _run(call: Call, asked: _Asked) -> Reply:
    answers: dict[str, list[str]] = {}
    errors, size = [], 0
    for host in asked.hosts:
        if not call.site.kind(host):
            errors.append(
                f"{host}: ssh: Could not resolve hostname {host}: Name or service not known"
            )
            errors.append(f"{call.name}@{call.host}: {host}: ssh exited with exit code 255")
            continue
        reply = run_line(call.site, host, asked.line)
        size += len(reply.stdout)
        if size > MOST_OUTPUT:
            errors.append(
                f"{call.name}@{call.host}: too much output; ask fewer hosts or filter on the hosts"
            )
            break
        answers[host] = reply.stdout.splitlines()
        errors += [f"{host}: {line}" for line in reply.stderr.splitlines()]
        if reply.code:
            errors.append(
                f"{call.name}@{call.host}: {host}: ssh exited with exit code {reply.code}"
            )
    if asked.joined:
        text = gathered(answers, True)
    else:
        text = "".join(
            f"{line}\n" if asked.bare else f"{host}: {line}\n"
            for host, lines in answers.items()
            for line in lines
        )
    return Reply(text, "".join(f"{error}\n" for error in errors), 0)
