"""No command of the pages for operators and integrators stands there untried: a test runs it, or cannot."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from contextlib import suppress
from typing import Any

import pytest
from django.core.management import call_command

from headnode.doctor import outside
from headnode.doctor.findings import State
from headnode.tests.operating import test_from_the_docs as fresh
from reviews.privacy.tests.test_retention import typed

ELSEWHERE = {
    "make run": "the launcher that it starts: test_launcher, test_start and every test with a browser",
    "headnode terminals": "by its unit, in test_from_the_docs",
    "headnode schedule": "by its unit, in test_from_the_docs",
    "kubectl create secret generic headnode": "no cluster can be had here, as the page says",
    "helm install headnode deploy/helm/headnode": "rendered and validated offline: test_deploy",
}
"""What begins so, and who runs it."""
SETTING = re.compile(r"[A-Z_]+=\S")
PAGES = ("operators", "integrators", "security", "compliance", "alerts")
PROGRAMS = r"headnode|manage\.py|make|docker|kubectl|openssl|apt-get|systemctl|(?:\S+/)?python"
IN_SENTENCES = re.compile(rf"`((?:{PROGRAMS}) [^`]+|reproduce)`")
CHARGED = "test_whoever_is_charged_with_it_may_look_and_is_on_record"
FRESH = "test_a_fresh_debian_becomes_a_site_by_the_page_alone"
TRIED = {
    "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0": FRESH,
    "apt-get install fonts-noto-cjk": "",  # a font's package, as any other
    "docker build --file deploy/Dockerfile --tag headnode:0.2.0 .": "test_it_is_set_up_and_serves",
    "kubectl exec deploy/headnode-worker -- python -m sandbox doctor": "",  # no cluster here
    "headnode check --deploy": "test_documented_production_settings_pass_the_deployment_check",
    "headnode erasures": "test_the_list_can_be_printed_from_the_database",
    "headnode schedule": FRESH,
    "headnode terminals": FRESH,
    "headnode setup": FRESH,
    "headnode worker": FRESH,
    "headnode web": FRESH,
    "headnode doctor": FRESH,
    'headnode adverse_impact --by NAME --reason "…"': CHARGED,
    "headnode adverse_impact": CHARGED,
    "headnode candidate_data ADDRESS --export FILE": "test_the_operators_commands_do_what_the_page_says",
    "python -m headnode": "test_the_first_invitation_is_mailed_answered_graded_and_scored",
    "python -m sandbox doctor": "test_doctor_names_each_backends_layers",
    "/opt/headnode/bin/python -m sandbox --state /var/lib/headnode-sandbox doctor": FRESH,
    "python -m sandbox.gpu status": "test_status_tells_each_card",
    "python -m sandbox.gpu put-back GPU-UUID": "test_card_is_put_back_by_command_only_when_sound",
    "make audit": "test_an_audit_that_could_not_look_says_so",
    "make wheel": FRESH,
    "make run": "test_one_that_dies_again_and_again_ends_the_start_with_its_last_words",
    "systemctl stop": FRESH,
    "systemctl status headnode-web": FRESH,
    "reproduce": "test_grading_comes_out_the_same_again",
}
"""What stands within a sentence, and the test that runs it."""


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


def within_sentences() -> list[str]:
    """What a sentence of the pages has one type."""
    found: set[str] = set()
    for name in PAGES:
        text = (fresh.ROOT / f"docs/{name}.md").read_text()
        found |= {" ".join(one.split()) for one in IN_SENTENCES.findall(text)}
    return sorted(found)


def runs_here(command: str) -> bool:
    return command.startswith(("headnode doctor --only ", "openssl rand"))


def test_every_command_within_a_sentence_is_run_by_a_test() -> None:
    found = [one for one in within_sentences() if not runs_here(one)]
    assert set(found) == set(TRIED)
    known: set[str] = set()
    for folder in ("platform", "sandbox"):
        for path in (fresh.ROOT / folder).rglob("test_*.py"):
            known.update(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    assert {name for name in TRIED.values() if name} <= known


@pytest.mark.django_db
@pytest.mark.parametrize("command", [one for one in within_sentences() if "--only" in one])
def test_what_the_doctor_is_asked_for_alone_is_told(command: str, settings: Any) -> None:
    settings.ASSISTANT_URL = ""
    out = io.StringIO()
    with suppress(SystemExit):  # what it finds is another matter
        call_command(*command.split()[1:], stdout=out)
    assert "1 looked at" in out.getvalue()


def test_the_key_that_the_page_has_one_make_is_good_enough(settings: Any) -> None:
    (command,) = (one for one in within_sentences() if one.startswith("openssl"))
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True)
    settings.SECRET_KEY = done.stdout.strip()
    (told,) = outside.secret_key()
    assert told.state == State.OK
