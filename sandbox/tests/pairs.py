"""Pairs of programs in two runs: the second says BREACH when it learns what the first has done.

The first runs before the second or, where it `stays`, until the second has ended. Each is shown to
get through where the measures named in `needs` are left out.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sandbox import Backend, Outcome
from sandbox.tests.episode import Steps, run


@dataclass(frozen=True)
class Pair:
    """`needs`: the filter, views of its own, roots in memory, /proc with less in it, or a time namespace
    of its own. Where it is
    empty, the kernel by itself refuses whoever does not own the files."""

    name: str
    first: str
    second: str
    needs: tuple[str, ...]
    stays: bool = False
    watches: bool = False


class Meeting(Steps):
    """The first says when it is ready, and asks whether the other is done."""

    def __init__(self) -> None:
        super().__init__()
        self.ready, self.over = threading.Event(), threading.Event()

    def call(self, method: str, params: dict[str, object]) -> object:
        if method == "ready":
            self.ready.set()
            return {}
        return {"over": self.over.is_set()} if method == "over" else super().call(method, params)


def play(backend: Backend, pair: Pair, root: str) -> tuple[Outcome, Outcome]:
    """How both ended. Raises AssertionError when the first never got ready."""

    def played(program: str, session: Steps | None = None) -> Outcome:
        return run(backend, program, session, root=root, wall_s=60.0, cpu_s=30.0)

    if not pair.stays:
        first = played(pair.first)
        return first, played(pair.second)
    meeting = Meeting()
    with ThreadPoolExecutor(1) as pool:
        staying = pool.submit(played, pair.first, meeting)
        try:
            assert meeting.ready.wait(30), staying.result()
            second = played(pair.second)
        finally:
            meeting.over.set()
        return staying.result(), second


_MESSAGE = """
import glob, os, time
MESSAGE = b"hidden day seed"
BITS = [(byte >> k) & 1 for byte in MESSAGE for k in range(8)]
LIBRARY = os.path.dirname(os.__file__)

def heard(bits):
    bits = [int(bit) for bit in bits]
    right = sum(a == b for a, b in zip(bits, BITS))
    print("right", right, "of", len(BITS))
    if right > 0.7 * len(BITS):
        print("BREACH")
"""

# Python reads the compiled ones beside them.
_CARRIERS = """
found = sorted(glob.glob(LIBRARY + "/*/*.py"))
CARRIERS = [path for path in found if 0 < os.path.getsize(path) < 60000][: len(BITS)]
assert len(CARRIERS) == len(BITS)
"""

_DROP = """
import ctypes, mmap
libc = ctypes.CDLL(None)
for path, bit in zip(CARRIERS, BITS):
    fd = os.open(path, os.O_RDONLY)
    held = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
    held[0]
    if not bit:
        try: held.madvise(getattr(mmap, "MADV_PAGEOUT", 21))
        except OSError: pass
        held.close()
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
for _ in range(3):
    time.sleep(0.3)  # a page that was just read is not dropped at once
    for path, bit in zip(CARRIERS, BITS):
        if not bit:
            fd = os.open(path, os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)
"""

_FIRST_READ = """
times = []
for path in CARRIERS:
    fd = os.open(path, os.O_RDONLY)
    begun = time.perf_counter_ns()
    os.pread(fd, 1, 0)
    times.append(time.perf_counter_ns() - begun)
    os.close(fd)
limit = sorted(times)[len(times) - 1 - sum(1 - bit for bit in BITS)]
heard(one <= limit for one in times)
"""

_NOWAIT = """
def there(path):
    fd = os.open(path, os.O_RDONLY)
    try: return os.preadv(fd, [bytearray(1)], 0, os.RWF_NOWAIT) > 0
    except BlockingIOError: return False
    finally: os.close(fd)
try: heard(there(path) for path in CARRIERS)
except OSError as error: print("refused:", error)
"""

_MINCORE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long]
def there(path):
    fd = os.open(path, os.O_RDONLY)
    at, told = libc.mmap(None, 4096, 1, 2, fd, 0), (ctypes.c_ubyte * 1)()
    os.close(fd)
    if libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(4096), told):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return told[0] & 1
try: heard(there(path) for path in CARRIERS)
except OSError as error: print("refused:", error)
"""

