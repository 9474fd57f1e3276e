"""The command line of the graders: grade answers, make a candidate's kit, measure an assistant alone."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graders.anchors import anchor_figures
from graders.answer_table import in_order, lines
from graders.answers import AnswerError, read_answer, read_answers
from graders.assistant import command as baseline
from graders.assistant.conversation import NoAnswer
from graders.backend import backend_from_environment
from graders.kinds import grade, needs_sandbox
from graders.kit import kit_files, kit_name, zipped
from graders.report import GradeReport
from graders.workloads import hidden_workloads
from sandbox import Backend, SandboxUnavailable
from scenarios.company.profile import DEFAULT, Profile, ProfileError, load_profile
from scenarios.packs import PackInvalid, PackNotFound, load_pack
from scenarios.packs.check import LEVELS


@contextmanager
def _backend_for(pack: str) -> Iterator[Backend | None]:
    """The sandbox for as long as a grade takes; None where the pack needs none."""
    backend = backend_from_environment() if needs_sandbox(pack) else None
    try:
        yield backend
    finally:
        if backend is not None:
            backend.close()


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


def _unread(name: str, error: AnswerError) -> dict[str, Any]:
    said: dict[str, Any] = {
        "status": "unreadable",
        "detail": str(error),
        "score": None,
        "measures": [],
    }
    return {"answer": name, **said}


def _grade_one(args: argparse.Namespace, profile: Profile) -> int:
    files = read_answer(load_pack(args.pack), args.answer)
    with _backend_for(args.pack) as backend:
        report = grade(
            args.pack, args.level, args.seed, files, backend, args.hidden_seeds, profile, _progress
        )
    if args.json:
        _print_json(report.to_dict())
    else:
        _print_one(report)
    return _exit_code([report.status])


def _grade_many(args: argparse.Namespace, profile: Profile) -> int:
    answers = read_answers(load_pack(args.pack), args.answers)

    with _backend_for(args.pack) as backend:

        def one(item: tuple[str, dict[str, str] | AnswerError]) -> dict[str, Any]:
            name, files = item
            if isinstance(files, AnswerError):
                return _unread(name, files)
            hidden = args.hidden_seeds
            report = grade(args.pack, args.level, args.seed, files, backend, hidden, profile)
            return _row(name, report)

        _play_anchors(args, profile)
        with ThreadPoolExecutor(args.jobs) as pool:
            rows = in_order(_counted(pool.map(one, answers.items()), len(answers)))
    if args.json:
        _print_json({"rows": rows})
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines(rows))
    return _exit_code([row["status"] for row in rows])


def _play_anchors(args: argparse.Namespace, profile: Profile) -> None:
    """Once and before the threads: our own programs share this process, and may keep state in it."""
    pack = load_pack(args.pack)
    if "world" in pack.data:
        for workload in hidden_workloads(pack, args.level, args.seed, args.hidden_seeds):
            anchor_figures(pack, args.level, workload, profile)


def _counted(rows: Iterable[dict[str, Any]], of: int) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        found.append(row)
        _progress(len(found), of, "answers")
    return found


def _exit_code(statuses: Sequence[str]) -> int:
    return 3 if "infrastructure_error" in statuses else 0


def _make_kit(args: argparse.Namespace, profile: Profile) -> int:
    pack = load_pack(args.pack)
    files = kit_files(pack, args.level, args.seed, pack.template(args.level), {}, profile)
    try:
        args.out.write_bytes(zipped(kit_name(pack, args.level), files))
    except OSError as error:
        raise AnswerError(f"Cannot write {args.out}: {error.strerror}.") from None
    sys.stdout.write(f"{args.out}\n")
    return 0


def _tokens(count: int | None) -> str:
    return "tokens unknown" if count is None else f"{count:,} tokens"


def _measure_alone(args: argparse.Namespace, profile: Profile) -> int:
    rows = baseline.run(args, profile, _backend_for)
    if args.json:
        _print_json({"pack": args.pack, "rows": rows})
    else:
        sys.stdout.writelines(
            f"{args.pack} {row['level']} seed {row['seed']}: {row['score']:.2f}"
            f" in {row['minutes']:.1f} minutes, {_tokens(row['tokens'])}\n"
            for row in rows
        )
    return 0


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _progress(done: int, of: int, what: str = "workloads") -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {of} {what}{' ' if done < of else chr(10)}")


def _within(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low} to {high}.")
        return int(text)

    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m graders", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    grading = commands.add_parser("grade", help="measure answers to the variant of a seed")
    kit = commands.add_parser("kit", help="write the zip that a candidate may take home")
    alone = commands.add_parser("baseline", help="measure what an assistant alone reaches")
    for command in (grading, kit, alone):
        command.add_argument("pack", help="for example automation/queue-autoscaler")
        command.add_argument("--level", required=True, choices=LEVELS)
        if command is not alone:
            command.add_argument("--seed", required=True, type=_within(0, 2**63 - 1))
        command.add_argument("--profile", type=Path, metavar="company.toml")
    baseline.add_arguments(alone)
    kit.add_argument("--out", required=True, type=Path, metavar="FILE.zip")
    what = grading.add_mutually_exclusive_group(required=True)
    what.add_argument("--answer", type=Path, metavar="FILE_OR_DIR")
    what.add_argument("--answers", type=Path, metavar="DIR", help="a file or a folder for each")
    grading.add_argument(
        "--jobs", type=_within(1, 32), default=1, metavar="N", help="answers graded at a time"
    )
    grading.add_argument("--hidden-seeds", type=int, metavar="K")
    grading.add_argument("--json", action="store_true")
    return parser


def main(argv: list[str] | None = None) -> int:
    """0: graded, whatever the answer did; 2: bad input; 3: could not."""
    args = _parser().parse_args(argv)
    try:
        load_pack(args.pack).level(args.level)
        profile = load_profile(args.profile) if args.profile else DEFAULT
        if args.command == "kit":
            return _make_kit(args, profile)
        if args.command == "baseline":
            return _measure_alone(args, profile)
        return (_grade_one if args.answer else _grade_many)(args, profile)
    except (SandboxUnavailable, NoAnswer) as error:
        sys.stderr.write(f"{error}\n")
        return 3
    except (PackNotFound, PackInvalid, ProfileError, AnswerError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
