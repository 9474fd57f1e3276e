"""Makes a root folder of unpacked packages: strips it, adds what it lacks, compiles, checks."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sandbox import seccomp
from sandbox.roots.debian import run
from sandbox.roots.declarations import Declaration
from sandbox.unavailable import SandboxUnavailable

_DROPPED = (
    *("usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian"),
    *("usr/share/bug", "usr/share/binfmts", "usr/share/applications", "usr/share/pixmaps"),
    *("usr/share/perl*", "usr/share/menu", "usr/share/bash-completion", "usr/share/icons"),
    *("usr/include", "usr/lib/*-linux-gnu/gconv", "usr/lib/*-linux-gnu/perl*", "var"),
    *("usr/lib/*-linux-gnu/*.a", "usr/lib/*-linux-gnu/pkgconfig", "usr/lib/systemd"),
    *(f"usr/lib/python3*/{n}" for n in ("idlelib", "turtledemo", "test", "ensurepip", "lib2to3")),
)
# A read-only root cannot grow mount points later.
_MOUNT_POINTS = ("proc", "sys", "dev", "tmp", "run", "box", "opt/sbx", "opt/headnode", "etc")
_SHELLS = ("sh", "bash", "dash", "busybox", "zsh", "ksh", "rbash")
# Each is a known way from a shell to more rights, or of no use without them.
_NEVER = {
    *("su", "sudo", "newgrp", "chsh", "passwd", "pkexec", "setpriv", "capsh", "mount", "umount"),
    *(
        "unshare",
        "nsenter",
        "apt-get",
        "dpkg",
        "gcc",
        "cc",
        "ld",
        "gdb",
        "strace",
        "docker",
        "runc",
        "bwrap",
    ),
}
_ADVICE = "its declaration in sandbox/roots and the packages apt offers do not go together"
_MODULES = "usr/lib/python3/dist-packages"


def furnish(root: Path, wanted: Declaration, python: str) -> None:
    """Everything between unpacking and the digest. Raises SandboxUnavailable."""
    for pattern in (*_DROPPED, *wanted.drop):
        _remove(sorted(root.glob(pattern)))
    _add_places(root)
    _add_links(root, {"usr/bin/python3": f"python{python}", **dict(wanted.links)})
    _write_etc(root / "etc", wanted)
    _plain_modes(root)
    _compile(root, python)
    check_files(root, wanted)
    _check_use(root, wanted)


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _add_places(root: Path) -> None:
    for name in _MOUNT_POINTS:
        (root / name).mkdir(parents=True, exist_ok=True)


def _add_links(root: Path, links: dict[str, str]) -> None:
    """What the packages' own scripts would have made."""
    library = next(root.glob("usr/lib/*-linux-gnu"), root / "usr/lib")
    for path, target in links.items():
        link = root / path.replace("{lib}", str(library.relative_to(root)))
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        if not link.exists():
            raise SandboxUnavailable(
                f"The sandbox's root folder could not be built: its link {path} leads nowhere."
            )


def _write_etc(etc: Path, wanted: Declaration) -> None:
    start = "/usr/bin/bash" if wanted.shell else "/usr/sbin/nologin"
    people, groups = _people(wanted)
    named = f" {wanted.hostname}" if wanted.cluster else ""
    texts = {
        "passwd": f"root:x:0:0::/:/usr/sbin/nologin\ncandidate:x:64000:64000::/box:{start}\n{people}",
        "group": f"root:x:0:\ncandidate:x:64000:\n{groups}",
        "hosts": f"127.0.0.1 localhost{named}\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    for name, text in texts.items():
        (etc / name).write_text(text)


def _people(wanted: Declaration) -> tuple[str, str]:
    """Lines of /etc/passwd and /etc/group; numbers from 64001 and 65001 on, in the declaration's order."""
    groups = list(dict.fromkeys(group for _name, group in wanted.people))
    people = [
        f"{name}:x:{64001 + index}:{65001 + groups.index(group)}::/box:/usr/sbin/nologin\n"
        for index, (name, group) in enumerate(wanted.people)
    ]
    members = [
        f"{group}:x:{65001 + index}:{','.join(name for name, own in wanted.people if own == group)}\n"
        for index, group in enumerate(groups)
    ]
    return "".join(people), "".join(members)


def _plain_modes(root: Path) -> None:
    """Readable by all, writable by the owner, nothing set-uid or sticky."""
    for folder, names, files in os.walk(root):
        for path in (Path(folder, name) for name in (*names, *files)):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & 0o755 | 0o444)
    root.chmod(0o755)


