"""One command on many hosts: pdsh, clush, dshbak."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import CONTROLLER, LOGIN, Command
from scenarios.troubleshooting.console.fleet.gather import dshbak
from scenarios.troubleshooting.console.fleet.many import clush, pdsh

COMMANDS = {
    "pdsh": Command(
        pdsh,
        (LOGIN, CONTROLLER),
        "A command on many hosts: pdsh -w 'NODE[001-020]' uptime; -a for all nodes.",
    ),
    "clush": Command(clush, (LOGIN, CONTROLLER), "The same; -b joins hosts that answer alike."),
    "dshbak": Command(
        dshbak, (LOGIN, CONTROLLER), "Joins what pdsh printed: pdsh ... | dshbak -c."
    ),
}
