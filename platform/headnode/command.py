"""The command `headnode`: the site's processes by name, and Django's commands.

    headnode setup | doctor | backup FILE | restore FILE    prepare, look, keep
    headnode run [--port N]                                 everything on this machine
    headnode web [--bind ADDRESS] | worker | schedule | gpu-worker | terminals | metrics

What follows a process's name goes to gunicorn or Celery as it is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

WEB = ["gunicorn", "-c", "python:headnode.web_server", "--no-control-socket"]
CELERY = ["celery", "-A", "headnode"]
PROCESSES = {
    "web": WEB,
    "worker": [*CELERY, "worker"],
    "schedule": [*CELERY, "beat"],
    "gpu-worker": [*CELERY, "worker", "-Q", "gpu", "-n", "gpu@%h"],
}


def main(arguments: list[str] | None = None) -> int:
    """Exit code of what was asked for; a process takes the place of this one."""
    words = sys.argv[1:] if arguments is None else arguments
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
    if not words or words[0] in {"-h", "--help"}:
        print(__doc__)
        return 0
    name, *others = words
    if name == "--version":
        return _version()
    if name == "run":
        from headnode.launcher import main as run

        return run(others)
    if name in PROCESSES:
        program, *given = [*PROCESSES[name], *others]
        beside = Path(sys.executable).parent / program
        os.execv(beside, [str(beside), *given])  # noqa: S606  (no shell; our own programs)
    return _django(words)


def _version() -> int:
    import django

    django.setup()
    from assessments.presences import own_version

    print(own_version())
    return 0


def _django(words: list[str]) -> int:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(["headnode", *words])
    except ImproperlyConfigured as error:  # one sentence that says which setting to change
        print(error, file=sys.stderr)
        return 2
    return 0
