"""What a command of the console is: it gets a call and gives a reply, or fails in its tool's own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site

NODE, LOGIN, CONTROLLER, OSS, MDS, NFS, OTHER, SWITCH = (
    "node",
    "login",
    "controller",
    "oss",
    "mds",
    "nfs",
    "other",
    "switch",
)
STORAGE = (OSS, MDS, NFS)
LINUX = (NODE, LOGIN, CONTROLLER, *STORAGE, OTHER)
"""Kinds of hosts with a full system; a switch knows a handful of commands."""
EVERYWHERE = (*LINUX, SWITCH)


class Failed(Exception):
    """The tool gives up: what it writes to standard error, its exit code, and what it wrote before."""

    def __init__(self, stderr: str, code: int = 1, stdout: str = "") -> None:
        super().__init__(stderr)
        self.reply = Reply(stdout, f"{stderr}\n" if stderr else "", code)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: on which host, by which name, with which arguments after the name."""

    site: Site
    host: str
    name: str
    args: tuple[str, ...]
    stdin: str = ""


Run = Callable[[Call], str | Reply]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: on which kinds of hosts it is installed, and one sentence for the page's help."""

    run: Run
    kinds: tuple[str, ...]
    about: str


def joined(lines: list[str]) -> str:
    """Lines with a line end after each."""
    return "".join(f"{line}\n" for line in lines)
