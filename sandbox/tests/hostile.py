"""Programs that mean harm: on the channel and against the fences."""

from __future__ import annotations

from sandbox.tests.behaviours import Behaviour, prints, says

_RAW = "import headnode_sdk, struct\ns = headnode_sdk._sock\n"
_SEND = _RAW + "def send(b): s.sendall(struct.pack('>I', len(b)) + b)\n"

HOSTILE = [
    Behaviour("random bytes", "protocol_error", _RAW + "s.sendall(bytes(range(256)) * 64)"),
    Behaviour(
        "a frame that says it holds 4 GiB",
        "protocol_error",
        _RAW + "s.sendall(b'\\xff' * 4096)\nimport time; time.sleep(5)",
        says("4294967295", "65536"),
    ),
    Behaviour("an empty frame", "protocol_error", _SEND + "send(b'')"),
    Behaviour(
        "JSON nested 100,000 deep",
        "protocol_error",
        _SEND + "send(b'{\"id\":1,\"m\":\"ping\",\"p\":' + b'[' * 30000 + b']' * 30000 + b'}')",
        says("deeper than 16"),
    ),
    *(
        Behaviour(
            f"the number {number[:12]}",
            "protocol_error",
            _SEND + f'send(b\'{{"id":1,"m":"step","p":{{"job":\' + b\'{number}\' + b\'}}}}\')',
        )
        for number in ("NaN", "-Infinity", "1e999", "9" * 5000, "9223372036854775808")
    ),
    Behaviour(
        "a key twice",
        "protocol_error",
        _SEND + 'send(b\'{"id":1,"m":"ping","p":{},"p":{}}\')',
    ),
    Behaviour(
        "a made-up result",
        "incomplete",
        "import json, headnode_sdk\n"
        "for m in ('result', 'set_score', '__class__', 'complete'):\n"
        "  try: headnode_sdk.call(m, score=1e9, passed=True)\n  except Exception: pass\n"
        "print(json.dumps({'status': 'ok', 'score': 1e9}))",
        lambda outcome, session: session.taken == 0,
        steps=3,
    ),
    Behaviour(
        "closing the channel and leaving",
        "incomplete",
        _RAW + "fd = s.fileno(); s.close()\nprint('on')",
        prints("on"),
        steps=3,
    ),
    Behaviour(
        "never reading its answers",
        "protocol_error",
        _SEND
        + "s.settimeout(3)\ntry:\n"
        + '  while True: send(b\'{"id":1,"m":"big","p":{}}\')\n'
        + "except OSError: import time; time.sleep(5)",
        says("without reading"),
        {"memory_mb": 128},
    ),
    Behaviour(
        "too many calls",
        "protocol_error",
        "import headnode_sdk\nwhile True: headnode_sdk.call('ping')",
        says("more than 500 calls"),
        {"calls": 500},
    ),
    Behaviour(
        "control characters on the screen",
        "ok",
        "import os; os.write(1, b'\\x1b[2J<b>\\x00\\r\\xff\\xe2\\x80\\xae')",
        prints("\\x1b[2J<b>\\x00\\x0d\\xff\\u202e"),
    ),
    Behaviour(
        "a bug of ours while answering",
        "sandbox_error",
        "import headnode_sdk\nheadnode_sdk.call('broken')",
        says("not your fault"),
    ),
]

FENCED = [
    Behaviour(
        "no network",
        "ok",
        "import socket\n"
        "for family in (socket.AF_INET, socket.AF_INET6, 16, 17, 38, 40):\n"
        "  try: socket.socket(family, socket.SOCK_STREAM); print('OPEN', family)\n"
        "  except OSError: print('closed')",
        lambda outcome, session: outcome.stdout == "closed\n" * 6,
    ),
    Behaviour(
        "a family hidden in the high bits of an argument",
        "ok",
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.syscall(ctypes.c_long(41), ctypes.c_long((1 << 32) | 2), 1, 0) >= 0)",
        prints("False"),
    ),
    Behaviour(
        "a root that cannot be written",
        "ok",
        "import headnode_sdk, os\nfor p in ('/x', '/etc/x', '/usr/lib/x', '/opt/headnode/x',\n"
        "  '/opt/sbx/x', headnode_sdk.__file__, '/proc/sys/kernel/pid_max',\n"
        "  '/proc/self/oom_score_adj'):\n"
        "  try: os.close(os.open(p, os.O_WRONLY | os.O_CREAT)); print('WROTE', p)\n"
        "  except OSError: pass",
        lambda outcome, session: (
            "WROTE"
            not in outcome.stdout.replace(
                # The engine's /proc lets a process make itself a likelier victim, nothing more.
                "WROTE /proc/self/oom_score_adj",
                "" if outcome.backend == "docker" else "WROTE",
            )
        ),
    ),
    Behaviour(
        "no secret of the host in its environment",
        "ok",
        "import os\nprint(sorted(os.environ), 'hostname', os.uname().nodename)",
        lambda outcome, session: (
            "CANARY" not in outcome.stdout
            and "'sandbox'" not in outcome.stdout
            and "hostname sandbox" in outcome.stdout
        ),
    ),
    Behaviour(
        "other processes out of sight",
        "ok",
        "import os\nprint(len([p for p in os.listdir('/proc') if p.isdigit()]) <= 3)",
        prints("True"),
    ),
    Behaviour(
        "no descriptor but its own",
        "ok",
        "import os\nfound = []\n"
        "for fd in range(3, 256):\n"
        "  try: os.fstat(fd); found.append(fd)\n  except OSError: pass\n"
        "print(found == [int(os.environ['HEADNODE_CHANNEL_FD'])])",
        prints("True"),
    ),
    Behaviour(
        "dangerous calls refused",
        "ok",
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "calls = {'ptrace': 101, 'mount': 165, 'unshare': 272, 'setns': 308, 'bpf': 321,\n"
        "  'keyctl': 250, 'perf': 298, 'userfaultfd': 323, 'io_uring': 425, 'pidfd_getfd': 438,\n"
        "  'clone3': 435, 'memfd_secret': 447, 'x32': 0x40000000 + 39}\n"
        "for name in list(calls)[:-1]:\n"
        "  r = libc.syscall(ctypes.c_long(calls[name]), 0, 0, 0, 0, 0)\n"
        "  e = ctypes.get_errno()\n"
        "  if r != -1 or e not in (1, 38): print('PASSED', name, r, e)\n"
        "print('done')",
        lambda outcome, session: outcome.stdout == "done\n",
    ),
    Behaviour(
        "new namespaces by clone refused",
        "ok",
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "for flag in (0x20000, *(1 << bit for bit in range(25, 31))):\n"
        "  r = libc.syscall(ctypes.c_long(56), ctypes.c_long(flag | 17), 0, 0, 0, 0)\n"
        "  if r == 0: libc._exit(0)\n"
        "  if r > 0: print('PASSED', hex(flag))\n"
        "print('done')",
        lambda outcome, session: outcome.stdout == "done\n",
    ),
    Behaviour(
        "the other system-call table ends the program",
        "crashed",
        "import ctypes, mmap\nm = mmap.mmap(-1, 4096, prot=7)\n"
        "m.write(bytes.fromhex('b814000000cd80c3'))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()\n"
        "print('PASSED')",
        lambda outcome, session: "PASSED" not in outcome.stdout,
    ),
]
