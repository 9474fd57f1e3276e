"""The command line: play a public workload to a program, or list the workloads there are."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .kit import Kit, KitError, find_kit
from .play import WELL, Result, play
from .report import lines

UNFENCED = (
    "Your program runs as you do: no sandbox, and no limit of time or memory as on the platform."
)


def main(argv: list[str] | None = None) -> int:
    """0: the program ran; 1: it failed; 2: bad input."""
    args = _parser().parse_args(argv)
    try:
        kit = find_kit(args.kit) if args.kit else find_kit(Path.cwd(), *_near(args))
        return _list(kit) if args.command == "list" else _run(kit, args)
    except (KitError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return 130


def _near(args: argparse.Namespace) -> list[Path]:
    return [args.program.parent] if args.command == "run" else []


def _list(kit: Kit) -> int:
    for one in kit.workloads:
        sys.stdout.write(f"{one.name:12} {one.title}\n")
    return 0


def _run(kit: Kit, args: argparse.Namespace) -> int:
    sys.stderr.write(f"{UNFENCED}\n")
    result = play(kit, args.program, args.workload)
    if args.replay:
        args.replay.write_text(json.dumps(result.replay) + "\n", encoding="utf-8")
    if args.json:
        sys.stdout.write(json.dumps(_plain(kit, args.workload, result)) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines(kit, args.workload, result))
    return 0 if result.status in WELL else 1


def _plain(kit: Kit, workload: str, result: Result) -> dict[str, object]:
    return {
        "workload": workload,
        "status": result.status,
        "detail": result.detail,
        "calls": result.calls,
        "summary": kit.world.summary(result.figures),
        "figures": result.figures,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headnode-local", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="play a public workload to a program")
    run.add_argument("program", type=Path, metavar="controller.py")
    run.add_argument("--workload", default="public-1", help="public-1 unless told")
    run.add_argument("--replay", type=Path, metavar="FILE.json", help="keep the timeline as JSON")
    run.add_argument("--json", action="store_true", help="print all raw figures as JSON")
    run.add_argument("--kit", type=Path, metavar="DIR", help="the unpacked kit, if not around here")
    listing = commands.add_parser("list", help="the public workloads of this exercise")
    listing.add_argument("--kit", type=Path, metavar="DIR")
    return parser


if __name__ == "__main__":
    sys.exit(main())
