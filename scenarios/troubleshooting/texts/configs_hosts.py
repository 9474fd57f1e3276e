"""Configuration of hosts, switches and the subnet manager, as it is and as it last was known to be good."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.troubleshooting.herrings.changed import CMDLINE, FIRMWARE, FSTAB, OPENSM, SYSCTL
from scenarios.troubleshooting.texts import fleet, harmless
from scenarios.troubleshooting.texts.train_files import differences
from scenarios.troubleshooting.traces import Trace
from scenarios.troubleshooting.truth import Incident


@dataclass
class Pair:
    """One file twice. Lines are (text last known good, text now, tag).

    `fresh` are the places of those that the former file did not have.
    """

    host: str
    path: str
    lines: list[tuple[str, str, str | None]] = field(default_factory=list)
    fresh: set[int] = field(default_factory=set)

    def same(self, *texts: str) -> None:
        self.lines += [(text, text, None) for text in texts]

    def now(self) -> list[tuple[str, str | None]]:
        """(line, tag) as the file is."""
        return [(text, tag) for _, text, tag in self.lines]

    def good(self) -> list[str]:
        """Lines as it last was known to be good."""
        return [row[0] for place, row in enumerate(self.lines) if place not in self.fresh]

    def by_many(self, incident: Incident, file: str, path: str = "") -> None:
        """What others changed in it, and the lines that they added."""
        for before, now, tag in fleet.changes(incident, file, path):
            if not now:
                continue
            if not before:
                self.fresh.add(len(self.lines))
            self.lines.append((before, now, tag))

    def moved(self, before: str, after: str, tag: str | None = None) -> None:
        self.lines.append((before, after, tag))


_OPTIONS = "nfs4,rsize=1048576,wsize=1048576,nconnect=16,noatime"


def host_files(incident: Incident) -> list[Pair]:
    """Every file under configuration management that is not Slurm's, in order of host and path."""
    traces = differences(incident)
    pairs = [
        _fstab(incident, traces),
        _resolver(incident),
        _sysctl(incident),
        _chrony(incident),
        _profiles(incident, traces),
        _limits(incident, traces),
        _opensm(incident, traces),
        _directories(incident, traces),
    ]
    pairs += [_ports(incident, name, traces) for name in incident.plant.storage_switches]
    return pairs + (_inventories(incident) if incident.settings.fleet else [])


def _found(traces: list[Trace], path: str, host: str | None = None) -> Trace | None:
    for trace in traces:
        if trace.fields["path"] == path and host in (None, trace.host):
            return trace
    return None


def _inventories(incident: Incident) -> list[Pair]:
    """What every node was started with and which firmware it has, one line each, as pdsh shows it."""
    plain = {
        CMDLINE: "root=/dev/mapper/vg0-root ro console=ttyS0",
        FIRMWARE: "bmc 01.02.37 nvme GDC7302Q",
    }
    pairs = [Pair("nodes", path) for path in plain]
    for pair in pairs:
        for node in incident.plant.nodes:
            before = now = f"{node.name}: {plain[pair.path]}"
            own = [one for one in fleet.decoys(incident, pair.path) if one.host == node.name]
            for one in own:
                now = now.replace(one.before, one.after) if one.before else f"{now} {one.after}"
            pair.moved(before, now, own[0].key if own else None)
    return pairs


def _fstab(incident: Incident, traces: list[Trace]) -> Pair:
    plant = incident.plant
    pair, storage = Pair("nodes", FSTAB), plant.storage
    trace = _found(traces, pair.path)
    before = str(trace.fields["before"]) if trace else _OPTIONS
    after = str(trace.fields["after"]) if trace else _OPTIONS
    pair.same("# <file system> <mount point> <type> <options> <dump> <pass>")
    pair.same("UUID=6f0c1b2e-6a0e-4f0d-9b53-1c0a7d2be911 / ext4 defaults 0 1")
    local = "/dev/md0 /local xfs defaults,noatime 0 0"
    if not fleet.decoys(incident, FSTAB):
        pair.same(local)
    pair.by_many(incident, "fstab", FSTAB)
    mds = f"{storage.mds_ip}@tcp:/{storage.fsname}"
    pair.same(f"{mds} {storage.mount} lustre defaults,_netdev,flock 0 0")
    source = f"{storage.nfs_server}:{storage.nfs_export} {storage.home}"
    texts = [f"{source} {_nfs(text)} 0 0" for text in (before, after)]
    pair.moved(texts[0], texts[1], trace.tag if trace else None)
    return pair


def _nfs(options: str) -> str:
    """`nfs4,a,b` as the two columns of fstab."""
    kind, _, rest = options.partition(",")
    return f"{kind} {rest},_netdev"


def _resolver(incident: Incident) -> Pair:
    """The list of name servers has not changed; whether the first one answers is another matter."""
    pair = Pair("nodes", "/etc/resolv.conf")
    gone = next((c.key for c in incident.causes if c.key == "name-service-slow"), None)
    pair.same(f"search {incident.plant.domain}")
    first = "nameserver 10.20.0.53"
    pair.moved(first, first, gone)
    pair.same("nameserver 10.20.0.54", "nameserver 10.20.0.55")
    if gone is None:
        pair.same("options timeout:1 attempts:2 rotate")
    return pair


def _sysctl(incident: Incident) -> Pair:
    pair = Pair("nodes", "/etc/sysctl.d/90-hpc.conf")
    pair.same("vm.swappiness = 1", "vm.zone_reclaim_mode = 0", "kernel.numa_balancing = 0")
    pair.same("net.core.rmem_max = 268435456", "net.core.wmem_max = 268435456")
    if incident.settings.fleet:
        pair.by_many(incident, "sysctl", SYSCTL)
        return pair
    for before, now in harmless.lines(incident.seed, harmless.SYSCTL):
        pair.moved(before, now)
    return pair