# Of the names that it looks up in vain, a disk's folder remembers which it has been asked for.
_NAMES = """
NAMES = [f"{LIBRARY}/zz-%s-{k}" for k in range(len(BITS))]
"""

_ASK = "for name, bit in zip(NAMES, BITS):\n    if bit: os.path.exists(name)\n"

_ASK_TIMED = """
ask, now, times = os.access, time.perf_counter_ns, []
for k in range(300): ask(f"{LIBRARY}/yy-{os.getpid()}-{k}", 0)
for name in NAMES:
    begun = now()
    ask(name, 0)
    times.append(now() - begun)
limit = sorted(times)[sum(BITS)]
heard(one < limit for one in times)
"""

_ATIME_READ = "for path, bit in zip(CARRIERS, BITS):\n    if bit: open(path).read()\n"
_ATIME = "heard(time.time() - os.stat(path).st_atime < 30 for path in CARRIERS)\n"

_MEET = """
import headnode_sdk, time
def meet():
    headnode_sdk.call("ready")
    while not headnode_sdk.call("over")["over"]: time.sleep(0.05)
"""

_OTHERS_USE = """
import glob, os, subprocess
for path in (*glob.glob(os.path.dirname(os.__file__) + "/w*/*.py"), "/dev/zero", *glob.glob("/opt/*/*")):
    if os.path.isfile(path) or path == "/dev/zero":
        with open(path, "rb") as file: file.read(10)
for tool in ("sort", "diff"):
    if os.path.exists("/usr/bin/" + tool):
        subprocess.run([tool, "--version"], capture_output=True)
print("done")
"""

_FOLDERS = """
import glob, os
FOLDERS = [*glob.glob(os.path.dirname(os.__file__) + "/w*"), os.path.dirname(os.__file__)]
FOLDERS += ["/usr/bin", "/dev", *glob.glob("/opt/*"), *glob.glob("/opt/*/__pycache__")]
FOLDERS = [path for path in FOLDERS if os.path.isdir(path)]
"""

_INOTIFY = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(0o4000)
if fd < 0: print("refused:", os.strerror(ctypes.get_errno()))
for path in FOLDERS: libc.inotify_add_watch(fd, path.encode(), 0x21)
meet()
try: seen = os.read(fd, 65536)
except OSError: seen = b""
if seen: print("BREACH", seen[:200])
"""

_DNOTIFY = """
import fcntl, signal
seen = []
signal.signal(signal.SIGIO, lambda *told: seen.append(told))
kept = [os.open(path, os.O_RDONLY) for path in FOLDERS]
try:
    for fd in kept: fcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
except OSError as error: print("refused:", error)
meet()
if seen: print("BREACH", len(seen))
"""

# Whatever is mounted, and some of what is in it; standard input as well.
_PLACES = """
import fcntl, itertools, os, struct
def opened():
    yield "stdin", 0
    mounts = [line.split()[4] for line in open("/proc/self/mountinfo")]
    for at in sorted({*mounts, "/usr/bin/python3", "/etc/passwd", "/opt/sbx", "/opt/headnode"}):
        if at in ("/box", "/tmp", "/dev/shm", "/run"): continue
        try: some = [os.path.join(at, name) for name in sorted(os.listdir(at))]
        except OSError: some = []
        for path in (at, *some[:12]):
            try: yield path, os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
            except OSError: pass
def lock(kind): return struct.pack("hhqqi4x", kind, 0, 0, 0, 0)
"""

# The kernel has one file for all of these.
_NAMELESS = """
import ctypes, fcntl, os, struct
libc = ctypes.CDLL(None)
def opened():
    made = {"epoll": libc.epoll_create1(0), "timerfd": libc.timerfd_create(1, 0),
        "eventfd": libc.eventfd(0, 0), "signalfd": libc.signalfd(-1, bytes(128), 0)}
    yield from ((name, fd) for name, fd in made.items() if fd >= 0)
