"""The committed browser libraries are the ones that were built, and carry their licences."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

HEADNODE = Path(__file__).resolve().parents[1]
VENDORED = HEADNODE / "static/headnode/vendor"
SUMS = VENDORED / "SHA256SUMS"


def sums() -> dict[str, str]:
    lines = SUMS.read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def test_vendored_files_match_their_sums() -> None:
    present = {
        path.relative_to(VENDORED).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDORED.rglob("*")
        if path.is_file() and path != SUMS
    }
    assert present == sums()


def test_vendored_files_name_every_licence() -> None:
    notices = (VENDORED / "LICENSES.txt").read_text()
    package = json.loads((HEADNODE / "vendor/package.json").read_text())
    bundled = dict(package["devDependencies"])
    del bundled["esbuild"]
    for name, version in bundled.items():
        assert f"{name} {version} (" in notices


@pytest.mark.parametrize("name", ["vendor", "frontend"])
def test_pins_are_exact(name: str) -> None:
    package = json.loads((HEADNODE / name / "package.json").read_text())
    lock = json.loads((HEADNODE / name / "package-lock.json").read_text())["packages"]
    for library, version in package["devDependencies"].items():
        assert lock[f"node_modules/{library}"]["version"] == version


@pytest.mark.parametrize("name", ["vendor", "frontend"])
def test_lock_names_no_registry(name: str) -> None:
    lock = json.loads((HEADNODE / name / "package-lock.json").read_text())
    assert not [one for one, entry in lock["packages"].items() if "resolved" in entry]
