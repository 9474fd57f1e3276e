"""`scontrol show partition`, `config`, `topology`: what slurm.conf and topology.conf make of the cluster."""

from __future__ import annotations

import re

from scenarios.troubleshooting.console.command import joined
from scenarios.troubleshooting.console.reply import Reply
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.console.slurm.words import hosts_of
from scenarios.troubleshooting.plant import NODE_MEMORY_MIB, THREADS
from scenarios.troubleshooting.texts.slurm_conf import files
from scenarios.troubleshooting.texts.slurm_words import gpu_type, hostlist, stamp
from scenarios.troubleshooting.texts.system_host import boot_ms


def conf(site: Site, name: str) -> str:
    """One of Slurm's files on the controller as it is now."""
    return files(site.incident)[f"/etc/slurm/{name}"][1]


def partition_block(site: Site, name: str) -> str:
    """One partition; its times and factors stand in slurm.conf."""
    line = next(
        row
        for row in conf(site, "slurm.conf").splitlines()
        if row.startswith(f"PartitionName={name} ")
    )
    told = dict(re.findall(r"(\w+)=(\S+)", line))
    plant = site.incident.plant
    count, gpus = len(plant.nodes), len(plant.nodes) * plant.gpus_per_node
    return joined(
        [
            f"PartitionName={name}",
            "   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL",
            f"   AllocNodes=ALL Default={told.get('Default', 'NO')} QoS=N/A",
            f"   DefaultTime={told['DefaultTime']} DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO",
            f"   MaxNodes=UNLIMITED MaxTime={told['MaxTime']} MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED",
            f"   Nodes={told['Nodes']}",
            f"   PriorityJobFactor={told.get('PriorityJobFactor', '1')} PriorityTier=1 RootOnly=NO ReqResv=NO "
            "OverSubscribe=NO",
            "   OverTimeLimit=NONE PreemptMode=OFF",
            f"   State={told['State']} TotalCPUs={count * THREADS} TotalNodes={count} "
            "SelectTypeParameters=NONE",
            f"   JobDefaults=DefMemPerGPU={told['DefMemPerGPU']}",
            "   DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED",
            f"   TRES=cpu={count * THREADS},mem={count * NODE_MEMORY_MIB}M,node={count},"
            f"billing={count * THREADS},gres/gpu={gpus},gres/gpu:{gpu_type(plant)}={gpus}",
            "",
        ]
    )


_USUAL = {
    "AccountingStoragePort": "6819",
    "BatchStartTimeout": "10 sec",
    "CompleteWait": "0 sec",
    "EnforcePartLimits": "NO",
    "FirstJobId": "1",
    "JobRequeue": "1",
    "MaxArraySize": "1001",
    "MaxJobCount": "10000",
    "MaxStepCount": "40000",
    "OverTimeLimit": "0 min",
    "PreemptMode": "OFF",
    "PreemptType": "preempt/none",
    "PriorityMaxAge": "7-00:00:00",
    "PriorityCalcPeriod": "00:05:00",
    "PrivateData": "none",
    "TCPTimeout": "2 sec",
    "UnkillableStepTimeout": "60 sec",
    "VSizeFactor": "0 percent",
    "WaitTime": "0 sec",
}
"""Settings that the file leaves as they come."""
_SECONDS = (
    "SlurmctldTimeout",
    "SlurmdTimeout",
    "InactiveLimit",
    "MinJobAge",
    "KillWait",
    "MessageTimeout",
    "HealthCheckInterval",
    "JobAcctGatherFrequency",
)


def settings(site: Site) -> str:
    """`scontrol show config`: what slurm.conf says, and what it leaves as it comes."""
    plant, calendar = site.incident.plant, site.incident.calendar
    found = dict(_USUAL)
    for line in conf(site, "slurm.conf").splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith(("#", "NodeName", "PartitionName")):
            found[name] = f"{value} sec" if name in _SECONDS else value
    found["SlurmctldHost[0]"] = found.pop("SlurmctldHost")
    found["SLURM_CONF"] = "/etc/slurm/slurm.conf"
    found["SLURM_VERSION"] = plant.versions.slurm
    found["BOOT_TIME"] = stamp(calendar, boot_ms(site.incident, plant.controller, site.traces))
    head = f"Configuration data as of {stamp(calendar, site.now_ms)}"
    rows = [f"{name:<24}= {found[name]}" for name in sorted(found, key=str.lower)]
    lines = ["", "Cgroup Support Configuration:"]
    for line in conf(site, "cgroup.conf").splitlines():
        name, _, value = line.partition("=")
        lines.append(f"{name:<24}= {value}")
    return joined([head, *rows, *lines, "", f"Slurmctld(primary) at {plant.controller} is UP"])


def topology(site: Site, name: str | None) -> str | Reply:
    """`scontrol show topology [SWITCH or NODE]`."""
    rows = []
    for line in conf(site, "topology.conf").splitlines():
        told = dict(re.findall(r"(\w+)=(\S+)", line))
        if "Nodes" in told:
            rows.append((told["SwitchName"], 0, told["Nodes"], ""))
        else:
            whole = hostlist([node.name for node in site.incident.plant.nodes])
            rows.append((told["SwitchName"], 1, whole, f" Switches={told['Switches']}"))
    if name is not None:
        rows = [row for row in rows if row[0] == name or name in hosts_of(row[2])]
        if not rows:
            return Reply("", f"scontrol: error: Could not find switch or node {name}\n", 1)
    return joined(
        [f"SwitchName={s} Level={level} LinkSpeed=1 Nodes={n}{more}" for s, level, n, more in rows]
    )
