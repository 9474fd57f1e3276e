"""The console prints the same bytes as the materials wherever both have the same command on the same host."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from scenarios.troubleshooting.console import Console
from scenarios.troubleshooting.tests.built import Built, build
from scenarios.troubleshooting.texts.system_documents import FIELDS


@dataclass(frozen=True)
class Asked:
    """One variant with its console."""

    built: Built
    console: Console

    def out(self, host: str, command: str) -> str:
        """Standard output of a command that succeeds."""
        reply = self.console.run(host, shlex.split(command))
        assert (reply.stderr, reply.code) == ("", 0), (host, command, reply)
        return reply.stdout

    @property
    def nodes(self) -> Iterator[str]:
        return (node.name for node in self.built.incident.training.nodes)


@pytest.fixture(
    scope="module", params=(("mid", 1), ("junior", 0)), ids=lambda pair: f"{pair[0]}-{pair[1]}"
)
def asked(request: pytest.FixtureRequest) -> Asked:
    built = build(*request.param)
    return Asked(built, Console(built.incident))


@pytest.mark.by_day(but=["mid-1"])
def test_slurm(asked: Asked) -> None:
    texts, login = asked.built.texts, asked.built.incident.plant.login
    for command, path in (
        ("squeue", "squeue"),
        ("scontrol show job", "scontrol-show-job"),
        ("sdiag", "sdiag"),
        ("scontrol show node", "scontrol-show-node"),
        ("scontrol show step", "scontrol-show-step"),
    ):
        assert asked.out(login, command) == texts[f"slurm/{path}.txt"], command
    session = asked.out(login, "sinfo").splitlines(), asked.out(login, "sinfo -R").splitlines()
    wanted = texts["slurm/sinfo.txt"].splitlines()
    assert [wanted[0], *session[0], "$ sinfo -R", *session[1]] == wanted
    head = texts["slurm/sacct.txt"].splitlines()[0]
    since = f"{asked.built.incident.calendar.local(asked.built.incident.calendar.baseline_start):%Y-%m-%d}"
    table = asked.out(login, f"sacct -a -X -P -S {since} -o {head.replace('|', ',')}")
    assert table == texts["slurm/sacct.txt"]


def test_fabric(asked: Asked) -> None:
    texts, plant = asked.built.texts, asked.built.incident.plant
    node = plant.nodes[-1].name
    # The first line of the kept output is a remark with its time.
    kept = texts["fabric/ibqueryerrors-1.txt"].partition("\n")[2]
    assert asked.out(node, "ibqueryerrors --switch") == kept
    assert asked.out(node, "iblinkinfo --switches-only") == texts["fabric/iblinkinfo.txt"]
    found = "".join(asked.out(node, f"perfquery -x -l {leaf.lid}") for leaf in plant.leaves)
    assert found == texts["fabric/perfquery-leaves.txt"]
    stated = [
        f"{name}: {line}" for name in asked.nodes for line in asked.out(name, "ibstat").splitlines()
    ]
    assert stated == texts["fabric/ibstat.txt"].splitlines()


def test_storage(asked: Asked) -> None:
    texts, storage = asked.built.texts, asked.built.incident.plant.storage
    first = next(asked.nodes)
    whole = asked.out(first, "lfs df -h")
    for pool in ("flash", "capacity"):
        name = f"{storage.fsname}.{pool}"
        whole += f"# lfs pool_list {name}\n" + asked.out(first, f"lfs pool_list {name}")
    assert whole == texts["storage/lfs-df.txt"]
    assert (
        asked.out(first, f"nfsiostat 60 1 {storage.home}")
        == texts[f"storage/nfsiostat-{first}.txt"]
    )
    assert asked.out(first, "lctl get_param osc.*.stats") == texts[f"storage/osc-stats-{first}.txt"]
    for name, path in (("job_stats", "ost-job_stats"), ("brw_stats", "brw_stats")):
        found = "".join(asked.out(oss, f"lctl get_param obdfilter.*.{name}") for oss in storage.oss)
        assert found == texts[f"storage/{path}.txt"]
    assert (
        asked.out(storage.mds, "lctl get_param mdt.*.job_stats")
        == texts["storage/mdt-job_stats.txt"]
    )
    for oss in storage.oss:
        assert asked.out(oss, "iostat -x 10 3") == texts[f"servers/{oss}/iostat.txt"]
        assert asked.console.files(oss)["/proc/mdstat"] == texts[f"servers/{oss}/mdstat.txt"]


def test_gpus(asked: Asked) -> None:
    texts = asked.built.texts
    for name in asked.nodes:
        for command, path in (
            ("nvidia-smi", "nvidia-smi"),
            ("nvidia-smi -q", "nvidia-smi-q"),
            ("nvidia-smi topo -m", "nvidia-smi-topo"),
            ("dcgmi diag -r 1", "dcgmi-diag"),
            ("nvidia-smi dmon -c 20 -s pucv", "nvidia-smi-dmon"),
            ("dcgmi health -g 0 -c", "dcgmi-health"),
        ):
            assert asked.out(name, command) == texts[f"nodes/{name}/{path}.txt"], (name, command)
        links = (
            asked.out(name, "nvidia-smi nvlink -s") + "\n" + asked.out(name, "nvidia-smi nvlink -e")
        )
        assert links == texts[f"nodes/{name}/nvidia-smi-nvlink.txt"]
    rows = []
    for node in asked.built.incident.plant.nodes:
        table = asked.out(
            node.name, f"nvidia-smi --query-gpu={','.join(FIELDS)} --format=csv"
        ).splitlines()
        rows += [f"{node.name}, {row}" for row in table[1:]]
    assert rows == texts["fleet/gpu-query.csv"].splitlines()[1:]


def test_logs(asked: Asked) -> None:
    texts, plant = asked.built.texts, asked.built.incident.plant
    for host in (*(node.name for node in plant.nodes), *plant.storage.oss, plant.login, "ufm01"):
        journal = asked.out(host, "journalctl -o short-iso --no-pager")
        assert journal == texts[f"logs/{host}/journal.log"], host
        if (kept := texts.get(f"nodes/{host}/dmesg.txt")) is not None:
            assert asked.out(host, "dmesg -T") == kept
            assert asked.out(host, "ipmitool sel list") == texts[f"nodes/{host}/ipmi-sel.txt"]
    for node in plant.nodes:
        assert (
            asked.out(node.name, "ipmitool sdr elist") == texts[f"nodes/{node.name}/ipmi-sdr.txt"]
        )
    files = asked.console.files(plant.controller)
    assert files["/var/log/slurm/slurmctld.log"] == texts["slurm/slurmctld.log"]
    assert asked.console.files("ufm01")["/var/log/opensm.log"] == texts["fabric/opensm.log"]


_PIPES = {
    "lscpu | head -18": "lscpu",
    "lsmod | grep -E 'peermem|mlx5_ib'": "lsmod",
    "lspci -vvv 2>/dev/null | grep ACSCtl": "lspci -vvv",
    "numastat -p train.py | tail -10": "numastat -p train.py",
    "ps -eo user,pid,etime,pcpu,args --sort=-pcpu | head -40": "ps -eo user,pid,etime,pcpu,args --sort=-pcpu",
}


def _piped(command: str, text: str) -> list[str]:
    """What the rest of a pipe of the transcripts leaves of a text."""
    lines = text.splitlines()
    if "grep ACSCtl" in command:
        return [line for line in lines if "ACSCtl" in line]
    if "peermem" in command:
        return [line for line in lines if "peermem" in line or line.startswith("mlx5_ib")]
    return lines[-10:] if "tail" in command else lines[:40] if "head -40" in command else lines


def _ranks(asked: Asked, host: str) -> list[str]:
    files = asked.console.files(host)
    found = []
    for pid in asked.out(host, "pgrep -f train.py").split():
        path = f"/proc/{pid}/status"
        found += [
            f"{path}:{line}"
            for line in files[path].splitlines()
            if line.startswith("Cpus_allowed_list")
        ]
    return found


def _answer(asked: Asked, host: str, command: str) -> list[str]:
    if command.startswith("cat "):
        return "".join(asked.console.files(host)[path] for path in command.split()[1:]).splitlines()
    if command.startswith("for p in"):
        return _ranks(asked, host)
    reply = asked.console.run(host, shlex.split(_PIPES.get(command, command)))
    assert reply.stderr == ""
    return _piped(command, reply.stdout)


def test_transcripts(asked: Asked) -> None:
    paths = [path for path in asked.built.texts if path.endswith("/host.txt")]
    assert len(paths) == len(list(asked.nodes)) + 7
    for path in paths:
        host, command, told = path.split("/")[1], "", list[str]()
        lines = [*asked.built.lines(path), f"[root@{host} ~]# "]
        for line in lines:
            if line.startswith(("[root@", "[ops@")):
                if command:
                    assert told == _answer(asked, host, command), (host, command)
                command, told = line.partition("]")[2][2:], []
            else:
                told.append(line)


@pytest.mark.by_day(but=["mid-1"])
def test_configuration(asked: Asked) -> None:
    plant = asked.built.incident.plant
    for path, text in asked.built.texts.items():
        host, _, name = path.removeprefix("config/now/").partition("/")
        if not path.startswith("config/now/") or host == "nodes":
            continue
        assert asked.console.files(host)[f"/{name}"] == text, path
    for name in ("fstab", "resolv.conf", "sysctl.d/90-hpc.conf", "chrony/chrony.conf"):
        kept = asked.built.texts[f"config/now/nodes/etc/{name}"]
        assert {asked.console.files(node.name)[f"/etc/{name}"] for node in plant.nodes} == {kept}
    for name in ("tuned/active_profile", "default/gpu-power"):
        kept = asked.built.texts[f"config/now/nodes/etc/{name}"]
        own = [f"{n.name}: {asked.console.files(n.name)[f'/etc/{name}']}" for n in plant.nodes]
        assert "".join(own) == kept
    script = asked.built.incident.training.script
    assert asked.console.files(plant.login)[script] == asked.built.texts["runs/slow/train.sbatch"]