def _chrony(incident: Incident) -> Pair:
    pair = Pair("nodes", "/etc/chrony/chrony.conf")
    pair.same("server 10.20.0.11 iburst", "server 10.20.0.12 iburst")
    pair.by_many(incident, "chrony")
    quiet = [] if incident.settings.fleet else harmless.lines(incident.seed, harmless.CHRONY)
    for before, now in quiet:
        pair.moved(before, now)
    pair.same("makestep 1.0 3", "rtcsync")
    return pair


def _profiles(incident: Incident, traces: list[Trace]) -> Pair:
    """tuned's profile of every node, one line each, as pdsh shows it."""
    pair = Pair("nodes", "/etc/tuned/active_profile")
    for node in incident.plant.nodes:
        trace = _found(traces, pair.path, node.name)
        before = str(trace.fields["before"]) if trace else "throughput-performance"
        kept = fleet.of_node(incident, "profile", node.name, before)
        after = str(trace.fields["after"]) if trace else kept
        pair.moved(f"{node.name}: {before}", f"{node.name}: {after}", trace.tag if trace else None)
    return pair


def _limits(incident: Incident, traces: list[Trace]) -> Pair:
    """What the boot unit sets as power limit on every node, one line each."""
    pair = Pair("nodes", "/etc/default/gpu-power")
    for node in incident.plant.nodes:
        trace = _found(traces, pair.path, node.name)
        before = str(trace.fields["before"]) if trace else str(incident.plant.top_w)
        kept = fleet.of_node(incident, "power", node.name, before)
        after = str(trace.fields["after"]) if trace else kept
        texts = [f"{node.name}: GPU_POWER_LIMIT_W={watts}" for watts in (before, after)]
        pair.moved(texts[0], texts[1], trace.tag if trace else None)
    return pair


def _opensm(incident: Incident, traces: list[Trace]) -> Pair:
    pair = Pair("ufm01", "/etc/opensm/opensm.conf")
    trace = _found(traces, pair.path)
    crowd = next((c.key for c in incident.causes if c.key == "fabric-neighbour"), None)
    static = "updn" if crowd else "ar_updn"
    before = str(trace.fields["before"]) if trace else static
    after = str(trace.fields["after"]) if trace else static
    pair.same(
        "guid 0x0000000000000000", "m_key 0x0000000000000000", "subnet_prefix 0xfe80000000000000"
    )
    pair.same("lmc 0", "max_wire_smps 8", "transaction_timeout 200", *_sweep(incident))
    pair.moved(f"routing_engine {before}", f"routing_engine {after}", trace.tag if trace else crowd)
    pair.same("root_guid_file /etc/opensm/root_guids.conf", "use_ucast_cache TRUE", "qos FALSE")
    pair.same("log_file /var/log/opensm.log")
    if incident.settings.fleet:
        pair.by_many(incident, "opensm", OPENSM)
        return pair
    for was, now in harmless.lines(incident.seed, harmless.OPENSM):
        pair.moved(was, now)
    return pair


def _sweep(incident: Incident) -> list[str]:
    """The line that a herring changes stands with the others that changed."""
    return [] if fleet.decoys(incident, OPENSM) else ["sweep_interval 10"]


def _directories(incident: Incident, traces: list[Trace]) -> Pair:
    """Where new files of some directories go: `lfs getstripe -d`."""
    training, mount = incident.training, incident.plant.storage.mount
    pair = Pair(incident.plant.login, "/lustre/directory-defaults")
    rebuild = next((c.key for c in incident.causes if c.key == "ost-rebuild"), None)
    for folder in (
        training.checkpoints,
        training.dataset,
        f"{mount}/projects/vision",
        f"{mount}/scratch",
    ):
        trace = _found(traces, f"lfs getstripe -d {folder}")
        count = 1 if folder == training.dataset else 8
        tag = rebuild if folder == training.dataset else None
        pools = (
            [str(trace.fields[name]) for name in ("before", "after")]
            if trace
            else ["flash", "flash"]
        )
        pair.same(folder)
        texts = [
            f"stripe_count:  {count} stripe_size:   4194304 pattern: raid0 stripe_offset: -1 pool: {pool}"
            for pool in pools
        ]
        pair.moved(texts[0], texts[1], trace.tag if trace else tag)
        pair.same("")
    return pair


def _ports(incident: Incident, name: str, traces: list[Trace]) -> Pair:
    """The first sixteen ports of a storage switch, where servers and nodes are bonded."""
    plant, pair = incident.plant, Pair(name, "/etc/network/interfaces")
    if incident.settings.fleet:
        pair.same("auto bridge", "iface bridge")
        pair.by_many(incident, "interfaces")
        pair.same("")
    trace = _found(traces, pair.path, name)
    stricken: set[int] = set()
    if trace:
        first, last = str(trace.fields["key"]).split()[0].removeprefix("swp").split("-")
        stricken = set(range(int(first), int(last) + 1))
    for port in range(1, 17):
        pair.same(f"auto swp{port}", f"iface swp{port}", f"    bridge-vids {plant.storage.vlan}")
        if trace and port in stricken:
            pair.moved(
                f"    mtu {trace.fields['before']}", f"    mtu {trace.fields['after']}", trace.tag
            )
        else:
            pair.same("    mtu 9216")
        pair.same("")
    return pair
