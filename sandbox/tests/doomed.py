"""A runner of its own process, to be killed by a test while its program still runs.

Arguments: backend, state folder, Docker address. Two spares stand beside the program. Prints a
line once all is under way.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sandbox import Limits, Spec
from sandbox.tests.ahead import Ahead
from sandbox.tests.episode import SDK, Steps, run

PROGRAM = (
    "import os, time, headnode_sdk\n"
    "if os.fork() == 0: os.setsid()\n"
    "else: headnode_sdk.call('ping')\n"
    "time.sleep(60)\n"
)


class Announcing(Steps):
    """Tells the test that the program runs and the spares are there."""

    def __init__(self, ahead: Ahead) -> None:
        super().__init__()
        self._ahead = ahead

    def call(self, method: str, params: dict[str, object]) -> object:
        self._ahead.wait_for_spare(Spec({"controller.py": b""}, sdk=SDK), 2)
        sys.stdout.write("running\n")
        sys.stdout.flush()
        return super().call(method, params)


if __name__ == "__main__":
    ahead = Ahead(sys.argv[1], Path(sys.argv[2]), sys.argv[3], spares=2)
    ahead.wait_for_spare(Spec({"controller.py": b""}, sdk=SDK, limits=Limits()), 2)
    # Other limits than the spares have, so that the Docker ones stay as well.
    run(ahead.under, PROGRAM, Announcing(ahead), wall_s=60)
