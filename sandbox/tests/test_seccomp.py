"""The filter as the kernel would run it, on a small BPF machine: no privilege needed."""

from __future__ import annotations

import errno
import json
import platform
import struct

import pytest

from sandbox import seccomp, syscalls

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="The call numbers here are those of x86-64"
)

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x00000000, 0x00050000
EPERM, ENOSYS = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS
X86_64, I386 = 0xC000003E, 0x40000003
# asm/unistd_64.h
READ, SOCKET, CLONE, PRLIMIT, IOCTL = 0, 41, 56, 302, 16
FCNTL, SOCKETPAIR, MADVISE, FADVISE, READAHEAD = 72, 53, 28, 221, 187
PREADV2, PWRITEV2 = 327, 328
_INSTRUCTION = struct.Struct("<HBBI")


def decide(
    number: int,
    *arguments: int,
    arch: int = X86_64,
    gpu: bool = False,
    terminal: bool = False,
    cluster: bool = False,
) -> int:
    """Run the filter on one call. Opcodes: linux/filter.h; data: struct seccomp_data."""
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number, arch, 0, *padded)
    code_of = seccomp.bpf(gpu, terminal, cluster)
    program = [_INSTRUCTION.unpack_from(code_of, at) for at in range(0, len(code_of), 8)]
    at, value = 0, 0
    while True:
        code, if_true, if_false, k = program[at]
        at += 1
        if code == 0x06:
            return int(k)
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            value &= k
        elif code == 0x05:
            at += k
        else:
            tests = {0x15: value == k, 0x25: value > k, 0x35: value >= k, 0x45: bool(value & k)}
            at += if_true if tests[code] else if_false


def test_ordinary_calls_pass() -> None:
    assert decide(READ) == ALLOW


@pytest.mark.parametrize("family", [2, 10, 16, 17, 38, 40, 0, 1 | (1 << 32), 2 | (1 << 32)])
def test_socket_families_but_unix_are_refused(family: int) -> None:
    """INET, INET6, NETLINK, PACKET, ALG, VSOCK, and the same hidden in 64 bits."""
    assert decide(SOCKET, family) == ENOSYS
    assert decide(SOCKETPAIR, family) == ENOSYS


def test_unix_sockets_pass() -> None:
    assert decide(SOCKET, syscalls.AF_UNIX) == ALLOW
    assert decide(SOCKETPAIR, syscalls.AF_UNIX) == ALLOW


@pytest.mark.parametrize("number", [27, 253, 254, 255, 294, 300, 451, 277])
def test_what_tells_of_other_runs_does_not_exist(number: int) -> None:
    """mincore, inotify (four), fanotify_init, cachestat, sync_file_range."""
    assert decide(number) in (ENOSYS, EPERM)


@pytest.mark.parametrize("command", [1024, 1025, 1026, 10, 8, 15, 11, 9, 16, 1031, 5 | 1 << 32])
def test_files_report_nothing_of_others(command: int) -> None:
    """F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SETSIG, F_SETOWN(_EX) and their readers, F_SETPIPE_SZ."""
    assert decide(FCNTL, 3, command) == ENOSYS
    assert decide(FCNTL, 3, 4) == decide(FCNTL, 3, 6) == decide(FCNTL, 3, 1030) == ALLOW


@pytest.mark.parametrize("number", [213, 291, 284, 290, 283, 282, 289])
def test_files_that_all_runs_would_share_are_not_made(number: int) -> None:
    """epoll_create(1), eventfd(2), timerfd_create, signalfd(4); a card's library waits on some."""
    assert decide(number) == ENOSYS
    if number in (290, 291):
        assert decide(number, 5, 1, gpu=True) == ALLOW


def test_advice_about_pages_is_taken_and_ignored() -> None:
    assert decide(FADVISE, 3, 0, 0, 4) == decide(READAHEAD, 3, 0, 4096) == ERRNO


