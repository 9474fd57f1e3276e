"""First code inside the sandbox: reports the fences, takes the program, runs it as `__main__`.

It says hello with the fences that are really in force and then does what the host's frames say:
get ready (a spare has the time to import the SDK), take on the job's limits and its own filter and
report them, run the program. All but the last happen before any of the candidate's bytes have arrived.
Given an argument, it connects to the Unix socket of that name; otherwise it inherits the channel.
"""

from __future__ import annotations

import builtins
import marshal
import os
import sys

BOX = "/box/"
SDK = "/opt/headnode"
OUT_OF_MEMORY = 112
ROOM = 2 << 20
# In every Python these are loaded before the program: no file of its own has ever won there.
FIRST = frozenset(sys.modules)
DISPLACED: list[object] = []
bounded_memory = False


def open_channel() -> int:
    if len(sys.argv) > 1:
        import _socket

        peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        peer.connect(sys.argv[1])
        fd = peer.detach()
        os.environ["HEADNODE_CHANNEL_FD"] = str(fd)
    else:
        fd = int(os.environ["HEADNODE_CHANNEL_FD"])
    os.set_inheritable(fd, False)
    return fd


def read_exactly(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(fd, size - len(data))
        if not part:
            os._exit(97)
        data += part
    return data


def fences() -> str:
    """The kernel's own account of this process, as the members of a JSON object."""
    with open("/proc/self/status") as status:
        lines = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    wanted = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp", "Uid")
    found = {name: " ".join(lines[name].split()) for name in wanted if name in lines}
    found["kernel"] = os.uname().release
    found["main"], found["group"] = str(os.getpid()), str(os.getpgrp())
    for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"):
        # gVisor's kernel gives no account of some.
        if os.path.exists("/proc/self/ns/" + name):
            found[name] = str(os.stat("/proc/self/ns/" + name).st_ino)
    return ",".join(f'"{name}":"{value}"' for name, value in found.items())


def say(fd: int, what: str, members: str) -> None:
    body = f'{{"id":0,"m":"{what}","p":{{{members}}}}}'.encode()
    os.write(fd, len(body).to_bytes(4, "big") + body)


def take_order(fd: int) -> dict[str, object]:
    size = int.from_bytes(read_exactly(fd, 4), "big")
    order: dict[str, object] = marshal.loads(read_exactly(fd, size))  # noqa: S302 - from the host
    return order


def take_on(fd: int, bounds: object) -> None:
    """Set hard limits by name on this process, and so on all that come of it; report them."""
    import resource

    global bounded_memory
    if not isinstance(bounds, dict):
        os._exit(97)
    bounded_memory = "AS" in bounds
    for name, value in bounds.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    held = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in bounds}
    members = ",".join(f'"{name}":[{soft},{hard}]' for name, (soft, hard) in held.items())
    say(fd, "bounded", members)


def take_fence(fd: int, program: object) -> None:
    """Put a system-call filter of the program's own on this process; the host makes it (kills.py)."""
    import ctypes

    if not isinstance(program, bytes):
        os._exit(97)
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of instructions, and where they are.
    size, at = len(program) // 8, ctypes.addressof(code)
    whole = ctypes.create_string_buffer(
        size.to_bytes(8, sys.byteorder) + at.to_bytes(8, sys.byteorder)
    )
    # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    if ctypes.CDLL(None).prctl(22, 2, ctypes.c_void_p(ctypes.addressof(whole)), 0, 0):
        os._exit(97)
    say(fd, "fenced", "")


def get_ready() -> None:
    """Import what nearly every program will. A module that fails does so for its program too."""
    import ctypes  # noqa: F401 - like the next for later, when there is no time
    import gc
    import resource  # noqa: F401

    sys.path.insert(0, SDK)
    for name in sorted(os.listdir(SDK)):
        try:
            __import__(name.removesuffix(".py"))
        except Exception:  # noqa: S112 - the program's own import says what is wrong
            continue
    sys.path.remove(SDK)
    gc.freeze()  # the collections at the program's end need not look at all of this


