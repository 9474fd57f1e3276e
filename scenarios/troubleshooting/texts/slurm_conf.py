"""Slurm's configuration files, which a real 22.05 reads: as they are and as they last were known to be good."""

from __future__ import annotations

from scenarios.troubleshooting.hall import UNIT
from scenarios.troubleshooting.herrings.changed import SLURM
from scenarios.troubleshooting.plant import CORES_PER_SOCKET, NODE_MEMORY_MIB, SOCKETS, Plant
from scenarios.troubleshooting.texts import fleet, harmless
from scenarios.troubleshooting.texts.slurm_words import gpu_type, hostlist
from scenarios.troubleshooting.truth import Incident

_HEAD = """\
# {path}: written by configuration management, do not edit on hosts
ClusterName={cluster}
SlurmctldHost={controller}
SlurmUser=slurm
SlurmctldPort=6817
SlurmdPort=6818
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
SlurmdLogFile=/var/log/slurm/slurmd.log
SlurmctldDebug=info
SlurmdDebug=info
MpiDefault=none
ProctrackType=proctrack/cgroup
TaskPlugin=task/affinity,task/cgroup
LaunchParameters=enable_nss_slurm
PropagateResourceLimitsExcept=MEMLOCK
ReturnToService=1
RebootProgram=/sbin/reboot
# timers
SlurmctldTimeout=120
SlurmdTimeout=300
InactiveLimit=0
MinJobAge=600
KillWait=30
MessageTimeout=30
# scheduling
SchedulerType=sched/backfill
SchedulerParameters=bf_continue,bf_window=4320,bf_resolution=180,bf_max_job_test=100,default_queue_depth=200
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
TopologyPlugin=topology/tree
PriorityType=priority/multifactor
PriorityDecayHalfLife=7-0
PriorityWeightFairshare=100000
PriorityWeightAge=2000
PriorityWeightQOS=50000
# accounting
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost={controller}
AccountingStorageTRES=gres/gpu,gres/gpu:{kind}
AccountingStorageEnforce=associations,limits,qos
JobAcctGatherType=jobacct_gather/cgroup
JobAcctGatherFrequency=30
JobCompType=jobcomp/none
# health
HealthCheckProgram=/usr/sbin/nhc
HealthCheckInterval=300
HealthCheckNodeState=IDLE
# GPUs
GresTypes=gpu
"""

_CGROUP = """\
CgroupMountpoint=/sys/fs/cgroup
CgroupPlugin=autodetect
ConstrainCores=yes
ConstrainDevices=yes
ConstrainRAMSpace=yes
ConstrainSwapSpace=no
AllowedRAMSpace=100
"""


_PLUGINS = """\
required /usr/lib/x86_64-linux-gnu/slurm/spank_pyxis.so runtime_path=/run/pyxis
# adds --cpu-quota=N to srun: at most N CPUs' time for the whole step on each node (cpu.max)
optional /usr/lib/x86_64-linux-gnu/slurm/spank_cpu_quota.so
"""


def files(incident: Incident) -> dict[str, tuple[str, str]]:
    """Path on the controller -> (last known good, now)."""
    plant = incident.plant
    path = SLURM
    gres, tree = _gres(plant), _topology(plant)
    whole = _slurm(plant, path)
    return {
        path: (whole, _now(incident, whole)),
        "/etc/slurm/gres.conf": (gres, gres),
        "/etc/slurm/cgroup.conf": (_CGROUP, _CGROUP),
        "/etc/slurm/topology.conf": (tree, tree),
        "/etc/slurm/plugstack.conf": (_PLUGINS, _PLUGINS),
    }


def _now(incident: Incident, text: str) -> str:
    moved = harmless.lines(incident.seed, harmless.SLURM)
    if incident.settings.fleet:
        moved = [row[:2] for row in fleet.changes(incident, "slurm.conf", SLURM)]
    for before, now in moved:
        text = text.replace(f"\n{before}\n", f"\n{now}\n")
    return text


def _slurm(plant: Plant, path: str) -> str:
    kind, names = gpu_type(plant), hostlist([node.name for node in plant.nodes])
    gpus = plant.gpus_per_node
    head = _HEAD.format(path=path, cluster=plant.cluster, controller=plant.controller, kind=kind)
    nodes = (
        f"NodeName={names} Sockets={SOCKETS} CoresPerSocket={CORES_PER_SOCKET} ThreadsPerCore=2 "
        f"RealMemory={NODE_MEMORY_MIB} TmpDisk=28000000 Gres=gpu:{kind}:{gpus} Feature={kind},ib State=UNKNOWN"
    )
    shared = f"Nodes={names} DefMemPerGPU=240000 State=UP"
    return (
        f"{head}{nodes}\n"
        f"PartitionName=train {shared} Default=YES MaxTime=2-00:00:00 DefaultTime=04:00:00\n"
        f"PartitionName=dev {shared} MaxTime=2-00:00:00 DefaultTime=01:00:00 PriorityJobFactor=100\n"
    )


def _gres(plant: Plant) -> str:
    """GPUs of the first socket and of the second, with the cores that are near them."""
    names, kind = hostlist([node.name for node in plant.nodes]), gpu_type(plant)
    half, cores = plant.gpus_per_node // 2, CORES_PER_SOCKET
    return (
        "AutoDetect=off\n"
        f"NodeName={names} Name=gpu Type={kind} File=/dev/nvidia[0-{half - 1}] Cores=0-{cores - 1}\n"
        f"NodeName={names} Name=gpu Type={kind} File=/dev/nvidia[{half}-{2 * half - 1}] "
        f"Cores={cores}-{2 * cores - 1}\n"
    )


def _topology(plant: Plant) -> str:
    """One switch for the leaves of each scalable unit: a node is cabled to all of them."""
    units = [plant.nodes[at : at + UNIT] for at in range(0, len(plant.nodes), UNIT)]
    rows = [
        f"SwitchName=su{number} Nodes={hostlist([node.name for node in unit])}"
        for number, unit in enumerate(units, start=1)
    ]
    names = hostlist([f"su{number}" for number in range(1, len(units) + 1)])
    return "\n".join([*rows, f"SwitchName=spines Switches={names}", ""])