@pytest.mark.parametrize("advice", [12, 20, 21, 24, 25, 100, 101, 4 | 1 << 32])
def test_pages_are_neither_dropped_nor_shared(advice: int) -> None:
    """MADV_MERGEABLE, COLD, PAGEOUT, DONTNEED_LOCKED, COLLAPSE, HWPOISON, SOFT_OFFLINE."""
    assert decide(MADVISE, 0, 4096, advice) == ENOSYS
    assert decide(MADVISE, 0, 4096, 4) == ALLOW


@pytest.mark.parametrize("flags", [0x8, 0x80, 0x1, 1 << 32])
def test_reads_do_not_ask_what_is_in_memory(flags: int) -> None:
    """RWF_NOWAIT, RWF_DONTCACHE, RWF_HIPRI."""
    for number in (PREADV2, PWRITEV2):
        assert decide(number, 3, 0, 1, 0, 0, flags) == ENOSYS
        assert decide(number, 3, 0, 1, 0, 0, 0) == ALLOW


@pytest.mark.parametrize("bit", [17, *range(25, 31)])
def test_clone_into_a_new_namespace_is_refused(bit: int) -> None:
    assert decide(CLONE, (1 << bit) | 17) == ENOSYS
    assert decide(CLONE, 17) == ALLOW


@pytest.mark.parametrize(
    "number",
    [101, 165, 166, 155, 161, 272, 308, 321, 298, 323, 425, 426, 250, 248, 249, 310, 438, 447, 434],
    ids=lambda number: str(number),
)
def test_dangerous_calls_are_refused(number: int) -> None:
    """ptrace, mount, umount, pivot_root, chroot, unshare, setns, bpf, perf, userfaultfd, io_uring,
    keyctl, add_key, request_key, process_vm_readv, pidfd_getfd, memfd_secret, pidfd_open."""
    assert decide(number) == EPERM


def test_calls_that_are_on_no_list_do_not_exist() -> None:
    assert decide(435) == ENOSYS  # clone3: its flags are in memory, where no filter can read
    assert decide(10_000) == ENOSYS


def test_other_processes_limits_are_out_of_reach() -> None:
    assert decide(PRLIMIT, 0) == ALLOW
    assert decide(PRLIMIT, 1) == ENOSYS


@pytest.mark.parametrize("request_", [0xC00846C8, 0xC020462A, 0x4F, 0x27, 0x30000001, 0x30000002])
def test_nvidias_driver_is_spoken_to_only_by_a_run_with_a_card(request_: int) -> None:
    assert decide(IOCTL, 3, request_) == ENOSYS
    assert decide(IOCTL, 3, request_, gpu=True) == ALLOW


@pytest.mark.parametrize(
    "request_",
    [
        0x5412,
        0x541C,
        0x5412 | 1 << 32,
        0x8927,
        0x400454CA,
        0xC0186201,
        0x30000003,
        0x80,
        200,
        1 << 40,
    ],
)
def test_a_card_opens_no_other_request(request_: int) -> None:
    """TIOCSTI, TIOCLINUX, the same hidden in 64 bits, SIOCGIFHWADDR, TUNSETIFF, binder, the tests
    of nvidia-uvm."""
    assert decide(IOCTL, 3, request_, gpu=True) == ENOSYS


def test_a_card_opens_no_other_call() -> None:
    for number, argument in ((SOCKET, 2), (CLONE, 1 << 29 | 17), (435, 0), (10_000, 0)):
        assert decide(number, argument, gpu=True) == ENOSYS
    assert decide(101, gpu=True) == EPERM


@pytest.mark.parametrize("request_", [0x5402, 0x5403, 0x5410, 0x5414, 0x80045430, 0x40045431])
def test_terminals_are_made_and_steered_only_on_a_root_for_it(request_: int) -> None:
    """TCSETS, TCSETSW, TIOCSPGRP, TIOCSWINSZ, TIOCGPTN, TIOCSPTLCK."""
    assert decide(IOCTL, 3, request_) == ENOSYS
    assert decide(IOCTL, 3, request_, terminal=True) == ALLOW
    assert decide(IOCTL, 3, request_ | 1 << 32, terminal=True) == ENOSYS


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("request_", [0x5412, 0x5412 | 1 << 32, 0x541C, 0x541D, 0x540E, 0x5432])
def test_terminal_input_cannot_be_forged(request_: int, terminal: bool) -> None:
    """TIOCSTI, the same hidden in 64 bits, TIOCLINUX, TIOCCONS, TIOCSCTTY, TCSETX."""
    assert decide(IOCTL, 0, request_, terminal=terminal) == ENOSYS


