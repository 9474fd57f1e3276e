"""Work in one's own editor: the kit is downloaded, run as it lies, and its files come back."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from headnode.tests.browser.actors import DESKTOP, Candidate
from headnode.tests.browser.site import Site

PROGRAM = (
    "from headnode_sdk import connect\n\ncluster = connect()\nwhile cluster.tick():\n    pass\n"
)


@pytest.mark.nightly  # by day assessments/tests/test_kit and graders/tests/test_local try its parts
def test_kit_goes_home_and_files_come_back(site: Site, chrome: Browser, tmp_path: Path) -> None:
    dana = Candidate(chrome, site, DESKTOP)
    dana.page.goto(site.candidate_link)
    dana.page.get_by_role("checkbox").check()
    dana.press("Start")
    dana.write_program(PROGRAM)
    kit = take_home(dana, tmp_path)
    assert (kit / "answer" / "controller.py").read_text() == PROGRAM
    runs_at_home(kit)
    come_back(dana, kit)
    refuse_what_is_no_text(dana, tmp_path)


def take_home(dana: Candidate, folder: Path) -> Path:
    dana.press("Own editor")
    dana.look("own-editor")
    with dana.page.expect_download() as waiting:
        dana.press("Download the kit")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return path.with_suffix("")


def runs_at_home(kit: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "headnode_local", "run", "answer/controller.py"],
        cwd=kit,
        env={"PYTHONPATH": "headnode-sdk:headnode-local"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ok: The controller saw the whole day:" in done.stdout, done.stderr


def come_back(dana: Candidate, kit: Path) -> None:
    """With the keyboard alone; a file that is there already is asked about."""
    before = dana.is_saved()
    (kit / "answer" / "controller.py").write_text(f"# revised\n{PROGRAM}")
    (kit / "answer" / "lib").mkdir()
    (kit / "answer" / "lib" / "policy.py").write_text("LEAST = 2\r\n")
    (kit / "answer" / "__pycache__").mkdir()
    (kit / "answer" / "__pycache__" / "x.pyc").write_bytes(b"\xff\x00")
    dana.page.get_by_role("button", name="Upload", exact=True).focus()
    dana.page.keyboard.press("Enter")
    dana.page.get_by_label("Or a folder").set_input_files(kit / "answer")
    dana.look("upload")
    dana.page.get_by_role("dialog").get_by_role("button", name="Upload").press("Enter")
    expect(dana.page.get_by_role("heading", name="Replace controller.py?")).to_be_visible()
    dana.page.get_by_role("button", name="Replace").press("Enter")
    expect(dana.page.get_by_role("tab", name="lib/policy.py")).to_be_visible()
    dana.page.get_by_role("tab", name="controller.py").click()
    expect(dana.page.locator(".cm-content")).to_contain_text("# revised")
    dana.is_saved(after=before)
    dana.page.reload()
    expect(dana.page.get_by_role("tab", name="lib/policy.py")).to_be_visible()
    expect(dana.page.locator(".cm-content")).to_contain_text("# revised")


def refuse_what_is_no_text(dana: Candidate, folder: Path) -> None:
    names = {
        "latin.py": b"# caf\xe9\n",
        "zero.py": b"a\x00b",
        "large.py": b"x" * 3_000_000,
        "a b.py": b"",
    }
    said = ["UTF-8", "zero byte", "leave it out", "cannot be the name"]
    dana.press("Upload")
    for (name, body), words in zip(names.items(), said, strict=True):
        (folder / name).write_bytes(body)
        dana.page.get_by_role("dialog").get_by_label("Files").set_input_files(folder / name)
        dana.page.get_by_role("dialog").get_by_role("button", name="Upload").click()
        expect(dana.page.get_by_role("alert")).to_contain_text(words)
        expect(dana.page.get_by_role("alert")).to_contain_text(name)
    dana.press("Cancel")
    expect(dana.page.get_by_role("tab", name="latin.py")).to_have_count(0)
