"""`strace`, `perf`, `py-spy`: installed, and refused as to anybody who may not look into others' processes."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.troubleshooting.console.command import Call, Failed
from scenarios.troubleshooting.console.host.running import processes

_OWN = "This account may read, not start or trace programs on this host."
_PERF = """\
Error:
Access to performance monitoring and observability operations is limited.
Consider adjusting /proc/sys/kernel/perf_event_paranoid setting to open
access to performance monitoring and observability operations for processes
without CAP_PERFMON, CAP_SYS_PTRACE or CAP_SYS_ADMIN Linux capability.
perf_event_paranoid setting is 4:
  -1: Allow use of (almost) all events by all users
      Ignore mlock limit after perf_event_mlock_kb without CAP_IPC_LOCK
>= 0: Disallow raw and ftrace function tracepoint access
>= 1: Disallow CPU event access
>= 2: Disallow kernel profiling"""
_PERF_USAGE = """\

 usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]

 The most commonly used perf commands are:
   list            List all symbolic event types
   record          Run a command and record its profile into perf.data
   report          Read perf.data (created by perf record) and display the profile
   sched           Tool to trace/measure scheduler properties (latencies)
   stat            Run a command and gather performance counter statistics
   top             System profiling tool.
   trace           strace inspired tool

 See 'perf help COMMAND' for more information on a specific command.
"""
_SPY_USAGE = """\
py-spy 0.3.14
Sampling profiler for Python programs

USAGE:
    py-spy <SUBCOMMAND>

SUBCOMMANDS:
    record    Records stack trace information to a flamegraph, speedscope or raw file
    top       Displays a top like view of functions consuming CPU
    dump      Dumps stack traces for a target program to stdout
"""


def _pids(args: tuple[str, ...], *names: str) -> Iterator[str]:
    """Numbers given to an option, joined to it, behind `=` or as the next word."""
    for place, word in enumerate(args):
        for name in names:
            if word == name and place + 1 < len(args):
                yield from args[place + 1].replace(",", " ").split()
            elif word.startswith(f"{name}=") or (
                len(name) == 2 and word.startswith(name) and word != name
            ):
                yield from word[len(name) :].lstrip("=").replace(",", " ").split()


def _there(call: Call, pid: str) -> bool:
    return any(str(process.pid) == pid for process in processes(call.site, call.host))


def strace(call: Call) -> str:
    if call.args and call.args[0] in ("-V", "--version"):
        return "strace -- version 5.16\nCopyright (c) 1991-2022 The strace developers <https://strace.io>.\n"
    if call.args and call.args[0] in ("-h", "--help"):
        return "Usage: strace [-ACdffhikqqrtttTvVwxxyyzZ] [-e EXPR]... [-p PID]... PROG [ARGS]\n"
    for pid in _pids(call.args, "-p", "--attach"):
        if not pid.isdigit() or pid == "0":
            raise Failed(f"strace: Invalid process id: '{pid}'")
        why = "Operation not permitted" if _there(call, pid) else "No such process"
        raise Failed(f"strace: attach: ptrace(PTRACE_SEIZE, {pid}): {why}")
    if not [word for word in call.args if not word.startswith("-")]:
        raise Failed(
            "strace: must have PROG [ARGS] or -p PID\nTry 'strace -h' for more information."
        )
    raise Failed(f"strace: {_OWN}")


def perf(call: Call) -> str:
    words = [word for word in call.args if not word.startswith("-")]
    if call.args and call.args[0] in ("-v", "--version", "version"):
        return f"perf version {call.site.incident.plant.versions.kernel.partition('-')[0]}\n"
    if not words or words[0] == "help":
        return _PERF_USAGE
    if words[0] in ("top", "stat", "record", "trace", "sched", "lock", "mem", "c2c"):
        raise Failed(_PERF, 255)
    if words[0] in ("report", "script", "annotate"):
        raise Failed(
            "failed to open perf.data: No such file or directory  (try 'perf record' first)", 255
        )
    if words[0] == "list":
        return "\nList of pre-defined events (to be used in -e or -M):\n\n" + "".join(
            f"  {name:<50} [{kind} event]\n"
            for name, kind in (
                ("branch-misses", "Hardware"),
                ("cache-misses", "Hardware"),
                ("cpu-cycles OR cycles", "Hardware"),
                ("instructions", "Hardware"),
                ("context-switches OR cs", "Software"),
                ("cpu-migrations OR migrations", "Software"),
                ("page-faults OR faults", "Software"),
            )
        )
    raise Failed(f"perf: '{words[0]}' is not a perf-command. See 'perf --help'.")


def py_spy(call: Call) -> str:
    if call.args and call.args[0] in ("-V", "--version"):
        return "py-spy 0.3.14\n"
    if not call.args or call.args[0] in ("-h", "--help", "help"):
        return _SPY_USAGE
    name = call.args[0]
    if name not in ("record", "top", "dump"):
        raise Failed(
            f"error: Found argument '{name}' which wasn't expected, or isn't valid in this context\n\n"
            "USAGE:\n    py-spy <SUBCOMMAND>\n\nFor more information try --help",
            2,
        )
    for pid in _pids(call.args, "--pid", "-p"):
        if not _there(call, pid):
            raise Failed(
                f"Error: Failed to open process {pid}\nReason: No such process (os error 3)"
            )
        words = " ".join(call.args)
        raise Failed(
            "Permission Denied: Try running again with elevated permissions by going "
            f"'sudo env \"PATH=$PATH\" py-spy {words}'"
        )
    raise Failed(
        "error: The following required arguments were not provided:\n    --pid <pid>\n\n"
        f"USAGE:\n    py-spy {name} --pid <pid>\n\nFor more information try --help",
        2,
    )
