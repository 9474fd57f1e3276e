"""A worker that the kernel ends between handing a mail over and writing so: the mail went out once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headnode.tests.migrated import lend_to_a_process


@pytest.mark.nightly
def test_worker_killed_for_good_leaves_one_message(tmp_path: Path) -> None:
    """A process of its own, ended by the kernel between handing over and the row."""
    folder = tmp_path / "mail"
    script = """
import os, signal, django
django.setup()
from django.conf import settings
from django.core.management import call_command
call_command("migrate", verbosity=0)
from datetime import timedelta
from assessments.tests.stage import NOW, make_stage
from hiring.messages import delivery
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Message
if not Message.objects.exists():
    stage = make_stage()
    invite_by_mail(stage.invitation, by=stage.rhea, now=NOW)
    delivery._end = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
    delivery.send_due("one", lambda: NOW)
print(delivery.send_due("two", lambda: NOW + timedelta(hours=1)), Message.objects.get().state(NOW))
"""
    lend_to_a_process(tmp_path)
    env = dict(os.environ) | {
        "HEADNODE_DATA": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "headnode.settings",
        "DATABASE_URL": "",
    }
    run = [sys.executable, "-c", script]
    first = subprocess.run(run, env=env, capture_output=True, text=True, check=False)
    assert first.returncode == -signal.SIGKILL, first.stderr
    second = subprocess.run(run, env=env, capture_output=True, text=True, check=True)
    assert second.stdout.split()[0] == "0"
    assert sum(path.read_text().count("Subject:") for path in folder.iterdir()) == 1
