"""Exports of a cluster read by a process of its own: hundreds of megabytes must not stand before a save.

The process is the command that operators have, `python -m scenarios import`; one runs at a time in each web
process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Semaphore

from django.conf import settings

from scenarios.company.importer import BadRow, Export, Fitted, ImportRefused
from scenarios.company.profile import read_profile

WALL_S = 240
TOO_LONG = (
    "The exports could not be read within four minutes, so nothing was imported. Use “python -m scenarios "
    "import” and upload the profile that it writes."
)
TAKEN = "Other exports are being read just now: send these again in a minute."
_one = Semaphore(1)


def fit_aside(exports: Mapping[str, Export], *, name: str, skip_bad: bool) -> Fitted:
    """What the exports come to, by kind (sacct, focus, inventory); see `importer.fit`.

    Raises ImportRefused with one sentence where a file is none of its kind, where it takes too long, or
    while another import runs.
    """
    if not _one.acquire(blocking=False):
        raise ImportRefused(TAKEN)
    try:
        with tempfile.TemporaryDirectory(prefix="import-") as folder:
            out = Path(folder, "company.toml")
            options = [f"--out={out}", f"--name={name}", *(["--skip-bad"] if skip_bad else [])]
            for kind, export in exports.items():
                options += [
                    f"--encoding={export.encoding}",
                    f"--{kind}={_laid(folder, kind, export)}",
                ]
            return _told(_said(options), out)
    finally:
        _one.release()


def _laid(folder: str, kind: str, export: Export) -> Path:
    """The file, where the process finds it under the name that its bad rows are told by."""
    path = Path(folder, kind, Path(export.name).name or kind)
    path.parent.mkdir()
    with path.open("wb") as file:
        shutil.copyfileobj(export.stream, file)
    return path


def _said(options: list[str]) -> bytes:
    env = {"PATH": os.environ.get("PATH", ""), "LANG": os.environ.get("LANG", "C.UTF-8")}
    env["PYTHONPATH"] = str(settings.ROOT)
    command = ["nice", "-n", "5", sys.executable, "-m", "scenarios", "import", "--json", *options]
    try:
        done = subprocess.run(  # noqa: S603  (options are our own words, paths and a name after =)
            command, env=env, capture_output=True, timeout=WALL_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ImportRefused(TOO_LONG) from error
    if not done.stdout:
        raise ImportRefused(done.stderr.decode(errors="replace").strip())
    return done.stdout


def _told(said: bytes, out: Path) -> Fitted:
    told = json.loads(said)
    text = out.read_text(encoding="utf-8") if told["written"] else ""
    return Fitted(
        read_profile(text) if text else None,
        text,
        [BadRow(**row) for row in told["bad_rows"]],
        told["bad_count"],
        told["missing"],
        told["sources"],
    )
