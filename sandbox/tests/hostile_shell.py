"""Programs that mean harm and need a shell, text tools or a program file of their own.

Each says BREACH when it gets what it is after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
"""A folder of the host that no sandbox has."""
_ENDED = ("ok", "candidate_error")


@dataclass(frozen=True)
class Script:
    """A bash script, the statuses it may end with, and limits other than the usual ones."""

    name: str
    text: str
    statuses: tuple[str, ...] = _ENDED
    limits: dict[str, Any] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The shell takes the interpreter's place, as a login shell would stand alone."""
        return f"import os\nos.execv('/usr/bin/bash', ['bash', '-c', {self.text!r}])\n"


_ROOM, _SLASH = 0x400800, 0x400F00
_REGISTERS = ("b8", "bf", "be", "ba", "41ba")


def _elf(number: int, *arguments: int) -> str:
    """A script that writes a program of 64 bits making one system call, runs it and judges it.

    The program leaves with the error's number, or 0 when the call went through. It has zeros at
    _ROOM and puts a "/" at _SLASH.
    """
    code = bytes.fromhex("c60425000f40002f")
    for register, value in zip(_REGISTERS, (number, *arguments), strict=False):
        code += bytes.fromhex(register) + value.to_bytes(4, "little")
    # syscall; mov edi, eax; neg edi; jns +2; xor edi, edi; mov eax, 60; syscall
    code += bytes.fromhex("0f05 89c7 f7df 7902 31ff b83c000000 0f05")
    head = bytes.fromhex("7f454c46020101000000000000000000 02003e0001000000 7800400000000000")
    head += bytes.fromhex(
        "4000000000000000 0000000000000000 00000000 4000 3800 0100 0000 0000 0000"
    )
    segment = bytes.fromhex("01000000 07000000 0000000000000000 0000400000000000 0000400000000000")
    size = len(head) + 56 + len(code)
    segment += b"".join(number.to_bytes(8, "little") for number in (size, 0x1000, 0x1000))
    octal = "".join(f"\\{byte:03o}" for byte in head + segment + code)
    judge = f"[ $? = 0 ] && echo BREACH {number}; true"
    return f"printf '{octal}' >/box/own; chmod 755 /box/own; /box/own; {judge}"


_REMOUNT_BIND_WRITABLE = 0x1020