def _compile(root: Path, python: str) -> None:
    """With the root's own interpreter: its byte code is tied to its version."""
    folders = [f"/usr/lib/python{python}"]
    if (root / _MODULES).is_dir():
        folders.append(f"/{_MODULES}")
    flags = ["-I", "-S", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    program = ["/usr/bin/python3", *flags, *folders]
    if os.geteuid() == 0:
        run(["chroot", str(root), *program])
    elif (bwrap := shutil.which("bwrap")) is not None:
        run([bwrap, "--unshare-all", "--bind", str(root), "/", "--", *program])
    else:
        raise SandboxUnavailable(
            "The sandbox's root folder cannot be built by an ordinary user without bubblewrap: "
            "install it with 'apt-get install bubblewrap'."
        )


def check_files(root: Path, wanted: Declaration) -> None:
    """Raises SandboxUnavailable for a set-uid file, a program or a size nobody declared."""
    size = 0
    for path in _files(root):
        status = path.lstat()
        size += status.st_size
        if stat.S_ISREG(status.st_mode) and status.st_mode & (stat.S_ISUID | stat.S_ISGID):
            raise _fault(wanted, f"a set-uid file, {path.name}")
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            raise _fault(wanted, f"{path.name}, which is neither file nor folder")
    for folder in ("usr/bin", "usr/sbin", "usr/local/bin", "bin", "sbin"):
        found = {path.name for path in (root / folder).glob("*")}
        if odd := sorted(found & _NEVER):
            raise _fault(wanted, f"the program {odd[0]}")
        if not wanted.shell and (odd := sorted(found & set(_SHELLS))):
            raise _fault(wanted, f"a shell, {odd[0]}")
    if size > wanted.largest_mb << 20:
        raise _fault(wanted, f"{size >> 20} MiB and may hold {wanted.largest_mb}")


def _fault(wanted: Declaration, what: str) -> SandboxUnavailable:
    return SandboxUnavailable(f"The root folder {wanted.name!r} would hold {what}.")


def _files(root: Path) -> Iterator[Path]:
    for folder, _names, files in os.walk(root):
        for name in files:
            yield Path(folder, name)


def _check_use(root: Path, wanted: Declaration) -> None:
    """What it is for has to work, under the system-call filter where bubblewrap can load it."""
    modules = f"import sys; sys.path.append('/{_MODULES}')\nimport {', '.join(wanted.imports)}"
    rules = seccomp.bpf(False, *wanted.calls)
    _fenced(root, rules, ["/usr/bin/python3", "-B", "-P", "-S", "-c", modules])
    for command in wanted.commands:
        _fenced(root, rules, ["/usr/bin/sh", "-c", command])


def _fenced(root: Path, filter_program: bytes, program: list[str]) -> None:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        run(["chroot", str(root), *program], advice=_ADVICE)
        return
    with tempfile.TemporaryFile() as rules:
        rules.write(filter_program)
        rules.seek(0)
        words = [
            *(bwrap, "--unshare-all", "--ro-bind", str(root), "/", "--proc", "/proc"),
            *("--dev", "/dev", "--tmpfs", "/tmp", "--clearenv", "--setenv", "PATH", "/usr/bin"),  # noqa: S108
            *("--setenv", "LANG", "C.UTF-8", "--seccomp", str(rules.fileno())),
        ]
        run([*words, "--", *program], pass_fds=(rules.fileno(),), advice=_ADVICE)
