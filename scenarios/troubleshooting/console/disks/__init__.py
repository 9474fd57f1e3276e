"""Storage as its clients and servers see it."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import LINUX, LOGIN, MDS, NODE, OSS, STORAGE, Command
from scenarios.troubleshooting.console.disks.arrays import iostat, lsblk, mdadm
from scenarios.troubleshooting.console.disks.lctl import lctl
from scenarios.troubleshooting.console.disks.lfs import lfs
from scenarios.troubleshooting.console.disks.mounts import df, mount, nfsiostat

COMMANDS = {
    "lfs": Command(
        lfs, (LOGIN, NODE), "Lustre as a client sees it: df, getstripe, pool_list, osts, check."
    ),
    "lctl": Command(
        lctl,
        (NODE, LOGIN, OSS, MDS),
        "Lustre's counters: get_param osc.*.stats on nodes, obdfilter.*.job_stats on servers.",
    ),
    "nfsiostat": Command(
        nfsiostat, (LOGIN, NODE), "How long requests to the home directories take."
    ),
    "iostat": Command(iostat, (NODE, *STORAGE), "Block devices: iostat -x [INTERVAL [COUNT]]."),
    "mdadm": Command(mdadm, (OSS,), "One array of a storage server: mdadm --detail /dev/md120."),
    "lsblk": Command(lsblk, (NODE, OSS), "Block devices and what stands on them."),
    "df": Command(df, LINUX, "Space of the mounted file systems."),
    "mount": Command(mount, LINUX, "What is mounted, with its options: mount -t nfs4."),
}
