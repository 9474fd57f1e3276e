"""`python -m graders baseline`: play an assistant alone through what a candidate gets, grade it, keep it."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graders.answers import AnswerError
from graders.assistant import lines
from graders.assistant.conversation import NoAnswer, Speaker, Talk, endpoint, play, recorded
from graders.assistant.desk import Desk
from graders.kinds import grade
from graders.report import GradeReport
from sandbox import Backend
from scenarios.company.profile import Profile
from scenarios.packs import load_pack

KEY = "HEADNODE_ASSISTANT_KEY"
MOST_SEEDS = 50
NO_ENDPOINT = (
    "There is no assistant to play: name an OpenAI-compatible endpoint with --endpoint URL --model NAME"
    f" (its key in the variable {KEY}), or a recorded conversation with --transcript FILE."
)
HOW = "First answer from what candidates get, without any person."
Backends = Callable[[str], AbstractContextManager[Backend | None]]
Json = dict[str, Any]


def seeds(text: str) -> list[int]:
    """A..B or one number, as the command line has them."""
    found = re.fullmatch(r"([0-9]{1,18})(?:\.\.([0-9]{1,18}))?", text)
    first = int(found.group(1)) if found else 0
    last = int(found.group(2) or first) if found else -1
    if not found or not 0 <= last - first < MOST_SEEDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no seed and no A..B of at most {MOST_SEEDS} seeds."
        )
    return list(range(first, last + 1))


def add_arguments(command: argparse.ArgumentParser) -> None:
    """What the command takes beside the pack, its level and the company."""
    command.add_argument("--seeds", required=True, type=seeds, metavar="A..B")
    who = command.add_mutually_exclusive_group()
    who.add_argument("--endpoint", metavar="URL", help="such as http://localhost:8000/v1")
    who.add_argument(
        "--transcript", type=Path, metavar="FILE", help="play a recorded conversation again"
    )
    command.add_argument("--model", default="", metavar="NAME")
    command.add_argument(
        "--minutes", type=float, help="the pack's own time on site where it is left out"
    )
    command.add_argument(
        "--into", type=Path, default=lines.FOLDER, metavar="DIR", help="where it is kept"
    )
    command.add_argument("--json", action="store_true")


def run(args: argparse.Namespace, profile: Profile, backend_for: Backends) -> list[Json]:
    """A row for each seed, as it was kept. Raises AnswerError for what was asked wrongly, and NoAnswer."""
    if not args.endpoint and not args.transcript:
        raise AnswerError(NO_ENDPOINT)
    if args.endpoint and not args.model:
        raise AnswerError("Name the model that the endpoint shall use: --model NAME.")
    minutes = args.minutes or float(load_pack(args.pack).times(args.level).on_site)
    rows = []
    with backend_for(args.pack) as backend, tempfile.TemporaryDirectory() as folder:
        for seed in args.seeds:
            desk = Desk(
                load_pack(args.pack), args.level, seed, Path(folder) / str(seed), backend, profile
            )
            talk = play(desk, _speaker(args), minutes, args.model)
            report = grade(args.pack, args.level, seed, desk.answer, backend, profile=profile)
            if report.status == "infrastructure_error":
                raise NoAnswer(f"Seed {seed} could not be graded: {report.detail}")
            rows.append(asdict(_kept(args, seed, desk, talk, report)))
    return rows


def _speaker(args: argparse.Namespace) -> Speaker:
    if args.transcript:
        return recorded(args.transcript)
    return endpoint(args.endpoint, args.model, os.environ.get(KEY, ""))


def _kept(
    args: argparse.Namespace, seed: int, desk: Desk, talk: Talk, report: GradeReport
) -> lines.Row:
    row = lines.Row(
        level=args.level,
        score=report.score if report.score is not None else 0.0,
        version=desk.pack.version,
        measured=f"{datetime.now(UTC):%Y-%m-%d}",
        how=HOW if args.endpoint else f"{HOW} Played again from a recorded conversation.",
        seed=seed,
        model=args.model,
        minutes=talk.minutes,
        tokens=talk.tokens,
        measures={one.measure.key: round(one.score, 4) for one in report.measures},
    )
    record = {
        "messages": talk.messages,
        "answer": desk.answer,
        "written": desk.written,
        "handed_in": desk.handed_in,
        "report": {"status": report.status, "detail": report.detail, "score": report.score},
    }
    return lines.add(args.pack, row, record, args.into)