def make_way(files: dict[str, bytes], entry: str) -> None:
    """The program's own modules win over the library's, whether or not those are loaded.

    The SDK is loaded first, so that it keeps the library's: a spare has done so already, and a
    program must not behave otherwise because there was none.
    """
    folder = os.path.dirname(entry)
    start = f"{folder}/" if folder else ""
    below = [path[len(start) :] for path in files if path.startswith(start)]
    own = {path.split("/")[0].removesuffix(".py") for path in below}
    if own.isdisjoint(os.listdir(SDK)):
        if own.isdisjoint(sys.stdlib_module_names):
            return
        get_ready()
    for name in list(sys.modules):
        if name.partition(".")[0] in own and name not in FIRST:
            # Kept alive: with the SDK's module its end of the channel would close.
            DISPLACED.append(sys.modules.pop(name))


def write_files(files: dict[str, bytes]) -> None:
    for path, content in files.items():
        os.makedirs(os.path.dirname(BOX + path), exist_ok=True)
        with open(BOX + path, "wb") as out:
            out.write(content)


def restore_site() -> None:
    """Started without `site` for speed: give back what a program may expect of it."""
    import _sitebuiltins

    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D")
    if os.path.isdir("/usr/lib/python3/dist-packages"):
        sys.path.append("/usr/lib/python3/dist-packages")


def soften_kill() -> None:
    """What may not be killed is aborted: `subprocess` and `multiprocessing` end their children so."""
    kill = os.kill

    def kill_or_abort(pid: int, number: int, /) -> None:
        try:
            kill(pid, number)
        except PermissionError:
            if number != 9:
                raise
            kill(pid, 6)

    os.kill = kill_or_abort


def relative(name: str) -> str:
    return name[len(BOX) :] if name.startswith(BOX) else name


def trim(shown: object) -> None:
    """Leave the candidate's and the library's frames, with file names as the editor shows them."""
    import traceback

    seen: set[int] = set()
    queue: list[object] = [shown]
    while queue:
        one = queue.pop()
        if not isinstance(one, traceback.TracebackException) or id(one) in seen:
            continue
        seen.add(id(one))
        frames = [f for f in one.stack if not f.filename.startswith(("/opt/", "<frozen "))]
        for entry in frames:
            entry.line  # noqa: B018 - read the source line while the full path is known
            entry.filename = relative(entry.filename)
        one.stack[:] = frames
        if isinstance(getattr(one, "filename", None), str):
            one.filename = relative(one.filename)
        queue += [one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or ())]


def show(error: BaseException) -> None:
    import traceback

    shown = traceback.TracebackException.from_exception(error)
    trim(shown)
    sys.stdout.flush()
    sys.stderr.write("".join(shown.format()))
    sys.stderr.flush()


def out_of_memory(error: MemoryError) -> int:
    """Its own exit code where no group would have killed the program for it."""
    import traceback

    traceback.clear_frames(error.__traceback__)
    show(error)
    return OUT_OF_MEMORY if bounded_memory else 1


def run(entry: str) -> int:
    # Room to say that there is no more: untouched, it takes addresses and no memory.
    room = bytearray(ROOM)
    module = type(sys)("__main__")
    module.__file__ = BOX + entry
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    try:
        with open(BOX + entry, "rb") as source:
            code = compile(source.read(), BOX + entry, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - the one thing this file is for
    except SystemExit:
        raise
    except MemoryError as error:
        del room
        return out_of_memory(error)
    except BaseException as error:
        show(error)
        return 1
    return 0


def main() -> int:
    fd = open_channel()
    say(fd, "hello", fences())
    while "entry" not in (order := take_order(fd)):
        if "bounds" in order:
            take_on(fd, order["bounds"])
        elif "fence" in order:
            take_fence(fd, order["fence"])
        else:
            get_ready()
    files, entry = order["files"], order["entry"]
    if not isinstance(files, dict) or not isinstance(entry, str):
        os._exit(97)
    make_way(files, entry)
    write_files(files)
    restore_site()
    soften_kill()
    os.chdir(BOX)
    sys.path[:0] = [BOX + os.path.dirname(entry), SDK]
    sys.argv[:] = [entry]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return run(entry)


if __name__ == "__main__":
    sys.exit(main())