SHELL = [
    Script(
        "a fork bomb",
        "bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 30",
        ("timeout", "cpu_limit", "candidate_error", "ok"),
        {"wall_s": 3.0, "pids": 32},
    ),
    Script(
        "many sleepers",
        "for n in $(seq 200); do sleep 60 & done 2>/dev/null; n=$(jobs -p | wc -l); "
        "[ $n -gt 40 ] && echo BREACH $n; exit 0",
        ("ok", "candidate_error", "timeout"),
        {"wall_s": 4.0, "pids": 40},
    ),
    Script(
        "memory through a pipe's reader",
        "exec tail /dev/zero",
        ("oom",),
        {"memory_mb": 96},
    ),
    Script(
        "memory in a child only",
        "tail /dev/zero; echo still here",
        ("ok",),
        {"memory_mb": 96},
    ),
    Script("an endless line", "yes", ("output_limit",)),
    Script(
        "a shell that will not be told",
        "trap '' TERM INT HUP QUIT XCPU; while :; do sleep 0.2; done",
        ("timeout",),
        {"wall_s": 1.0},
    ),
    Script("stopping itself", "kill -STOP $$", ("timeout",), {"wall_s": 1.0}),
    Script("killing everybody", "kill -9 -1; sleep 0.1; echo alive", ("ok", "crashed")),
    Script(
        "leaving children behind",
        "(setsid nohup sleep 300 >/dev/null 2>&1 &) ; (sleep 300 & disown); exit 0",
        ("ok",),
    ),
    Script(
        "looking for set-uid files",
        "find / -xdev -type f -perm /6000 2>/dev/null | grep . && echo BREACH; "
        "find / -xdev -type f -name '*' 2>/dev/null | xargs -r ls -l 2>/dev/null | grep -c 'rws' "
        "| grep -vx 0 && echo BREACH; true",
        limits={"wall_s": 20.0},
    ),
    Script(
        "making a set-uid shell",
        "cp /usr/bin/bash /box/b; chmod 6755 /box/b; chown 0:0 /box/b 2>/dev/null && echo BREACH; "
        "[ $(/box/b -p -c 'id -u') = 0 ] && echo BREACH; true",
    ),
    Script(
        "tools that change namespaces or users",
        "for t in mount umount unshare nsenter su sudo newgrp setpriv capsh chroot busybox perl gcc ld gdb "
        "docker runc bwrap apt-get dpkg; do command -v $t && echo BREACH $t; done; true",
    ),
    Script("a chroot all the same", "/usr/sbin/chroot / /usr/bin/true && echo BREACH; true"),
    Script("own program: new user namespace", _elf(272, 0x10000000)),
    Script("own program: remount the root", _elf(165, 0, _SLASH, 0, _REMOUNT_BIND_WRITABLE)),
    Script("own program: a hold on process 1", _elf(434, 1, 0)),
    Script("own program: the kernel's key ring", _elf(250, 0, 0xFFFFFFFD, 1)),
    Script("own program: an io_uring", _elf(425, 1, _ROOM)),
    Script("own program: a socket outside", _elf(41, 2, 1, 0)),
    Script("own program: be root", _elf(105, 0)),
    Script("own program: the call that always works", _elf(39).replace("BREACH", "WORKS")),
    Script(
        "settings of the kernel",
        "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hostname "
        "/proc/sys/kernel/pid_max /proc/sys/vm/overcommit_memory /proc/sys/net/ipv4/ip_forward "
        "/proc/sys/fs/binfmt_misc/register /proc/sysrq-trigger /proc/self/attr/current; do "
        "(echo 1 >$f) 2>/dev/null && echo BREACH $f; done; true",
    ),
    Script(
        "a core file, or a core handler",
        "ulimit -c unlimited 2>/dev/null && [ $(ulimit -c) = unlimited ] && echo BREACH; "
        "cd /box; bash -c 'kill -SEGV $$' 2>/dev/null; ls /box | grep -i core && echo BREACH; true",
    ),
    Script(
        "raising its own limits",
        "for l in n f c l s; do ulimit -H$l unlimited 2>/dev/null && [ $l != s ] && echo BREACH $l; done; "
        "nice -n -5 true 2>/dev/null; n=$(nice -n -5 nice 2>/dev/null); [ ${n:-0} -lt 0 ] && echo BREACH; true",
    ),
    Script(
        "groups of the host",
        "find /sys/fs/cgroup -writable 2>/dev/null | grep . && echo BREACH; "
        "for f in $(find /sys/fs/cgroup -name release_agent -o -name cgroup.procs -o -name notify_on_release "
        "2>/dev/null); do (echo 0 >$f) 2>/dev/null && echo BREACH $f; done; true",
    ),
    Script(
        "the root, by name, by link and by process 1",
        "ln -s /etc/passwd /box/p; ln -s / /box/r; "
        "for f in /etc/passwd /box/p /box/r/etc/x /usr/bin/x /usr/lib/x /etc/ld.so.preload /opt/headnode/x "
        "/opt/sbx/bootstrap.py /usr/lib/python3/dist-packages/x.pth /proc/1/root/etc/x /proc/1/exe "
        "/proc/self/exe /run/s; do (echo x >>$f) 2>/dev/null && echo BREACH $f; done; true",
    ),
    Script(
        "hard links out of the root",
        "for d in /box /tmp /dev/shm; do ln /etc/passwd $d/x 2>/dev/null && echo BREACH $d; "
        "ln -P /opt/sbx/bootstrap.py $d/y 2>/dev/null && echo BREACH $d; done; true",
    ),
    Script(
        "device files",
        "mknod /box/d b 8 0 2>/dev/null && echo BREACH; mknod /tmp/m c 1 1 2>/dev/null && echo BREACH; "
        "for d in sda vda nvme0n1 mem kmem kmsg fuse kvm loop0 mapper/control net/tun vsock nvidia0; "
        "do [ -e /dev/$d ] && echo BREACH $d; done; true",
    ),
    Script(
        "filling the memory of shared files",
        "head -c 200M /dev/zero >/dev/shm/x 2>/dev/null && echo BREACH; rm -f /dev/shm/x; "
        "seq 20000 | (cd /dev/shm && xargs touch) 2>/dev/null; "
        "[ $(ls /dev/shm | wc -l) -gt 4096 ] && echo BREACH; true",
        limits={"wall_s": 20.0},
    ),
    Script(
        "filling the working folder with names",
        "seq 20000 | (cd /tmp && xargs touch) 2>/dev/null; "
        "[ $(ls /tmp | wc -l) -gt 4096 ] && echo BREACH; true",
        limits={"wall_s": 20.0},
    ),
    Script(
        "the network through bash and awk",
        "(exec 3<>/dev/tcp/127.0.0.1/47615) 2>/dev/null && echo BREACH; "
        "(exec 3<>/dev/udp/127.0.0.1/53) 2>/dev/null && echo BREACH; "
        "(exec 3<>/dev/tcp/169.254.169.254/80) 2>/dev/null && echo BREACH; "
        'gawk \'BEGIN { s = "/inet/tcp/0/127.0.0.1/47615"; if ((print "x" |& s) > 0) print "BREACH" }\' '
        "2>/dev/null; true",
    ),
    Script(
        "sockets lying about",
        "find / -xdev -type s 2>/dev/null | grep -v '^/run/s$' && echo BREACH; "
        "[ -e /var/run/docker.sock ] || [ -e /run/docker.sock ] || [ -e /run/containerd ] && echo BREACH; true",
    ),
    Script(
        "other people's processes",
        "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep CANARY && echo BREACH; "
        "[ $(ls -d /proc/[0-9]* | wc -l) -gt 8 ] && echo BREACH; "
        "head -c 16 /proc/1/mem 2>/dev/null && echo BREACH; "
        f"for p in /proc/[0-9]*; do [ -e $p/root{HERE} ] && echo BREACH $p; "
        '[ "$(stat -c %u $p 2>/dev/null)" = 0 ] && [ -r $p/environ ] && echo BREACH $p; done; true',
    ),
    Script(
        "a folder of the host behind a descriptor",
        "for f in /proc/1/fd/* /proc/$$/fd/*; do [ -d $f ] && echo BREACH $f; done; "
        "for n in $(seq 3 30); do cat /proc/self/fd/$n/../../etc/hostname 2>/dev/null && echo BREACH; "
        "done; true",
    ),
    Script(
        "start-up files for the next run",
        "for f in ~/.bashrc ~/.profile ~/.vimrc /etc/profile /etc/bash.bashrc /etc/environment; do "
        "(echo 'echo BREACH' >$f) 2>/dev/null; done; ls /etc/profile 2>/dev/null && echo BREACH; true",
    ),
]

