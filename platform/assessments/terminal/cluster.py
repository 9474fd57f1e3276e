"""The cluster as a terminal sees it: hosts to reach, commands that answer, files that lie on them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from assessments.terminal.metric_export import export

logger = logging.getLogger(__name__)
METRICS = "metric-export"
NO_ANSWER = "the copy of the cluster could not answer that; it is not your fault. Try another form."


class Answer(Protocol):
    """What a program wrote to its two outputs, and its exit code."""

    @property
    def stdout(self) -> str: ...
    @property
    def stderr(self) -> str: ...
    @property
    def code(self) -> int: ...


class Console(Protocol):
    """Commands of the cluster's hosts at one instant."""

    def run(self, host: str, argv: list[str], stdin: str = "") -> Answer: ...
    def commands(self, host: str) -> Sequence[str]: ...
    def files(self, host: str) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Reply:
    stdout: str = ""
    stderr: str = ""
    code: int = 0


@dataclass(frozen=True)
class Cluster:
    """One variant's cluster. `now_ms` is the instant at which its time stands still (ms, UTC)."""

    console: Console
    name: str
    login: str
    hosts: tuple[str, ...]
    zone: str
    now_ms: int
    metrics: Path
    baseline: Path
    help: Sequence[tuple[str, str]] = field(default=())

    def resolve(self, host: str) -> str | Reply:
        """The host's name, or what ssh says of one that it cannot reach."""
        short = host.partition(".")[0]
        if host in ("localhost", "127.0.0.1"):
            return self.login
        if short in self.hosts:
            return short
        text = f"ssh: Could not resolve hostname {host}: Name or service not known\n"
        return Reply("", text, 255)

    def commands(self, host: str) -> list[str]:
        return sorted(self.console.commands(host))

    def files(self, host: str, wanted: Sequence[str]) -> dict[str, str]:
        """Path -> text of a host's files that are named, lie in a folder named or match a pattern."""
        if host not in self.hosts:
            return {}
        found = self.console.files(host)
        return {path: found[path] for path in found if any(_matches(path, one) for one in wanted)}

    def run(self, host: str, argv: list[str], stdin: str = "") -> Answer:
        """Answer a command line. Never raises: a fault of ours is an answer that says so."""
        if argv[0] == METRICS:
            return self._export(argv[1:])
        if host not in self.hosts:
            return Reply("", f"{argv[0]}: no host {host[:80]!r} here\n", 1)
        try:
            return self.console.run(host, argv, stdin)
        except Exception:
            logger.exception("The console failed on %s at %r", host, argv[:20])
            return Reply("", f"{argv[0]}: {NO_ANSWER}\n", 1)

    def _export(self, arguments: list[str]) -> Reply:
        try:
            text, note = export(arguments, self)
        except ValueError as error:
            return Reply("", f"{METRICS}: {error}\n", 2)
        except OSError:
            logger.exception("The history of metrics could not be read")
            return Reply("", f"{METRICS}: {NO_ANSWER}\n", 1)
        return Reply(text, note)


def _matches(path: str, wanted: str) -> bool:
    plain = ".." not in path.split("/")
    return plain and (f"{path}/".startswith(f"{wanted.rstrip('/')}/") or fnmatchcase(path, wanted))
