"""Renders the filter that keeps a program from looking as if somebody had killed it from outside.

A death by SIGKILL that no limit explains is taken for ours and tried again, so a program must not be
able to die of one by its own doing, nor to leave with the exit code that stands for it.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import NamedTuple

_KILL = 9
_KILLED = 128 + _KILL
_STRICT = 1
_PR_SET_SECCOMP = 22
_RLIMIT_CPU = 0
_SIGN = 0x8000_0000

# Numbers of the calls on each machine (asm/unistd_64.h; asm-generic/unistd.h).
_NUMBERS = {
    "x86_64": {
        "exit": 60,
        "kill": 62,
        "setpgid": 109,
        "prctl": 157,
        "tkill": 200,
        "exit_group": 231,
        "tgkill": 234,
        "rt_sigqueueinfo": 129,
        "rt_tgsigqueueinfo": 297,
        "prlimit64": 302,
    },
    "aarch64": {
        "exit": 93,
        "kill": 129,
        "setpgid": 154,
        "prctl": 167,
        "tkill": 130,
        "exit_group": 94,
        "tgkill": 131,
        "rt_sigqueueinfo": 138,
        "rt_tgsigqueueinfo": 240,
        "prlimit64": 261,
    },
}

# Instructions of classic BPF (linux/bpf_common.h) and answers of a filter (linux/seccomp.h).
_LOAD, _AND, _IS, _HAS, _ANSWER = 0x20, 0x54, 0x15, 0x45, 0x06
_ALLOW, _REFUSE, _END = 0x7FFF_0000, 0x0005_0000 | errno.EPERM, 0x8000_0000


class _Test(NamedTuple):
    """Whether the low half of an argument, masked, is one of the values, or with `but` none of them.

    The kernel takes only that half of a process, a signal, a status or the name of a limit.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF
    but: bool = False
    high: bool = False


def kill_filter(main: int, group: int, by_number: bool) -> bytes:
    """For the program whose process and process group have these numbers where it runs.

    SIGKILL may go to process groups other than its own. To a single process it may go only with
    `by_number`, for a root with a shell: a thread of the program has a number too, which no filter can
    tell from a child's. There the main process is ours and has one thread.
    """
    numbers = _NUMBERS[platform.machine()]
    never = [0, main, -1, -main, -group]
    kills = _Test(1, (_KILL,))
    rules = [
        ("kill", (kills, _Test(0, tuple(never))), _REFUSE),
        *([] if by_number else [("kill", (kills, _Test(0, (0,), _SIGN)), _REFUSE)]),
        # Or its main process would join a child's group, which may be killed.
        ("setpgid", (_Test(0, (0, main)), _Test(1, (0, main), but=True)), _REFUSE),
        ("tkill", (kills,), _REFUSE),
        ("rt_sigqueueinfo", (kills,), _REFUSE),
        ("tgkill", (_Test(2, (_KILL,)),), _REFUSE),
        ("rt_tgsigqueueinfo", (_Test(2, (_KILL,)),), _REFUSE),
        # Both end in a SIGKILL of the kernel's.
        ("prctl", (_Test(0, (_PR_SET_SECCOMP,)), _Test(1, (_STRICT,))), _REFUSE),
        ("prlimit64", (_Test(1, (_RLIMIT_CPU,)), _Test(2, (0,), but=True)), _REFUSE),
        ("prlimit64", (_Test(1, (_RLIMIT_CPU,)), _Test(2, (0,), but=True, high=True)), _REFUSE),
        # Refused, an exit would be tried for ever: it ends as a fault instead.
        ("exit", (_Test(0, (_KILLED,), 0xFF),), _END),
        ("exit_group", (_Test(0, (_KILLED,), 0xFF),), _END),
    ]
    body = b"".join(_rule(numbers[name], tests, answer) for name, tests, answer in rules)
    return body + _step(_ANSWER, 0, 0, _ALLOW)


def _rule(number: int, tests: tuple[_Test, ...], answer: int) -> bytes:
    """Answers where it is this call and all tests hold, else goes on behind itself."""
    code = _step(_ANSWER, 0, 0, answer)
    for test in reversed(tests):
        code = _tested(test, code)
    # Relative to seccomp_data: the call's number is its first word.
    over = len(code) // 8
    return _step(_LOAD, 0, 0, 0) + _step(_IS, 0, over, number) + code


def _tested(test: _Test, then: bytes) -> bytes:
    """`then` where the test holds; else over all of it."""
    over = len(then) // 8
    at = 16 + 8 * test.argument + 4 * test.high
    code = _step(_LOAD, 0, 0, at) + _step(_AND, 0, 0, test.mask)
    for index, value in enumerate(test.values):
        left = len(test.values) - 1 - index
        if test.but:
            code += _step(_IS, left + over, 0, value & 0xFFFF_FFFF)
        else:
            code += _step(_IS, left, 0 if left else over, value & 0xFFFF_FFFF)
    return code + then


def _step(code: int, if_so: int, if_not: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)