# Requests that type or paste into a terminal, as they are and with high bits set (the bypass of
# CVE-2023-28100 and CVE-2019-10063), on a terminal of the program's own.
TERMINAL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
fds = [0, 1]
try: fds += os.openpty()
except OSError: pass
try: fds.append(os.open('/dev/tty', os.O_RDWR))
except OSError: pass
for fd in fds:
    for request in (0x5412, 0x541C, 0x541D, 0x540E, 0x5432):
        for high in (0, 1 << 32, 1 << 63):
            r = libc.syscall(ctypes.c_long(16), fd, ctypes.c_ulong(request | high), b'x')
            if r == 0 or ctypes.get_errno() not in (1, 38): print('BREACH', fd, hex(request), r)
print('asked', len(fds))
"""

# The channel belongs to the interpreter; what it starts has no way to it.
CHANNEL = """
import os, subprocess
script = '''
n=$HEADNODE_CHANNEL_FD
(echo garbage >&$n) 2>/dev/null && echo BREACH
(echo garbage >/proc/$PPID/fd/$n) 2>/dev/null && echo BREACH
(echo garbage >/proc/1/fd/$n) 2>/dev/null && echo BREACH
true
'''
print(subprocess.run(['bash', '-c', script], capture_output=True, text=True).stdout)
import headnode_sdk
print(headnode_sdk.call('ping'))
"""
