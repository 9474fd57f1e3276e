"""Whatever is typed, the console answers: quickly, the same each time, and as the causes have it."""

from __future__ import annotations

import random
import time
from functools import cache

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.troubleshooting.console import Console, Reply
from scenarios.troubleshooting.console.engine import COMMANDS
from scenarios.troubleshooting.levels import LEVELS
from scenarios.troubleshooting.truth import make_incident

SMALL = Profile(gpu="A100", gpus_per_node=4, nodes=6)
_WORDS = (
    "",
    "-",
    "--",
    "-h",
    "--help",
    "-V",
    "-x",
    "-l",
    "-a",
    "-n",
    "-n5",
    "-i",
    "-i0",
    "--id=1",
    "-o",
    "-O",
    "-S",
    "-E",
    "-j",
    "-u",
    "-t",
    "-p",
    "-w",
    "-q",
    "-d",
    "-e",
    "-s",
    "-c",
    "-f",
    "-k",
    "-g",
    "-b",
    "-r",
    "-R",
    "-T",
    "-z",
    "-1",
    "--format",
    "--format=csv",
    "--query-gpu=index",
    "--bogus",
    "--since=now",
    "0",
    "1",
    "-1",
    "99999999999999999999",
    "²",
    "٣",
    "\0",
    "\n",
    "💥",
    "%",
    "%%%",
    "%10",
    "%.18i",
    "%999999999i",
    "[",
    "a[1-",
    "a[1-99999999]",
    "..",
    "/etc/passwd",
    "now",
    "now-1",
    "now-999999999999days",
    "2026-13-45",
    "25:99",
    "1 hour ago",
    "@1",
    "@99999999999999",
    "all",
    "show",
    "job",
    "node",
    "list",
    "get",
    "nodes",
    "pods",
    "describe",
    "sdr",
    "sel",
    "link",
    "addr",
    "-m",
    "topo",
    "dmon",
    "pmon",
    "nvlink",
    "health",
    "diag",
    "discovery",
    "get_param",
    "*",
    "osc.*",
    "df",
    "getstripe",
    "tracking",
    "-Hp",
    "aux",
    "-ef",
    "-eo",
    "pid,",
    ",,,",
    "=",
    "a=b",
    "(",
    "(a+)+$",
    "[a-z]{1,9999}",
    "x" * 5_000,
    "PORT",
    "-M",
    "do",
    "8972",
)


@cache
def console(level: str = "senior", seed: int = 3, profile: Profile = DEFAULT) -> Console:
    return Console(make_incident(profile, LEVELS[level], seed))


@pytest.mark.parametrize("profile", [DEFAULT, SMALL], ids=["default", "small"])
@pytest.mark.by_day(but=["default"])
def test_rubbish_is_answered_and_never_raises(profile: Profile) -> None:
    asked = console(profile=profile)
    draw = random.Random(20)
    hosts = [asked.hosts[0], *asked.hosts[-12:], "nohost"]
    asked.run(asked.hosts[0], ["ibqueryerrors"])
    slowest = 0.0
    for _ in range(900):
        name = draw.choice([*COMMANDS, "rm", ""])
        argv = [name, *draw.choices(_WORDS, k=draw.randint(0, 6))]
        begun = time.process_time()
        reply = asked.run(draw.choice(hosts), argv, draw.choice(["", "rubbish\n" * 9]))
        slowest = max(slowest, time.process_time() - begun)
        assert isinstance(reply, Reply)
        assert 0 <= reply.code <= 255, argv
        assert len(reply.stdout) < 3_000_000, argv
        assert "Traceback" not in reply.stderr
    assert slowest < 2.5, "once the fabric's counters are there every reply is quick"


_QUIET = ("ibstat", "ibdev2netdev", "dshbak")
"""Print nothing where there is no adapter, or nothing to read."""


@pytest.mark.parametrize("name", sorted(COMMANDS))
@pytest.mark.by_day(but=["journalctl"])
def test_without_arguments_every_command_answers_where_it_is_installed(name: str) -> None:
    for profile in (DEFAULT, SMALL):
        asked = console(profile=profile)
        for host in (*asked.hosts[:2], *asked.hosts[-12:]):
            reply = asked.run(host, [name])
            if name in asked.commands(host):
                assert reply.code != 127
                assert reply.stdout or reply.stderr or name in _QUIET, (host, name)
            else:
                assert reply == Reply("", f"bash: {name}: command not found\n", 127)


@pytest.mark.nightly
def test_the_same_call_gives_the_same_reply_in_any_order() -> None:
    first, other = console(), Console(make_incident(DEFAULT, LEVELS["senior"], 3))
    host = first.hosts[0]
    calls = [
        "nvidia-smi",
        "ps aux",
        "ibstat",
        "journalctl -n 30",
        "free -h",
        "perfquery",
        "df -h",
        "iostat -x",
        "dcgmi dmon -e 155,1004 -c 1",
        "chronyc tracking",
        "ip -s link",
        "kubectl top nodes",
    ]
    answers = {call: first.run(host, call.split()) for call in calls}
    assert {call: other.run(host, call.split()) for call in reversed(calls)} == answers
    files = first.files(host), other.files(host)
    assert list(files[0]) == list(files[1])
    for path in ("/proc/meminfo", "/var/log/kern.log", "/etc/fstab"):
        assert files[0][path] == files[1][path]
    assert first.now_ms == other.now_ms
