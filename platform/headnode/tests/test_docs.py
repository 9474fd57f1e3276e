"""What the documents say is so: links lead somewhere, paths exist, and the examples of the READMEs run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenarios.company.importer.tests import exports

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {".venv", "node_modules", "packs", "sdk", "local", "data"}
    & set(path.relative_to(ROOT).parts)
    and path.name != "CHANGELOG.md"
)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
TICKED = re.compile(r"`([^`\s]+)`")
FOLDERS = ("platform", "scenarios", "graders", "sandbox", "benchmarks", "docs", "deploy")
EXAMPLE = re.compile(
    r"^    (?:PYTHONPATH=platform:\. )?(?:\.venv/bin/)?python (-m (?:scenarios|graders) .*)$"
)
OWN = ("night-shift", "RECORD.csv", "TREE")
"""What only a reader has: the pack of the authors' guide, a record and a tree of a real Slurm."""
JOBS = "job_id,submit,run_time,estimate,procs\n1,0,60,60,8\n2,5,30,40,4\n"


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(document.read_text()):
        if "://" not in target and not target.startswith("mailto:"):
            assert (document.parent / target).exists(), f"{target} is not there"


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_paths_in_the_text_exist(document: Path) -> None:
    for words in TICKED.findall(document.read_text()):
        path = words.rstrip("/")
        if not re.fullmatch(r"[\w./-]+", path) or "/" not in words or "NAME" in words:
            continue
        starts = path.split("/")[0]
        if starts in FOLDERS and (ROOT / starts).exists():
            assert (ROOT / path).exists(), f"{words} is not there"


def first_tasks() -> Iterator[Any]:
    """The rows of CONTRIBUTING's table: the cell with the files."""
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## Ten first tasks")[2]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    for task, files, _ in rows[2:]:
        yield pytest.param(files, id=task.strip())


def test_there_are_ten_first_tasks() -> None:
    assert len(list(first_tasks())) == 10


@pytest.mark.parametrize("files", list(first_tasks()))
def test_a_first_task_changes_few_files_and_names_what_is_in_them(files: str) -> None:
    path, paths = ROOT, list[str]()
    for words in TICKED.findall(files):
        if "/" in words or words in FOLDERS:
            path = ROOT / words
            paths.append(words)
        else:
            assert re.search(rf"\b{words}\b", path.read_text()), f"{paths[-1]} has no {words}"
    assert 1 <= len(paths) <= 4


def examples() -> Iterator[Any]:
    """Each document's commands, in order, as one case; gradings play whole days and are left to the night."""
    for document in DOCUMENTS:
        lines = document.read_text().replace("\\\n", " ").splitlines()
        found = [match[1] for line in lines if (match := EXAMPLE.match(line))]
        commands = [
            re.split(r"\s+#\s|\s{3,}", one)[0]
            for one in found
            if not any(own in one for own in OWN)
        ]
        for night in (False, True):
            if some := [one for one in commands if ("graders grade" in one) == night]:
                marks = [pytest.mark.nightly] if night else []
                name = named(document) + (", gradings" if night else "")
                yield pytest.param(some, id=name, marks=marks)


@pytest.mark.parametrize("commands", examples())
@pytest.mark.by_day(but=["docs/scenario-authors.md", "graders/README.md", "scenarios/README.md"])
def test_examples_run(commands: list[str], tmp_path: Path) -> None:
    lay_what_readers_bring(tmp_path)
    environment = os.environ | {"PYTHONPATH": f"{ROOT}/platform:{ROOT}"}
    for command in commands:
        words = shlex.split(command.replace("/tmp/", f"{tmp_path}/"))  # noqa: S108  (the documents')
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr.decode()[-500:]}"


def lay_what_readers_bring(folder: Path) -> None:
    """A program, a written answer and a folder of programs, under the names that the examples use."""
    naive = ROOT / "scenarios/packs/automation/queue-autoscaler/goldens/naive.py"
    shutil.copy(naive, folder / "controller.py")
    shutil.copytree(
        naive.parent, folder / "folder-of-many", ignore=lambda _, names: {*names} - {naive.name}
    )
    (folder / "answer.json").write_text("{}")
    (folder / "sacct.txt").write_text(exports.year(300))
    (folder / "costs.csv").write_text(exports.focus({}))
    (folder / "stock.csv").write_text(exports.STOCK)
    (folder / "jobs.csv").write_text(JOBS)
