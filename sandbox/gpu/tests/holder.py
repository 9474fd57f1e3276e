"""A runner of its own process that takes leases and waits to be killed by a test.

Arguments: state folder, number of units, and `plain`, `fork` (a child that goes on living) or
`program` (starts another program, as a runner would). Prints the fencing numbers or the refusal,
then the child's number if there is one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from sandbox.gpu import NotNow, Pool


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def hold(folder: str, count: str, manner: str) -> None:
    answer = Pool(Path(folder)).lease(int(count))
    if isinstance(answer, NotNow):
        say(answer.reason)
        return
    say([lease.fence for lease in answer.leases])
    if manner == "fork":
        child = os.fork()
        if child:
            say(child)
    elif manner == "program":
        quiet = subprocess.DEVNULL
        program = subprocess.Popen(["sleep", "60"], stdin=quiet, stdout=quiet, stderr=quiet)
        say(program.pid)
    time.sleep(60)


if __name__ == "__main__":
    hold(*sys.argv[1:])
