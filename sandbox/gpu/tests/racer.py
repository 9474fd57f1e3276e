"""A runner that takes and returns leases as fast as it can, and notices when it is not alone.

Arguments: state folder, log file, number of units, seconds, and how many lines the log has to have
before it ends, however long that takes. Every lease is one line of the log: unit, fencing number,
and `twice` when another living process was found on the unit.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from sandbox.gpu import Grant, Pool
from sandbox.gpu.leases import Lease
from sandbox.gpu.owner import start_ticks


def race(folder: str, log: str, count: str, seconds: str, lines: str) -> None:
    pool, marks = Pool(Path(folder)), Path(log).parent
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until or Path(log).read_bytes().count(b"\n") < int(lines):
        answer = pool.lease(int(count))
        if isinstance(answer, Grant):
            for lease in answer.leases:
                os.write(output, _line(lease, marks).encode())
            answer.release()
        else:
            time.sleep(0.002)


def _line(lease: Lease, marks: Path) -> str:
    """Stays a moment on the unit, with a mark that another holder would find."""
    mark = marks / f"{lease.unit.uuid}.mark"
    before = _pid_on(mark)
    mark.write_text(str(os.getpid()))
    time.sleep(0.003)
    alone = before is None and _pid_on(mark) == os.getpid() and lease.is_current
    mark.unlink(missing_ok=True)
    return f"{lease.unit.uuid} {lease.fence} {'alone' if alone else 'twice'}\n"


def _pid_on(mark: Path) -> int | None:
    """The living process that has left its mark; the killed ones' marks do not count."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        pid = int(mark.read_text())
        return pid if start_ticks(pid) is not None else None
    return None


if __name__ == "__main__":
    race(*sys.argv[1:])
