"""The reference program's replay beside a candidate's: played once in a process of its own, then kept."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from django.conf import settings

from assessments.models import Attempt, GradingRun
from graders.reference_replay import HIDDEN, has_reference, made_with
from library.packs import pack_of

logger = logging.getLogger(__name__)
LONGEST_S = 120
KEPT = 300


class NotPlayed(Exception):
    """There is no reference to show; the message is one sentence for the page."""


def workloads_of(attempt: Attempt, gradings: list[GradingRun]) -> list[tuple[str, str]]:
    """(name, title) of every workload whose reference can be shown: [] where the pack has changed.

    The reference is played on the pack of today, so it is offered only where what the
    candidate met was made from the same one.
    """
    pack = pack_of(attempt.pack_version.name)
    if attempt.exercise.has_room or not has_reference(pack, attempt.level):
        return []
    now = made_with(pack)
    reports = [run.report for run in gradings if run.report]
    hidden = [
        (str(item["name"]), str(item.get("title") or item["name"]))
        for report in reports
        if all(report.get("versions", {}).get(key) == now[key] for key in now)
        for item in report.get("evidence") or []
        if item.get("kind") == "workload" and HIDDEN.match(str(item.get("name")))
    ]
    public = pack.public_workloads(attempt.level)
    same = attempt.pack_version.digest == pack.digest
    return list(dict.fromkeys([*hidden, *(public if same else [])]))


def reference_json(attempt: Attempt, workload: str) -> bytes:
    """The replay as JSON. Raises NotPlayed where the program could not be played.

    It is played in another process, so that pages and candidates' saves do not wait for it. The same
    question is answered from the data folder afterwards.
    """
    pack = pack_of(attempt.pack_version.name)
    asked = [pack.name, attempt.level, str(attempt.seed), workload]
    made = made_with(pack)
    told = [*asked, *made.values(), pack.digest, *filter(None, [attempt.company])]
    name = hashlib.sha256("\n".join(told).encode()).hexdigest()
    kept = Path(settings.DATA) / "replays" / f"{name}.json"
    if kept.is_file():
        return kept.read_bytes()
    body = _played(asked, attempt.company)
    _keep(kept, body)
    return body


def _played(asked: list[str], company: str) -> bytes:
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as profile:
        profile.write(company)
        profile.flush()
        return _replayed([*asked, profile.name] if company else asked)


def _replayed(asked: list[str]) -> bytes:
    command = [sys.executable, "-m", "graders.reference_replay", *asked]
    try:
        done = subprocess.run(  # noqa: S603  our own module; a workload of the attempt's list
            command,
            cwd=settings.ROOT,
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotPlayed("The reference took too long to play: try again in a minute.") from None
    if done.returncode == 2:
        raise NotPlayed(done.stderr.decode().strip())
    if done.returncode:
        logger.error("The reference failed on %s: %s", asked, done.stderr.decode()[-2000:])
        raise NotPlayed("The reference could not be played: the web server's log says why.")
    return bytes(done.stdout)


def _keep(path: Path, body: bytes) -> None:
    """Write by renaming, and let the oldest go where there are many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(body)
    os.replace(file.name, path)
    there = sorted(path.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)
    for old in there[:-KEPT]:
        old.unlink(missing_ok=True)
