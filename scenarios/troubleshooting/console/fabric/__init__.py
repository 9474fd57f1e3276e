"""The tools of the compute fabric."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import CONTROLLER, LOGIN, NODE, OTHER, Command
from scenarios.troubleshooting.console.fabric.adapters import (
    ibdev2netdev,
    ibstat,
    ibstatus,
    ibv_devinfo,
    mlxlink,
)
from scenarios.troubleshooting.console.fabric.bandwidth import ib_write_bw
from scenarios.troubleshooting.console.fabric.counters import ibqueryerrors, perfquery
from scenarios.troubleshooting.console.fabric.diagnosis import ibdiagnet
from scenarios.troubleshooting.console.fabric.links import (
    ibhosts,
    iblinkinfo,
    ibnetdiscover,
    ibswitches,
    sminfo,
)

_ALL = (NODE, LOGIN, CONTROLLER, OTHER)
"""Installed everywhere, but only nodes, the login node and ufm01 have an adapter."""
COMMANDS = {
    "ibstat": Command(
        ibstat, _ALL, "A host's adapters with state, rate, LID and firmware: ibstat [CA]."
    ),
    "ibstatus": Command(ibstatus, _ALL, "The same in short, one block for each port."),
    "ibv_devinfo": Command(
        ibv_devinfo, _ALL, "A node's adapters as applications see them: -d, -l."
    ),
    "ibdev2netdev": Command(
        ibdev2netdev, _ALL, "Which adapter is which network interface on a node."
    ),
    "perfquery": Command(
        perfquery,
        _ALL,
        "Counters of a port: perfquery [-x] LID PORT, or of an own one with -C.",
    ),
    "ibqueryerrors": Command(
        ibqueryerrors,
        _ALL,
        "Every port of the fabric that counts errors or waits.",
    ),
    "ibdiagnet": Command(
        ibdiagnet, _ALL, "Looks the whole fabric over: ports that count errors, in short."
    ),
    "iblinkinfo": Command(
        iblinkinfo,
        _ALL,
        "Every link of the fabric with width, rate and both ends.",
    ),
    "ibnetdiscover": Command(
        ibnetdiscover, _ALL, "The fabric's topology: switches, adapters, cables."
    ),
    "ibswitches": Command(ibswitches, _ALL, "The fabric's switches."),
    "ibhosts": Command(ibhosts, _ALL, "The fabric's adapters."),
    "sminfo": Command(sminfo, _ALL, "The subnet manager."),
    "ib_write_bw": Command(
        ib_write_bw,
        (NODE,),
        "Measures a way between two nodes: ib_write_bw -d mlx5_0 [--use_cuda=0] NODE.",
    ),
    "mlxlink": Command(mlxlink, _ALL, "Needs root, which this account is not."),
}
