"""Slurm's commands as a read-only account sees them."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import CONTROLLER, LOGIN, NODE, Command
from scenarios.troubleshooting.console.slurm.accounts import sacct
from scenarios.troubleshooting.console.slurm.control import scontrol
from scenarios.troubleshooting.console.slurm.controller import sdiag, sprio
from scenarios.troubleshooting.console.slurm.info import sinfo
from scenarios.troubleshooting.console.slurm.queue import squeue
from scenarios.troubleshooting.console.slurm.refusals import (
    sacctmgr,
    salloc,
    sbatch,
    scancel,
    sreport,
    srun,
)

_WHERE = (LOGIN, NODE, CONTROLLER)

COMMANDS = {
    "squeue": Command(
        squeue, _WHERE, "Jobs that wait and run: -u, -j, -t, -p, -w, -o, -O, --start, -l, -s."
    ),
    "sacct": Command(
        sacct, _WHERE, "The accounts of all jobs; -a for everybody's, -S and -E for the time."
    ),
    "scontrol": Command(
        scontrol, _WHERE, "show job, node, partition, config, step, hostnames and more; ping."
    ),
    "sinfo": Command(
        sinfo, _WHERE, "Partitions and nodes by state: -N, -l, -R, -o, -O, -p, -n, -t."
    ),
    "sdiag": Command(sdiag, _WHERE, "How the controller and its scheduler are doing."),
    "sprio": Command(sprio, _WHERE, "What the priority of each waiting job is made of."),
    "sacctmgr": Command(
        sacctmgr, _WHERE, "show assoc, account, user, qos, cluster; nothing can be changed."
    ),
    "sreport": Command(
        sreport, _WHERE, "Reports of the accounting database; not open to this account."
    ),
    "srun": Command(srun, _WHERE, "Starting jobs is not open to this account."),
    "salloc": Command(salloc, _WHERE, "Starting jobs is not open to this account."),
    "sbatch": Command(sbatch, _WHERE, "Starting jobs is not open to this account."),
    "scancel": Command(scancel, _WHERE, "Ending jobs is not open to this account."),
}