@pytest.mark.parametrize("kind", [1, 1 | 0o2000000, 1 | 0o4000])
@pytest.mark.parametrize("protocol", [0, 6])
def test_tcp_is_for_a_root_with_a_cluster_alone(kind: int, protocol: int) -> None:
    """A stream, plain, closed on exec, and not waiting."""
    assert decide(SOCKET, 2, kind, protocol) == ENOSYS
    assert decide(SOCKET, 2, kind, protocol, terminal=True) == ENOSYS
    assert decide(SOCKET, 2, kind, protocol, cluster=True) == ALLOW


@pytest.mark.parametrize(
    "arguments",
    [
        *((2, 2, 0), (2, 3, 6), (2, 5, 0), (2, 1, 132), (2, 1, 262), (2, 1, 1 << 32 | 6)),
        *((10, 1, 0), (16, 3, 0), (17, 3, 0), (38, 5, 0), (40, 1, 0), (2 | 1 << 32, 1, 0)),
    ],
)
def test_a_cluster_has_no_other_socket(arguments: tuple[int, int, int]) -> None:
    """Datagrams, raw, SCTP, MPTCP; INET6, NETLINK, PACKET, ALG, VSOCK; and bits hidden above."""
    assert decide(SOCKET, *arguments, cluster=True) == ENOSYS


@pytest.mark.parametrize("number", [92, 93, 94, 260, 105, 106, 113, 114, 117, 119])
def test_a_cluster_gives_files_and_takes_identities_in_words_only(number: int) -> None:
    """chown and its like, setuid and its like: refused elsewhere, answered as done here; never carried out."""
    assert decide(number) == EPERM
    assert decide(number, cluster=True) == ERRNO


@pytest.mark.parametrize(("number", "arch"), [(3, I386), (0x40000000 | 39, X86_64)])
def test_other_call_tables_kill(number: int, arch: int) -> None:
    """32-bit calls and the x32 table."""
    assert decide(number, arch=arch) & 0x7FFF0000 == KILL


def test_no_name_is_on_two_lists() -> None:
    conditional = {rule.name for rule in syscalls.CONDITIONAL}
    lists = [*syscalls.ALLOWED, *syscalls.REFUSED, *syscalls.IGNORED, *conditional]
    assert len(lists) == len(set(lists))
    assert {*syscalls.AS_IF_DONE} <= {*syscalls.REFUSED}


def test_docker_profile_holds_the_same_list() -> None:
    profile = json.loads(seccomp.oci())
    allowed = {
        name
        for rule in profile["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW" and "args" not in rule
        for name in rule["names"]
    }
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert allowed == {*syscalls.ALLOWED, *syscalls.RUNTIME_NEEDS}
    sockets = [rule for rule in profile["syscalls"] if rule["names"] == ["socket"]]
    assert sockets == [
        {
            "names": ["socket"],
            "action": "SCMP_ACT_ALLOW",
            "args": [{"index": 0, "value": 1, "op": "SCMP_CMP_EQ"}],
        }
    ]
    tcp = [
        rule
        for rule in json.loads(seccomp.oci(cluster=True))["syscalls"]
        if rule not in profile["syscalls"]
    ]
    assert [rule["args"][0]["value"] for rule in tcp if rule["names"] == ["socket"]] == [2, 2]
    clone3 = [rule for rule in profile["syscalls"] if "clone3" in rule["names"]]
    assert [rule["errnoRet"] for rule in clone3] == [errno.ENOSYS]
