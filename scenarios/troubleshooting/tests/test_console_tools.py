"""The console's commands take the flags that people type, and answer wrong ones as the tools do."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.troubleshooting.console import HELP, Console, Reply
from scenarios.troubleshooting.levels import QUIET
from scenarios.troubleshooting.truth import Incident, make_incident


@cache
def incident(level: str = "mid", seed: int = 1) -> Incident:
    return make_incident(DEFAULT, QUIET[level], seed)


@cache
def console() -> Console:
    return Console(incident())


LOGIN, NODE, OSS = "login", "node", "oss"


def ask(host: str, command: str) -> Reply:
    """A command on the login node, on the first node of the slow job, on the first object server."""
    plant = incident().plant
    names = {
        LOGIN: plant.login,
        NODE: incident().training.nodes[0].name,
        OSS: plant.storage.oss[0],
    }
    return console().run(names.get(host, host), shlex.split(command))


def out(host: str, command: str) -> str:
    reply = ask(host, command)
    assert (reply.code, reply.stderr) == (0, ""), (command, reply)
    return reply.stdout


@pytest.mark.parametrize(
    ("host", "command", "code", "said"),
    [
        (
            NODE,
            "nvidia-smi --bogus",
            1,
            "Invalid combination of input arguments. Please run 'nvidia-smi -h'",
        ),
        (
            NODE,
            "nvidia-smi --query-gpu=foo --format=csv",
            2,
            'Field "foo" is not a valid field to query.',
        ),
        (NODE, "nvidia-smi -i 9", 6, "No devices were found"),
        (
            NODE,
            "nvidia-smi -i 0 -pl 500",
            4,
            "power management limit for GPU .*: Insufficient Permissions",
        ),
        (LOGIN, "nvidia-smi", 9, "couldn't communicate with the NVIDIA driver"),
        (
            LOGIN,
            "dcgmi discovery -l",
            255,
            "unable to establish a connection to the specified host: localhost",
        ),
        (
            LOGIN,
            "squeue --bogus",
            1,
            "squeue: unrecognized option '--bogus'\nTry \"squeue --help\"",
        ),
        (LOGIN, "squeue -u nobody7", 1, "squeue: error: Invalid user: nobody7"),
        (LOGIN, "squeue -j 1", 1, "slurm_load_jobs error: Invalid job id specified"),
        (LOGIN, "squeue -t FOO", 1, "Invalid job state specified: FOO"),
        (LOGIN, "sacct -o jobid,foo", 1, 'Invalid field requested: "foo"'),
        (LOGIN, "sacct -S gestern", 1, "Invalid time specification"),
        (LOGIN, "scontrol show foo", 1, 'invalid entity:"foo" for keyword:"show"'),
        (LOGIN, "scontrol show node nope", 1, "Node nope not found"),
        (
            LOGIN,
            "scontrol update JobId=1 Priority=9",
            1,
            "slurm_update error: Access/permission denied",
        ),
        (LOGIN, "sbatch job.sh", 1, "Batch job submission failed: Access/permission denied"),
        (LOGIN, "scancel 1", 1, "Kill job error on job id 1: Invalid job id specified"),
        (LOGIN, "sinfo -t nonsense", 1, 'Bad state string: "nonsense"'),
        (LOGIN, "sdiag -r", 1, "Access/permission denied"),
        (
            NODE,
            "ibstat mlx5_9",
            255,
            "stat of IB device 'mlx5_9' failed: No such file or directory",
        ),
        (NODE, "perfquery 60000 1", 255, "perfquery: iberror: failed"),
        (OSS, "ibstat", 127, "bash: ibstat: command not found"),
        (LOGIN, "kubectl get foo", 1, 'the server doesn\'t have a resource type "foo"'),
        (
            LOGIN,
            "kubectl get node nope",
            1,
            'Error from server \\(NotFound\\): nodes "nope" not found',
        ),
        (LOGIN, "kubectl drain nope", 1, 'is forbidden: User "viewer" cannot patch'),
        (NODE, "journalctl -S someday", 1, "Failed to parse timestamp: someday"),
        (NODE, "journalctl -p loud", 1, "Unknown log level loud"),
        (NODE, "journalctl -g '(a+)+'", 1, "pattern"),
        (NODE, "dmesg -C", 1, "dmesg: clear kernel buffer failed: Operation not permitted"),
        (NODE, "ipmitool power cycle", 1, "Power Control to Cycle failed: Insufficient privilege"),
        (LOGIN, "lfs getstripe /nowhere", 2, "cannot open '/nowhere': No such file or directory"),
        (
            NODE,
            "lctl get_param nothing.here",
            2,
            "param_path 'nothing/here': No such file or directory",
        ),
        (NODE, "ip link show eth9", 1, 'Device "eth9" does not exist.'),
        (NODE, "ping nohost", 2, "ping: nohost: Name or service not known"),
        (NODE, "uname --bogus", 1, "uname: unrecognized option '--bogus'\nTry 'uname --help'"),
    ],
)
def test_a_wrong_call_fails_as_the_tool_does(host: str, command: str, code: int, said: str) -> None:
    reply = ask(host, command)
    assert reply.code == code, reply
    assert re.search(said, reply.stdout + reply.stderr), reply


def test_filters_of_the_queue_agree_with_each_other() -> None:
    rows = [
        row.split("|") for row in out(LOGIN, "squeue -h -o '%i|%u|%t|%P|%N|%D|%b'").splitlines()
    ]
    slow = incident().slow
    assert [str(slow.id), slow.user, "R", "train"] in [row[:4] for row in rows]
    for flag, place in (("-u", 1), ("-t", 2), ("-p", 3)):
        for value in {row[place] for row in rows}:
            found = [
                line.split()[0] for line in out(LOGIN, f"squeue -h {flag} {value}").splitlines()
            ]
            assert found == [row[0] for row in rows if row[place] == value]
    # A job that waits has no node yet, whatever becomes of it later.
    assert all((row[2] == "PD") == (row[4] == "") for row in rows)
    running = out(LOGIN, f"squeue -h -w {slow.nodes[0]} -o %i").split()
    assert str(slow.id) in running
    table = out(LOGIN, "squeue -O JobID:8,Name:.14,State -S -i").splitlines()
    numbers = [int(row.split()[0]) for row in table[1:]]
    assert table[0].startswith("JOBID   ")
    assert numbers == sorted(numbers, reverse=True)


def test_accounts_show_what_was_asked_for() -> None:
    slow = incident().slow
    assert out(LOGIN, "sacct").count("\n") == 2, "an account without jobs sees none of its own"
    steps = out(LOGIN, f"sacct -n -P -j {slow.id} -o jobid,ntasks,state").splitlines()
    ranks = incident().training.ranks
    assert steps == [
        f"{slow.id}||COMPLETED",
        f"{slow.id}.batch|1|COMPLETED",
        f"{slow.id}.0|{ranks}|COMPLETED",
    ]
    failed = out(LOGIN, "sacct -a -X -n -P -S now-1day -s F -o state").split()
    assert failed
    assert set(failed) == {"FAILED"}
    memory = out(LOGIN, f"sacct -X -n -P -j {slow.id} -o alloctres --units=G")
    assert f"mem={slow.memory_mib / 1024:g}G" in memory
    wide = out(LOGIN, f"sacct -X -j {slow.id} -o jobid%8,jobname%-24,elapsed").splitlines()
    assert wide[1] == "-------- ------------------------ ---------- "
    assert wide[2].split() == [str(slow.id), slow.name, wide[2].split()[2]]


def test_control_shows_jobs_that_wait_without_their_future() -> None:
    waiting = out(LOGIN, "squeue -h -t PD -o %i").split()
    assert waiting
    for number in waiting:
        text = out(LOGIN, f"scontrol show job {number}")
        assert "JobState=PENDING" in text
        assert "   NodeList=\n" in text
        assert "StartTime=Unknown EndTime=Unknown" in text
    one = out(LOGIN, f"scontrol -o show node {incident().plant.nodes[3].name}")
    assert one.count("\n") == 1
    assert out(LOGIN, "scontrol show hostnames gpu-n[001-003,7],x").split() == [
        "gpu-n001",
        "gpu-n002",
        "gpu-n003",
        "gpu-n7",
        "x",
    ]
    assert "MessageTimeout" in out(LOGIN, "scontrol show config")


def test_priority_is_the_sum_of_its_parts() -> None:
    rows = [list(map(int, row.split()[2:])) for row in out(LOGIN, "sprio -h").splitlines()]
    assert rows
    for total, *parts in rows:
        assert total == sum(parts)
        assert parts[2] <= 100_000, "the weight of fair share in slurm.conf"


def test_a_gpu_is_found_by_any_of_its_names_and_tools_agree() -> None:
    gpu = incident().training.nodes[0].gpus[3]
    fields = "index,temperature.gpu,power.draw,clocks.sm"
    answers = {
        out(NODE, f"nvidia-smi -i {name} --query-gpu={fields} --format=csv,noheader,nounits")
        for name in (gpu.index, gpu.uuid, gpu.bus_id, gpu.bus_id[4:], gpu.serial)
    }
    assert len(answers) == 1
    _, heat, watts, clock = answers.pop().strip().split(", ")
    row = out(NODE, "dcgmi dmon -e 150,155,100 -c 1 -i 3").splitlines()[2].split()
    assert row[2:] == [heat, f"{float(watts):.3f}", clock]
    line = out(NODE, "nvidia-smi dmon -c 1 -i 3").splitlines()[2].split()
    assert line[:3] == ["3", str(round(float(watts))), heat]
    assert gpu.uuid in out(NODE, f"nvidia-smi -L -i {gpu.bus_id}")
    assert out(NODE, "dcgmi discovery -l") == out(LOGIN, f"dcgmi discovery --host {gpu.node} -l")


def test_journal_is_cut_by_unit_level_time_and_number() -> None:
    lines = out(NODE, "journalctl -o short-iso").splitlines()
    unit = out(NODE, "journalctl -u slurmd.service -o short-iso").splitlines()
    assert unit == [line for line in lines if " slurmd[" in line]
    kernel = out(NODE, "journalctl -k -o short-iso").splitlines()
    assert kernel == [line for line in lines if " kernel: " in line]
    assert out(NODE, "journalctl -n3 -o short-iso").splitlines() == lines[-3:]
    assert out(NODE, "journalctl -rn 2 -o short-iso").splitlines() == lines[:-3:-1]
    now = incident().calendar.local(console().now_ms)
    since = out(
        NODE, f"journalctl -S '{now:%Y-%m-%d %H:%M:%S}' -U '{now:%Y-%m-%d} 23:59' -o short-iso"
    ).splitlines()
    assert since == [
        ln for ln in lines if f"{now:%Y-%m-%dT%H:%M:%S}" <= ln[:19] <= f"{now:%Y-%m-%d}T23:59:00"
    ]
    assert since
    notices = [json.loads(line) for line in out(NODE, "journalctl -p notice -o json").splitlines()]
    assert all(int(record["PRIORITY"]) <= 5 for record in notices)
    assert out(NODE, "journalctl -g zebra") == "-- No entries --\n"


def test_counters_of_a_port_are_those_of_the_metrics() -> None:
    node = incident().training.nodes[0]
    for hca in node.hcas[:2]:
        own = out(NODE, f"perfquery -x -C {hca.device}")
        assert own == out(LOGIN, f"perfquery -x {hca.lid} 1")
        words = int(re.search(r"PortXmitData:\.*(\d+)", own)[1])  # type: ignore[index]
        path = f"/sys/class/infiniband/{hca.device}/ports/1/counters/port_xmit_data"
        assert console().files(node.name)[path] == f"{words}\n"


def test_addresses_and_numbers_are_the_plants() -> None:
    plant, node = incident().plant, incident().training.nodes[0]
    for ost in plant.storage.osts[:3]:
        assert f"{ost.index}: {ost.name}_UUID ACTIVE" in out(LOGIN, "lfs osts")
    assert plant.storage.oss_ips[0] in out(NODE, f"getent hosts {plant.storage.oss[0]}")
    listed = out(LOGIN, "kubectl get nodes -o name").splitlines()
    assert {f"node/{one.name}" for one in plant.nodes} < set(listed)
    addresses = out(NODE, "ip addr")
    assert node.host_ip in addresses
    assert node.bond_ip in addresses
    pids = out(NODE, "nvidia-smi --query-compute-apps=pid --format=csv,noheader").split()
    assert pids == out(NODE, "pgrep -f train.py").split()
    assert all(gpu.bus_id[9:].lower() in out(NODE, "lspci") for gpu in node.gpus)


def test_help_names_every_command_once_and_says_what_it_is_for() -> None:
    names = [name for name, _ in HELP]
    assert len(names) == len(set(names))
    installed = {name for host in console().hosts for name in console().commands(host)}
    assert installed == set(names)
    assert all(about.endswith(".") and 15 < len(about) < 130 for _, about in HELP)
    assert console().commands("nohost") == []
    assert dict(console().files("nohost")) == {}


def test_many_hosts_answer_as_each_does_alone() -> None:
    nodes = incident().training.nodes
    names = ",".join(node.name for node in nodes)
    together = out(LOGIN, f"pdsh -w {names} 'ps aux | grep train.py | wc -l'").splitlines()
    assert together == [f"{node.name}: {len(node.gpus)}" for node in nodes]
    alone = {node.name: out(node.name, "ibstat") for node in nodes}
    spread = out(LOGIN, f"pdsh -w {names} ibstat")
    assert spread == "".join(
        f"{name}: {ln}\n" for name, text in alone.items() for ln in text.splitlines()
    )
    joined = (
        console().run(incident().plant.login, ["dshbak", "-c"], "a01: x\na02: x\na03: y\n").stdout
    )
    assert joined.splitlines()[1::4] == ["a[01-02]", "a03"]
    assert out(LOGIN, f"clush -b -w {names} nproc").splitlines()[-1] == "224"
    reply = ask(LOGIN, f"pdsh -w nope,{nodes[0].name} nproc")
    assert reply.stdout == f"{nodes[0].name}: 224\n"
    assert "Could not resolve hostname nope" in reply.stderr
    assert "ssh for more" in ask(LOGIN, f"pdsh -w {nodes[0].name} 'nproc; reboot'").stderr
