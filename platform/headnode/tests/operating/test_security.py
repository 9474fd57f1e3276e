"""What docs/security.md says of requests, headers, passwords and parts is so; the tests it names are there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.hashers import identify_hasher, make_password
from django.core.management import get_commands, load_command_class
from django.test import Client
from django.urls import reverse

from assessments.link import COOKIE
from assessments.models import Attempt
from assessments.tests.stage import attempt, stage
from headnode.command import PROCESSES

__all__ = ["attempt", "stage"]
ROOT = Path(__file__).resolve().parents[4]
TEST = re.compile(r"`(test_\w+)`")
SPOKEN = {"setup", "doctor", "backup", "restore", "erasures", "metrics", "terminals", "check"}
SPOKEN |= {"candidate_data", "adverse_impact"}
COMMAND = re.compile(r"(?:^|[\s/])headnode ([a-z_-]+)((?: +[^\s`#|)]+)*)")


SECTIONS = {
    1: 14,
    2: 10,
    3: 7,
    4: 3,
    5: 5,
    6: 4,
    7: 4,
    8: 3,
    9: 2,
    10: 3,
    11: 1,
    12: 6,
    13: 4,
    14: 5,
}
"""How many sections each chapter of ASVS 4.0.3 has."""
EMPTY = {(1, 3), (1, 13)}
"""Sections in which that version asks nothing."""


def sections() -> set[tuple[int, int]]:
    return {(at, one) for at, most in SECTIONS.items() for one in range(1, most + 1)} - EMPTY


def named(text: str) -> list[tuple[int, int]]:
    """The sections in it: "V1.2", and "V3.1 to V3.3" for all three."""
    found = []
    for chapter, first, last in re.findall(r"V(\d+)\.(\d+)(?: to V\d+\.(\d+))?", text):
        found += [(int(chapter), one) for one in range(int(first), int(last or first) + 1)]
    return found


def test_each_line_of_the_table_names_tests_that_there_are() -> None:
    table = (ROOT / "docs/security.md").read_text().partition("<!-- asvs -->")[2]
    lines = [
        line for line in table.partition("\n*Operator*")[0].splitlines() if line.startswith("| V")
    ]
    assert len(lines) > 40
    there = {place for line in lines for place in named(line.split("|")[1])}
    elsewhere = named(table.partition("\nNot there:")[2].partition("\n\n")[0])
    assert sections() - there == set(elsewhere), "a section of ASVS is missing, or in both"
    known: set[str] = set()
    for folder in ("platform", "sandbox", "graders", "scenarios"):
        for path in (ROOT / folder).rglob("test_*.py"):
            known.update(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    for line in lines:
        tests = TEST.findall(line)
        assert tests, line
        assert set(tests) <= known, f"{set(tests) - known} of: {line}"


def test_commands_of_the_documents_are_there_with_their_options() -> None:
    seen = 0
    for name in ("operators", "security", "compliance", "alerts"):
        text = (ROOT / f"docs/{name}.md").read_text()
        blocks = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE) + re.findall(
            r"`([^`\n]+)`", text
        )
        for block in blocks:
            for command, rest in COMMAND.findall(block):
                if command in PROCESSES or command not in SPOKEN:
                    continue
                assert command in get_commands(), f"docs/{name}.md: headnode {command}"
                app = get_commands()[command]
                parser = load_command_class(app, command).create_parser("headnode", command)
                known = {option for action in parser._actions for option in action.option_strings}
                asked = {word for word in rest.split() if word.startswith("--")}
                assert asked <= known, f"docs/{name}.md: headnode {command} {asked - known}"
                seen += 1
    assert seen > 15


@pytest.mark.django_db
def test_every_page_has_its_headers() -> None:
    for path in ("/", "/admin/login/", "/healthz", "/nowhere"):
        answer = Client().get(path)
        if path == "/healthz":  # answered before anything else, and no page
            continue
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["Referrer-Policy"] == "same-origin"
        policy = answer["Content-Security-Policy"]
        assert "unsafe-inline" not in policy
        assert "unsafe-eval" not in policy
        assert "frame-ancestors 'none'" in policy
        assert len(answer["X-Request-ID"]) == 32


SETTINGS = """
import json, django
from django.conf import settings
print(json.dumps([
    settings.CONTENT_SECURITY_POLICY["DIRECTIVES"].get("report-uri"),
    settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY,
    settings.SESSION_COOKIE_SAMESITE, settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS]))
