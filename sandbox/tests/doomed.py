"""A runner of its own process, to be killed by a test while its program still runs.

Arguments: backend, state folder, Docker address. Prints a line once the program is under way.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sandbox import open_backend
from sandbox.tests.episode import Steps, run

PROGRAM = (
    "import os, time, headnode_sdk\n"
    "if os.fork() == 0: os.setsid()\n"
    "else: headnode_sdk.call('ping')\n"
    "time.sleep(60)\n"
)


class Announcing(Steps):
    """Tells the test that the program runs."""

    def call(self, method: str, params: dict[str, object]) -> object:
        sys.stdout.write("running\n")
        sys.stdout.flush()
        return super().call(method, params)


if __name__ == "__main__":
    backend = open_backend(sys.argv[1], state_dir=Path(sys.argv[2]), docker_url=sys.argv[3])
    run(backend, PROGRAM, Announcing(), wall_s=60)
