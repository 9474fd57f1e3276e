"""A Debian as small as it comes, unpacked from Debian's own packages, and a machine of its own made of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from headnode.tests.browser.site import require

SUITE = "bookworm"
KNOWN = Path("/etc/ssl/certs/ca-certificates.crt")
QUIET = 'APT::Get::Assume-Yes "true";\nDpkg::Use-Pty "false";\n'


def debian(folder: Path) -> None:
    """Unpack it there. It trusts whom this machine trusts, and starts no service by itself."""
    require(os.geteuid() == 0, "a fresh Debian needs root")
    require(shutil.which("debootstrap") is not None, "no debootstrap on this system")
    command = ["debootstrap", "--variant=minbase", SUITE, str(folder)]
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


class Machine:
    """Processes on that Debian, with a network of their own or this machine's, until it is switched off."""

    def __init__(self, root: Path, *, own_network: bool) -> None:
        words = ["bwrap", "--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev"]
        words += ["--dev-bind", "/sys", "/sys", "--tmpfs", "/run", "--cap-add", "ALL"]
        words += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "one"]
        words += ["--unshare-net"] if own_network else []
        if not own_network:
            words += ["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf"]
        words += ["--info-fd", "1", "sleep", "infinity"]
        self._root = root
        self._init = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self._init.stdout is not None
        said = self._init.stdout.readline() + self._init.stdout.readline()
        self.pid = int(said.split(":")[1].split(",")[0].strip(" }\n"))
        self._wait_until_it_is_up()
        self._running: list[subprocess.Popen[bytes]] = []

    def _wait_until_it_is_up(self) -> None:
        """Its first process has another only once the root folder is in its place."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        until = time.monotonic() + 30
        while not children.read_text().strip():
            assert time.monotonic() < until, "the machine did not come up"
            time.sleep(0.05)

    def _inside(self, *words: str) -> list[str]:
        into = ["nsenter", "--target", str(self.pid), "--mount", "--net", "--pid", "--ipc", "--uts"]
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