"""


def settings_with(tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"HEADNODE_DATA": str(tmp_path), "PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    env |= {"DJANGO_SETTINGS_MODULE": "headnode.settings"} | more
    return subprocess.run(
        [sys.executable, "-c", SETTINGS], env=env, capture_output=True, text=True, check=False
    )


def test_cookies_are_strict_on_https(tmp_path: Path) -> None:
    _, *found = json.loads(settings_with(tmp_path, SITE_URL="https://h.example.com").stdout)
    assert found == [True, True, True, "Lax", True, 31_536_000]


@pytest.mark.nightly
def test_reports_of_the_policy_go_where_the_setting_says(tmp_path: Path) -> None:
    assert json.loads(settings_with(tmp_path).stdout)[0] is None
    url = "https://reports.example.com/csp"
    assert json.loads(settings_with(tmp_path, CSP_REPORT_URL=url).stdout)[0] == [url]
    assert "begins with https" in settings_with(tmp_path, CSP_REPORT_URL="http://x.example").stderr


def test_password_hashes_are_slow_and_salted() -> None:
    first, second = make_password("three-blue-racks-hum"), make_password("three-blue-racks-hum")
    assert first != second
    assert identify_hasher(first).algorithm == "pbkdf2_sha256"
    assert int(first.split("$")[1]) >= 600_000


@pytest.mark.django_db
def test_forged_requests_are_refused(attempt: Attempt, stage: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.get(f"/t/{stage.token}/")
    assert COOKIE in strict.cookies
    body = {"client": "9f3c1c1e-6c53-4b55-9d51-0d6a3a0f5a11", "seq": 1, "body": {}}
    for name in ("attempt-drafts", "attempt-runs", "attempt-submit"):
        url = reverse(name, args=[attempt.pk])
        assert strict.post(url, body, content_type="application/json").status_code == 403
    assert not attempt.drafts.exists()
    strict.force_login(stage.rhea)
    assert strict.post(reverse("admin:logout")).status_code == 403


@pytest.mark.django_db
def test_a_body_that_is_too_large_is_refused_in_words(attempt: Attempt, stage: Any) -> None:
    client = Client()
    client.get(f"/t/{stage.token}/")
    body = b'{"body": "' + b"x" * (site.DATA_UPLOAD_MAX_MEMORY_SIZE + 1) + b'"}'
    url = reverse("attempt-drafts", args=[attempt.pk])
    answer = client.post(url, body, content_type="application/json")
    assert answer.status_code == 413
    assert "shorten it" in answer.json()["detail"]


AUDIT = """#!/bin/sh
[ "$1" = --requirement ] || exit 9
cat {said}
exit {code}
"""


@pytest.mark.parametrize(
    ("said", "code", "ends", "told"),
    [
        ("No known vulnerabilities found", 0, 0, "none is known"),
        ("Found 1 known vulnerability in 1 package\ndjango 1.0 CVE-1", 1, 1, "CVE-1"),
        ("ERROR: could not connect to the service", 1, 0, "nothing was checked"),
        (
            "Traceback\nConnectionError: refused",
            1,
            0,
            "nothing was checked (ConnectionError: refused)",
        ),
    ],
)
def test_an_audit_that_could_not_look_says_so(
    tmp_path: Path, said: str, code: int, ends: int, told: str
) -> None:
    (tmp_path / "said").write_text(said + "\n")
    program = tmp_path / "pip-audit"
    program.write_text(AUDIT.format(said=tmp_path / "said", code=code))
    program.chmod(0o755)
    done = subprocess.run(
        [ROOT / ".ci/audit", "requirements.txt"],
        env=os.environ | {"PIP_AUDIT": str(program)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == ends, done.stdout + done.stderr
    assert told in done.stdout


@pytest.mark.nightly
def test_sbom_names_every_locked_package(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "cyclonedx-py"
    subprocess.run(
        [
            program,
            "requirements",
            "--pyproject",
            "pyproject.toml",
            "--output-file",
            tmp_path / "s",
            "requirements.txt",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    parts = json.loads((tmp_path / "s").read_text())
    locked = re.findall(r"^([a-z0-9._-]+)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert {part["name"].lower() for part in parts["components"]} == set(locked)
    assert parts["metadata"]["component"]["name"] == "headnode"
