"""The slurm root: daemons find each other by TCP inside a run, and that opens nothing beside it."""

from __future__ import annotations

import pytest

from sandbox import Backend, Outcome
from sandbox.tests.episode import run
from sandbox.tests.hostile_shell import SHELL, Script
from sandbox.tests.test_escape_suite import PORT, canaries, touched

pytestmark = pytest.mark.usefixtures("slurm_root")

SOCKETS = f"""
import errno, os, socket
server = socket.create_server(("127.0.0.1", 0))
peer = socket.create_connection(server.getsockname(), 5)
served = server.accept()[0]
served.sendall(b"hello")
print(peer.recv(5).decode(), socket.gethostname(), socket.gethostbyname("ctl"))
TRIED = (
    ("datagram", socket.AF_INET, socket.SOCK_DGRAM, 0),
    ("raw", socket.AF_INET, socket.SOCK_RAW, 6),
    ("sctp", socket.AF_INET, socket.SOCK_STREAM, 132),
    ("inet6", socket.AF_INET6, socket.SOCK_STREAM, 0),
    ("netlink", 16, socket.SOCK_RAW, 0),
    ("vsock", 40, socket.SOCK_STREAM, 0),
)
for name, *kind in TRIED:
    try:
        socket.socket(*kind)
    except OSError:
        continue
    print("BREACH", name)
for address in (("127.0.0.1", {PORT}), ("169.254.169.254", 80), ("10.0.0.1", 22)):
    try:
        socket.create_connection(address, 2)
    except OSError:
        continue
    print("BREACH", address)
print("end")
"""

GIVEN_AWAY = """
import os
open("mine", "w").close()
os.chown("mine", 0, 0)
os.chown("mine", 64001, 65001)
os.setresuid(0, 0, 0)
print(os.stat("mine").st_uid, os.getuid())
print(open("/etc/passwd").read().count("/box:/usr/sbin/nologin"))
"""


def start(backend: Backend, program: str) -> Outcome:
    return run(backend, program, root="slurm", pids=512, memory_mb=1024, wall_s=60.0, cpu_s=30.0)


def test_daemons_speak_tcp_among_themselves_and_with_nobody_else(backend: Backend) -> None:
    with canaries() as listeners:
        outcome = start(backend, SOCKETS)
        assert not any(touched(one) for one in listeners)
    assert outcome.status == "ok", outcome
    assert outcome.stdout == "hello ctl 127.0.0.1\nend\n"


def test_files_and_identities_change_in_words_only(namespace: Backend) -> None:
    outcome = start(namespace, GIVEN_AWAY)
    assert (outcome.status, outcome.stdout) == ("ok", "64000 64000\n7\n"), outcome


def test_slurms_tools_are_there_and_miss_their_controller(backend: Backend) -> None:
    tried = "sinfo; /usr/sbin/slurmctld -V"
    outcome = start(backend, Script("tools", tried).program)
    assert outcome.stdout.startswith("slurm-wlm "), outcome
    assert "configuration source" in outcome.stderr


@pytest.mark.docker
def test_files_are_not_given_away_in_a_container(docker: Backend) -> None:
    outcome = start(docker, GIVEN_AWAY)
    assert "PermissionError" in outcome.stderr, outcome


LOW_PORT = """
import socket
try:
    socket.create_server(("127.0.0.1", 702))
except PermissionError:
    print("refused")
"""


def test_no_daemon_listens_to_a_low_port(backend: Backend) -> None:
    outcome = start(backend, LOW_PORT)
    assert (outcome.status, outcome.stdout) == ("ok", "refused\n"), outcome


ANSWERED = {"own program: a socket outside", "own program: be root", "making a set-uid shell"}
"""They take an answer for the deed. A stream socket is allowed here and leads nowhere; the others are below."""


def test_who_is_told_to_be_root_is_not(namespace: Backend) -> None:
    tried = "cp /usr/bin/bash b; chmod 6755 b; chown 0:0 b && ./b -p -c 'id -u; cat /proc/1/environ; id -u'"
    outcome = start(namespace, Script("a set-uid shell", tried).program)
    assert outcome.stdout.split() == ["64000", "64000"], outcome


@pytest.mark.nightly
@pytest.mark.parametrize(
    "wanted", [one for one in SHELL if one.name not in ANSWERED], ids=lambda wanted: wanted.name
)
def test_shell_opens_nothing_beside_a_cluster(wanted: Script, backend: Backend) -> None:
    outcome = run(backend, wanted.program, root="slurm", **wanted.limits)
    assert "BREACH" not in outcome.stdout + outcome.stderr, outcome
    assert outcome.status in wanted.statuses, outcome
