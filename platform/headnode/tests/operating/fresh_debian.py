"""A Debian as small as it comes, unpacked from Debian's own packages, and a machine of its own made of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from headnode.tests.browser.site import require
from sandbox.group_files import remove

SUITE = "bookworm"
SYSTEMD = "--include=systemd,systemd-sysv,dbus"
BOOTED_S = 300.0
KNOWN = Path("/etc/ssl/certs/ca-certificates.crt")
QUIET = 'APT::Get::Assume-Yes "true";\nDpkg::Use-Pty "false";\n'


def debian(folder: Path, *, services: bool = False) -> None:
    """Unpack it there, with systemd where it is to have `services`. It trusts whom this machine trusts."""
    require(os.geteuid() == 0, "a fresh Debian needs root")
    require(shutil.which("debootstrap") is not None, "no debootstrap on this system")
    command = ["debootstrap", "--variant=minbase", *([SYSTEMD] if services else [])]
    command += [SUITE, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    fitted(folder)


def fitted(folder: Path) -> None:
    """What every machine of this place has, and a fresh one not."""
    (folder / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
    shutil.copy(KNOWN, folder / "etc/ssl/certs/known-here.crt")
    (folder / "etc/pip.conf").write_text("[global]\ncert = /etc/ssl/certs/known-here.crt\n")
    (folder / "etc/apt/apt.conf.d/99quiet").write_text(QUIET)
    refuses = folder / "usr/sbin/policy-rc.d"  # as in images: there is no init that could start one
    refuses.write_text("#!/bin/sh\nexit 101\n")
    refuses.chmod(0o755)


ROOT_FOLDER = """
set -e
mount --bind "$1" "$1"; cd "$1"
mount -t proc proc proc
mount --rbind /sys sys
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
if [ "$2" = shared ]; then mount --bind /etc/resolv.conf etc/resolv.conf; fi
mkdir -p old; pivot_root . old; umount -l old
hostname one
echo up
"""
"""As containers have it, but with a whole /proc: sandboxes that are made inside mount one of their own."""
IDLE = "exec sleep infinity\n"
SERVICES = """
exec env -i container=headnode /lib/systemd/systemd --log-target=null --show-status=no >/dev/null 2>&1
"""
GROUPS = "fresh-debian"


def group_mounts() -> list[tuple[str, str, str]]:
    """This machine's hierarchies of control groups: where, of which kind, with which options."""
    rows = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    found = [(row[1], row[2], row[3]) for row in rows if row[2] in ("cgroup", "cgroup2")]
    told = {"rw", "ro", "relatime", "nosuid", "nodev", "noexec"}
    chosen = [
        (at, kind, ",".join(word for word in options.split(",") if word not in told))
        for at, kind, options in found
    ]
    return [(at, kind, options if kind == "cgroup" else "") for at, kind, options in chosen]


def into_groups(name: str) -> str:
    """A shell's lines that put it into a group of its own in each hierarchy."""
    lines = []
    for at, _, options in group_mounts():
        lines.append(f"mkdir -p {at}/{name}")
        if "cpuset" in options.split(","):
            lines += [f"cat {at}/cpuset.{of} > {at}/{name}/cpuset.{of}" for of in ("cpus", "mems")]
        lines.append(f"echo $$ > {at}/{name}/cgroup.procs")
    return "\n".join(lines)


def own_groups() -> str:
    """The lines that mount, below the new root, what is left of them for who is in there."""
    mounts = group_mounts()
    lines = []
    if all(at != "/sys/fs/cgroup" for at, _, _ in mounts):
        lines.append("mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup")
    for at, kind, options in mounts:
        given = options if "=" not in options else f"none,{options}"
        lines += [
            f"mkdir -p .{at}",
            f"mount -t {kind} {f'-o {given}' if given else ''} {kind} .{at}",
        ]
    return "\n".join(lines)


def no_group_stays(name: str) -> None:
    """Remove the groups that a machine was in, once its processes have gone."""
    for at, _, _ in group_mounts():
        remove(Path(at) / name)


UP = """
import fcntl, socket, struct
with socket.socket() as any:
    fcntl.ioctl(any, 0x8914, struct.pack("16sH14x", b"lo", 0x41))
"""
"""Switches the loopback interface on (SIOCSIFFLAGS, IFF_UP and IFF_RUNNING)."""


class Machine:
    """Processes on that Debian, with a network of their own or this machine's, until it is switched off.

    One that is `booted` has systemd as its first process, and groups that it may divide as it likes.
    """

    def __init__(self, root: Path, *, own_network: bool, booted: bool = False) -> None:
        words = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork"]
        words += ["--ipc", "--uts", *(["--net"] if own_network else [])]
        lines = ROOT_FOLDER + IDLE
        if booted:
            words += ["--cgroup"]
            run = "mount -t tmpfs tmpfs run"
            lines = ROOT_FOLDER.replace(run, f"{own_groups()}\n{run} -o mode=755") + SERVICES
        words += ["sh", "-c", lines, "machine", str(root), "own" if own_network else "shared"]
        (root / "etc/resolv.conf").touch()
        self._root, self._booted = root, booted
        self._groups = f"{GROUPS}-{os.getpid()}"
        first = into_groups(self._groups) if booted else ""
        begin = ["sh", "-ec", f'{first}\nexec "$@"', "begin", *words]
        self._init = subprocess.Popen(begin, stdout=subprocess.PIPE, text=True)
        assert self._init.stdout is not None
        assert self._init.stdout.readline() == "up\n"
        of = self._init.pid
        self.pid = int(Path(f"/proc/{of}/task/{of}/children").read_text())
        self._running: list[subprocess.Popen[bytes]] = []
        subprocess.run(self.beside(sys.executable, "-c", UP), check=True)
        if booted:
            self._await_services()

    def _await_services(self) -> None:
        """Until systemd has started what is enabled."""
        until = time.monotonic() + BOOTED_S
        while self.do("systemctl is-system-running || true").strip() not in ("running", "degraded"):
            assert time.monotonic() < until, self.do("systemctl list-jobs --no-pager || true")
            time.sleep(0.5)

    def _inside(self, *words: str) -> list[str]:
        into = ["nsenter", "--target", str(self.pid), "--mount", "--net", "--pid", "--ipc", "--uts"]
        into += ["--cgroup"] if self._booted else []
        plain = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        kept = ["env", "-i", plain, "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        return [*into, "--root", *kept, *words]

    def do(self, script: str, given: str = "") -> str:
        """Run it in root's shell to its end; what it printed."""
        done = subprocess.run(
            self._inside("bash", "-ec", f"cd /root; {script}"),
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def start(self, script: str, log: str) -> subprocess.Popen[bytes]:
        """Leave it running; what it says is in the log of that name."""
        with (self._root / "root" / f"{log}.log").open("ab") as said:
            options = {"stdout": said, "stderr": said, "start_new_session": True}
            command = self._inside("bash", "-ec", f"cd /root; {script}")
            process = subprocess.Popen(command, **options)  # type: ignore[call-overload]
        self._running.append(process)
        return process  # type: ignore[no-any-return]

    def beside(self, *words: str) -> list[str]:
        """A command of this machine's own, on the other's network."""
        return ["nsenter", "--target", str(self.pid), "--net", *words]

    def off(self) -> None:
        """Its first process ends, and the kernel ends all others."""
        os.kill(self.pid, signal.SIGKILL)
        self._init.kill()
        self._init.wait()
        for process in self._running:
            process.kill()
            process.wait()
        time.sleep(0.5)
        if self._booted:
            no_group_stays(self._groups)
