"""An unpacked kit, and Python with nothing but the kit's two folders on its path."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from graders.kit import kit_files, kit_name, zipped
from scenarios.packs import Pack


def unpacked(pack: Pack, level: str, seed: int, folder: Path, program: str) -> Path:
    """The kit of a variant in `folder`, with this program as its answer."""
    files = {**pack.template(level), pack.entry: program}
    name = kit_name(pack, level)
    body = zipped(name, kit_files(pack, level, seed, files, {}))
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        archive.extractall(folder)
    return folder / name


OURS = ("DJANGO", "PYTEST")
"""Beginnings of variables by which these tests are told something that the kit's own must not hear."""


def python_in(kit: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run as a person does who has unpacked the kit and installed nothing."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(OURS)},
        "PYTHONPATH": "headnode-sdk:headnode-local",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=kit,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
