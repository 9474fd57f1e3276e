"""What a worker under test does otherwise than one in use: it notes its work and does none of it."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import Any

from django.apps import AppConfig


class Rehearsed(AppConfig):
    """Runs and gradings last for as long as a file of their name lies in the data folder."""

    name = "headnode.tests.worker"
    label = "worker_under_test"

    def ready(self) -> None:
        from assessments import execution

        stand_ins = {
            "sandbox": lambda: None,
            "is_parted": lambda pack: False,
            "run_public": lambda *_: rehearse("run", "ok"),
            "grade": lambda *_, **__: rehearse("grading", "done"),
        }
        for name, stand_in in stand_ins.items():
            setattr(execution, name, stand_in)


def rehearse(kind: str, status: str) -> Any:
    """Note who does what, wait, and report the status."""
    from django.conf import settings

    with (settings.DATA / "begun").open("a") as begun:
        begun.write(f"{kind} {os.getpid()}\n")
    while (settings.DATA / kind).exists():
        time.sleep(0.02)
    return SimpleNamespace(to_dict=lambda: {"status": status, "detail": ""})
