"""The command line of the graders: grade one answer, or a folder of them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from graders.answers import AnswerError, read_answer, read_answers
from graders.kinds import grade
from graders.report import GradeReport
from sandbox import Backend, SandboxUnavailable, open_backend
from scenarios.packs import PackInvalid, PackNotFound, load_pack
from scenarios.packs.check import LEVELS
from scenarios.profile import DEFAULT, Profile, ProfileError, load_profile

STATE = Path(__file__).resolve().parent.parent / "data" / "sandbox"


def backend_from_environment() -> Backend:
    """The sandbox that SANDBOX_BACKEND, _ALLOW_REDUCED, _DOCKER_URL and _RUNTIME ask for.

    Raises SandboxUnavailable when it cannot run here, ValueError for an unknown name.
    """
    name = os.environ.get("SANDBOX_BACKEND", "namespace")
    if name not in ("namespace", "docker"):
        raise ValueError(f"SANDBOX_BACKEND is namespace or docker, not {name!r}.")
    return open_backend(
        name,
        allow_reduced=os.environ.get("SANDBOX_ALLOW_REDUCED") == "1",
        state_dir=STATE,
        docker_url=os.environ.get("SANDBOX_DOCKER_URL") or None,
        runtime=os.environ.get("SANDBOX_RUNTIME") or None,
    )


def _row(name: str, report: GradeReport) -> dict[str, Any]:
    """One line of the table: the report without its evidence."""
    plain = {key: value for key, value in report.to_dict().items() if key != "evidence"}
    return {"answer": name, **plain}


def _print_one(report: GradeReport) -> None:
    out = sys.stdout.write
    for measured in report.measures:
        row = measured.to_dict()
        out(f"{row['label']:46} {row['value']:>10} {row['unit']:6} {row['score']:>8}\n")
    shown = "not measured" if report.score is None else f"{report.score:.4f}"
    out(f"{report.status}: {shown}. {report.detail}\n")
    for mark in report.marks:
        out(f"note: {mark}\n")


def _print_table(rows: list[dict[str, Any]]) -> None:
    keys = next(([m["key"] for m in row["measures"]] for row in rows if row["measures"]), [])
    sys.stdout.write(
        f"{'answer':24} {'score':>7} " + " ".join(f"{k[:14]:>14}" for k in keys) + "\n"
    )
    for row in rows:
        found = {m["key"]: m["score"] for m in row["measures"]}
        score = "-" if row["score"] is None else f"{row['score']:.3f}"
        cells = " ".join(f"{found[k]:14.2f}" if k in found else f"{'-':>14}" for k in keys)
        sys.stdout.write(f"{row['answer'][:24]:24} {score:>7} {cells} {row['status']}\n")


def _grade_one(args: argparse.Namespace, profile: Profile) -> list[GradeReport]:
    files = read_answer(load_pack(args.pack), args.answer)
    backend = backend_from_environment()
    try:
        report = grade(
            args.pack, args.level, args.seed, files, backend, args.hidden_seeds, profile, _progress
        )
    finally:
        backend.close()
    if args.json:
        _print_json(report.to_dict())
    else:
        _print_one(report)
    return [report]


def _grade_many(args: argparse.Namespace, profile: Profile) -> list[GradeReport]:
    answers = read_answers(load_pack(args.pack), args.answers)
    backend = backend_from_environment()
    try:
        reports = {
            name: grade(
                args.pack, args.level, args.seed, files, backend, args.hidden_seeds, profile
            )
            for name, files in answers.items()
        }
    finally:
        backend.close()
    rows = [_row(name, report) for name, report in reports.items()]
    if args.json:
        _print_json({"rows": rows})
    else:
        _print_table(rows)
    return list(reports.values())


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {of} workloads{' ' if done < of else chr(10)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m graders", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    grading = commands.add_parser("grade", help="run answers on the hidden workloads of a seed")
    grading.add_argument("pack")
    grading.add_argument("--level", required=True, choices=LEVELS)
    grading.add_argument("--seed", required=True, type=int)
    what = grading.add_mutually_exclusive_group(required=True)
    what.add_argument("--answer", type=Path, metavar="FILE_OR_DIR")
    what.add_argument("--answers", type=Path, metavar="DIR")
    grading.add_argument("--profile", type=Path, metavar="company.toml")
    grading.add_argument("--hidden-seeds", type=int, metavar="K")
    grading.add_argument("--json", action="store_true")
    return parser


def main(argv: list[str] | None = None) -> int:
    """0: graded, whatever the answer did; 2: bad input; 3: could not."""
    args = _parser().parse_args(argv)
    try:
        load_pack(args.pack).level(args.level)
        profile = load_profile(args.profile) if args.profile else DEFAULT
        reports = (_grade_one if args.answer else _grade_many)(args, profile)
    except SandboxUnavailable as error:
        sys.stderr.write(f"{error}\n")
        return 3
    except (PackNotFound, PackInvalid, ProfileError, AnswerError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 3 if any(report.status == "infrastructure_error" for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
