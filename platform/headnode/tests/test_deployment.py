"""The settings that docs/operators.md gives for a site on the internet leave Django's check nothing to say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def documented() -> dict[str, str]:
    """The variables of the production example in the operators' page."""
    text = (ROOT / "docs/operators.md").read_text()
    example = text.split("<!-- production -->")[1].split("\n\n")[1]
    found = re.findall(r"^ +([A-Z_]+)=(\S.*)$", example, re.MULTILINE)
    return {name: value.strip('"') for name, value in found}


def test_documented_production_settings_pass_the_deployment_check(tmp_path: Path) -> None:
    wanted = documented()
    assert {"SITE_URL", "MFA_ROLES", "SECRET_KEY", "RETENTION_MONTHS"} <= set(wanted)
    wanted["SECRET_KEY"] = "an-example-of-a-long-random-key-0123456789-abcdefghijklm"
    env = dict(os.environ) | wanted
    env |= {"HEADNODE_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    asked = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    answer = subprocess.run(asked, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "no issues" in answer.stdout


READ = re.compile(r'[a-z_]+(?:\.get)?[\[(]\s*"([A-Z][A-Z0-9_]+)"')
OF_DEVELOPERS = {"DEBUG", "EMAIL_BACKEND"}


def test_every_setting_that_is_read_stands_in_the_operators_table() -> None:
    sources = [ROOT / f"platform/headnode/{name}.py" for name in ("settings", "environment")]
    read = {name for path in sources for name in READ.findall(path.read_text())}
    page = (ROOT / "docs/operators.md").read_text().partition("\n## Settings\n")[2]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert len(read) > 40
    assert read - OF_DEVELOPERS - set(re.findall(r"`([A-Z0-9_]+)`", " ".join(rows))) == set()
