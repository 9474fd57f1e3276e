"""docs/integrators.md: every command in it runs, in its order, and the example reads what Headnode signs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from assessments.tests.stage import Stage
from integrations import tokens
from integrations.tests.world import Program
from integrations.webhooks import signing
from integrations.webhooks.events import KINDS

DOCUMENT = settings.ROOT / "docs/integrators.md"
TEXT = DOCUMENT.read_text()


def commands() -> list[str]:
    lines = TEXT.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.startswith(("    curl ", "    python "))]


def curl(line: str, given: dict[str, str]) -> Any:
    """What curl would get, by the test's client."""
    for name, value in given.items():
        line = re.sub(rf"(?<![\w]){name}(?!\w)", value, line)
    words, method, headers, data, url = shlex.split(line)[1:], "get", {}, None, ""
    while words:
        word = words.pop(0)
        if word == "-X":
            method = words.pop(0).lower()
        elif word == "-H":
            name, _, value = words.pop(0).partition(": ")
            headers[name] = value
        elif word == "-d":
            data = words.pop(0)
        else:
            url = word
    body = {"data": data, "content_type": headers.pop("Content-Type")} if data else {}
    return getattr(Client(), method)(url.removeprefix("$SITE"), headers=headers, **body)


def test_the_commands_run(api: Callable[..., Program], stage: Stage, tmp_path: Path) -> None:
    now = timezone.now()
    given = {
        r"\$TOKEN": api(stage.rhea).text,
        "OPENING": str(stage.opening.pk),
        "EXERCISE": str(stage.exercise.pk),
        "OPENS": now.isoformat(),
        "CLOSES": (now + timedelta(days=5)).isoformat(),
    }
    ran = 0
    for line in commands():
        if line.startswith("python manage.py spectacular"):
            _, _, name, *flags = line.split()
            call_command(name, *flags[:-1], str(tmp_path / flags[-1]))
            assert (tmp_path / "schema.yaml").read_text().startswith("openapi: 3.1")
            ran += 1
            continue
        answer = curl(line, given)
        assert answer.status_code in (200, 201), (line, answer.content)
        said = answer.json()
        if answer.status_code == 201 and "email" in said:
            given["CANDIDATE"] = str(said["id"])
        if "invitations" in said:
            given["INVITATION"] = said["invitations"][0]["id"]
        ran += 1
    assert ran == 6


def test_the_example_reads_what_is_signed() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    space: dict[str, Any] = {}
    exec(compile(code, "integrators.md", "exec"), space)  # noqa: S102
    secret, body = signing.new_secret(), b'{"type":"x"}'
    headers = signing.headers(secret, id="evt_1", body=body, now=timezone.now())
    assert space["is_ours"](secret, headers, body)
    assert not space["is_ours"](secret, headers, body + b" ")
    assert not space["is_ours"](signing.new_secret(), headers, body)
    old = signing.headers(secret, id="evt_1", body=body, now=timezone.now() - timedelta(hours=1))
    assert not space["is_ours"](secret, old, body)


@pytest.mark.parametrize("name", [*KINDS, *(one for one in tokens.SCOPES if one.endswith("read"))])
def test_every_event_and_scope_is_told_of(name: str) -> None:
    assert name in TEXT
