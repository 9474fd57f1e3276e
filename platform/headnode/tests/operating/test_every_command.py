"""No command of docs/operators.md stands there untried: a test runs it, or it says here why none can."""

from __future__ import annotations

import re

from headnode.tests.operating import test_from_the_docs as fresh
from reviews.privacy.tests.test_retention import typed

ELSEWHERE = {
    "make run": "the launcher that it starts: test_launcher, test_start and every test with a browser",
    "headnode terminals": "by its unit, in test_from_the_docs",
    "headnode schedule": "by its unit, in test_from_the_docs",
    "python manage.py terminals": "by its unit, in test_from_the_docs",
    "kubectl create secret generic headnode": "no cluster can be had here, as the page says",
    "helm install headnode deploy/helm/headnode": "rendered and validated offline: test_deploy",
}
"""What begins so, and who runs it."""
SETTING = re.compile(r"[A-Z_]+=\S")


def commands() -> list[str]:
    """Every command of the page, without its remark; settings that stand alone are none."""
    lines = re.findall(r"^    (\S.*)$", fresh.TEXT.replace("\\\n", " "), re.MULTILINE)
    return [
        re.split(r"\s{3,}#", line)[0].strip() for line in lines if not SETTING.match(line.strip())
    ]


def test_every_command_of_the_operators_page_is_run_by_a_test() -> None:
    run = {line for lines in fresh.steps().values() for line in lines} | {*fresh.several()[:3]}
    run |= {*fresh.ordinary(), *fresh.begun(), *typed()}
    run |= {line for name in ("Seeing it", "Backups", "Upgrades") for line in fresh.section(name)}
    found = commands()
    assert len(found) > 50
    untried = [line for line in found if line not in run and not line.startswith((*ELSEWHERE,))]
    assert untried == []
    stale = [begins for begins in ELSEWHERE if not any(line.startswith(begins) for line in found)]
    assert stale == []
