"""What machines wrote down: journals, kernel buffers, event logs of the board controllers."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import LINUX, NODE, STORAGE, Command
from scenarios.troubleshooting.console.logs.bmc import ipmitool
from scenarios.troubleshooting.console.logs.dmesg import dmesg
from scenarios.troubleshooting.console.logs.journal import journalctl

COMMANDS = {
    "journalctl": Command(
        journalctl,
        LINUX,
        "A host's journal: -u, -k, -p, -S, -U, -n, -g, -o; it reaches to the window's end.",
    ),
    "dmesg": Command(dmesg, LINUX, "A host's kernel messages: -T for wall clock, -l for levels."),
    "ipmitool": Command(
        ipmitool, (NODE, *STORAGE), "The board controller: sdr, sensor, sel, chassis, mc, fru, lan."
    ),
}
