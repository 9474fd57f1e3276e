"""`Console`: every command of every host, and the files beside them."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.troubleshooting.console import disks, fabric, fleet, gpus, host, kube, logs, slurm
from scenarios.troubleshooting.console.command import Call, Command, Failed
from scenarios.troubleshooting.console.files import Files, files
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.truth import Incident

COMMANDS: Mapping[str, Command] = {
    **gpus.COMMANDS,
    **slurm.COMMANDS,
    **fabric.COMMANDS,
    **kube.COMMANDS,
    **logs.COMMANDS,
    **disks.COMMANDS,
    **host.COMMANDS,
    **fleet.COMMANDS,
}
HELP: tuple[tuple[str, str], ...] = tuple(
    (name, command.about) for name, command in COMMANDS.items()
)
"""(name, one sentence) of every command, for the page's help."""
NOT_FOUND, UNUSABLE = 127, 126
MOST_ARGUMENTS, LONGEST_ARGUMENT = 256, 4_096
"""What is longer than any honest call is refused before a tool reads it."""


class Console:
    """The cluster's commands, answered from one incident.

    The same call gives the same reply; nothing is changed by any of them. One console may be asked by
    several threads.
    """

    def __init__(self, incident: Incident) -> None:
        self._site = Site(incident)
        self._site.connect(self.run, self.files)
        self._files: dict[str, Files] = {}

    @property
    def now_ms(self) -> int:
        """The instant at which time stands still, ms UTC."""
        return self._site.now_ms

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts on which somebody can log in."""
        return self._site.hosts

    def commands(self, host: str) -> list[str]:
        """Names of the commands that are installed on a host; none for one that does not exist."""
        kind = self._site.kind(host)
        return [name for name, command in COMMANDS.items() if kind in command.kinds]

    def files(self, host: str) -> Mapping[str, str]:
        """Path -> text of the files that the host has; texts are made when asked for."""
        if host not in self._files:
            self._files[host] = files(self._site, host)
        return self._files[host]

    def run(self, host: str, argv: list[str], stdin: str = "") -> Reply:
        """Run one command with its arguments on a host. Never raises for what was typed."""
        if not argv or not argv[0]:
            return Reply()
        name, args = argv[0].rpartition("/")[2], tuple(argv[1:])
        command = COMMANDS.get(name)
        if command is None or self._site.kind(host) not in command.kinds:
            return Reply("", f"bash: {argv[0]}: command not found\n", NOT_FOUND)
        if len(args) > MOST_ARGUMENTS or any(len(arg) > LONGEST_ARGUMENT for arg in args):
            return Reply("", f"bash: {argv[0]}: Argument list too long\n", UNUSABLE)
        try:
            found = command.run(Call(self._site, host, name, args, stdin))
        except Failed as failed:
            return failed.reply
        return found if isinstance(found, Reply) else Reply(found)