def lock(kind): return struct.pack("hhqqi4x", kind, 0, 0, 0, 0)
"""

_NAMESPACES = """
import fcntl, os, struct
def opened():
    for name in sorted(os.listdir("/proc/self/ns")):
        if not name.endswith("_for_children"):
            yield name, os.open("/proc/self/ns/" + name, os.O_RDONLY)
def lock(kind): return struct.pack("hhqqi4x", kind, 0, 0, 0, 0)
"""

_TAKE_LOCKS = """
for path, fd in opened():
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error: print(path, error)
    try: fcntl.fcntl(fd, 37, lock(fcntl.F_RDLCK))
    except OSError as error: print(path, error)
meet()
"""

_SEE_LOCKS = """
count = 0
for path, fd in opened():
    count += 1
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(fd, fcntl.LOCK_UN)
    except BlockingIOError: print("BREACH flock", path)
    except OSError: pass
    for ask in (5, 36):
        try: found = fcntl.fcntl(fd, ask, lock(fcntl.F_WRLCK))
        except OSError: continue
        if struct.unpack("h", found[:2]) != (fcntl.F_UNLCK,): print("BREACH fcntl", ask, path)
    if fd: os.close(fd)
print("looked at", count)
"""

# Those that belong to open files name no process; the host holds one or two.
_LIST_LOCKS = """
listed = [line for line in open("/proc/locks") if "OFDLCK" in line]
print("listed", len(listed))
if len(listed) > 5: print("BREACH", listed[-1])
"""

_OPEN_FILES = """
import glob, os
PATHS = glob.glob(os.path.dirname(os.__file__) + "/w*/*.py")[:20]
KEPT = [os.open(path, os.O_RDONLY) for path in PATHS]
meet()
"""

_LEASES = """
import fcntl, glob, os
for path in glob.glob(os.path.dirname(os.__file__) + "/w*/*.py")[:20]:
    fd = os.open(path, os.O_RDONLY)
    try: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except BlockingIOError: print("BREACH", path)
    except OSError as error: print("refused:", error)
    os.close(fd)
"""


def _names(tag: str) -> str:
    return _MESSAGE + _NAMES % tag


_FILES = _MESSAGE + _CARRIERS
PAIRS = [
    Pair("time of a first read", _FILES + _DROP, _FILES + _FIRST_READ, ("filter", "memory")),
    Pair("pages by RWF_NOWAIT", _FILES + _DROP, _FILES + _NOWAIT, ("filter", "views", "memory")),
    Pair("pages by mincore", _FILES + _DROP, _FILES + _MINCORE, ()),
    Pair("times of access", _FILES + _ATIME_READ, _FILES + _ATIME, ()),
    Pair(
        "inotify",
        _MEET + _FOLDERS + _INOTIFY,
        _OTHERS_USE,
        ("filter", "views", "memory"),
        stays=True,
        watches=True,
    ),
    Pair(
        "F_NOTIFY",
        _MEET + _FOLDERS + _DNOTIFY,
        _OTHERS_USE,
        ("filter", "views", "memory"),
        stays=True,
        watches=True,
    ),
    Pair("leases", _MEET + _OPEN_FILES, _LEASES, (), stays=True),
    Pair("locks", _MEET + _PLACES + _TAKE_LOCKS, _PLACES + _SEE_LOCKS, ("views",), stays=True),
    Pair(
        "locks on files without a name",
        _MEET + _NAMELESS + _TAKE_LOCKS,
        _NAMELESS + _SEE_LOCKS,
        ("filter",),
        stays=True,
    ),
    Pair(
        "the list of locks",
        _MEET + _PLACES + _TAKE_LOCKS,
        _LIST_LOCKS,
        ("proc",),
        stays=True,
    ),
]


# Containers share some namespaces with their engine, and folders that lie on its disk.
NAMESPACE_FILES = Pair(
    "locks on namespaces",
    _MEET + _NAMESPACES + _TAKE_LOCKS,
    _NAMESPACES + _SEE_LOCKS,
    ("time",),
    stays=True,
)


def names_asked_for(tag: str) -> Pair:
    """Each time with other names: what a folder remembers it does for long."""
    asked = _names(tag)
    return Pair("names looked up in vain", asked + _ASK, asked + _ASK_TIMED, ("memory",))
