"""The main path of each workspace in Firefox as Debian has it, driven by WebDriver BiDi."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headnode.tests.browser.kinds_scene import LIVE, PACKS, invited
from headnode.tests.browser.site import Site, require

NODE = Path(sys.executable).with_name("node")
TOOLS = Path(__file__).resolve().parents[2] / "frontend"
WITHIN_S = 900
pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("kind", sorted(PACKS | LIVE))
def test_the_main_path_of_a_workspace_in_firefox(site: Site, kind: str) -> None:
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    require(found is not None, "no Firefox on this system")
    require((TOOLS / "node_modules/puppeteer-core").exists(), "make pages installs puppeteer-core")
    link = f"{site.url}/t/{invited(site, kind)}/"
    asked = [str(NODE), str(TOOLS / "firefox.mjs"), str(found), kind, link]
    asked += [shots] if (shots := os.environ.get("HEADNODE_SHOTS")) else []
    done = subprocess.run(asked, capture_output=True, text=True, timeout=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr
