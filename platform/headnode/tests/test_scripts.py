"""What our scripts compute without a page, tested by node's own runner in `tests/scripts` of their apps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from headnode.tests.static_files import PLATFORM

NODE = Path(sys.executable).with_name("node")
STATIC = PLATFORM / "headnode/frontend/static.mjs"


def test_scripts_compute_what_pages_show() -> None:
    modules = sorted(PLATFORM.glob("*/tests/scripts/*.test.js"))
    assert len(modules) >= 6
    asked = [str(one) for one in (NODE, "--import", STATIC, "--test", *modules)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
