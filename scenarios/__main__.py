"""The command line of the scenarios: packs, variants, and the simulated cluster's commands."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from importlib import import_module
from pathlib import Path

from scenarios.company.profile import DEFAULT, ProfileError, load_profile
from scenarios.packs import Pack, PackInvalid, PackNotFound, all_packs, build
from scenarios.packs.check import LEVELS

COMMANDS = {
    "simulate": "simulate",
    "fairshare": "fairshare",
    "quota": "quota",
    "metrics": "metrics",
    "import": "importing",
}
"""Command -> module of scenarios.commands, each with add_parser(subparsers), run(options) -> exit code."""


def _row(pack: Pack) -> dict[str, object]:
    return {
        "name": pack.name,
        "kind": pack.kind,
        "levels": pack.levels,
        "version": pack.version,
        "title": pack.title,
    }


def _list(args: argparse.Namespace) -> int:
    packs = all_packs()
    if args.json:
        text = json.dumps({"packs": [_row(pack) for pack in packs]}, indent=2)
    else:
        text = "\n".join(f"{p.name:32} {', '.join(p.levels):20} {p.title}" for p in packs)
    sys.stdout.write(text + "\n")
    return 0


def _build(args: argparse.Namespace) -> int:
    profile = load_profile(args.profile) if args.profile else DEFAULT
    out, key = args.out.resolve(), args.key.resolve() if args.key else None
    if key and out in key.parents:
        raise ValueError("--key must lie outside --out: the candidate gets that folder.")
    manifest = build(args.pack, args.level, args.seed, out, profile, key)
    files = manifest["files"]
    count = len(files) if isinstance(files, list) else 0
    sys.stderr.write(f"{count} files and manifest.json written to {args.out}\n")
    return 0


def _parser(asked: str) -> argparse.ArgumentParser:
    """Knows the command that is asked for; every command where it is none, for help and for what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m scenarios", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="name the scenario packs")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(act=_list)
    making = commands.add_parser("build", help="write one variant's materials")
    making.add_argument("pack")
    making.add_argument("--level", required=True, choices=LEVELS)
    making.add_argument("--seed", required=True, type=int)
    making.add_argument("--out", required=True, type=Path)
    making.add_argument("--profile", type=Path)
    making.add_argument("--key", type=Path)
    making.set_defaults(act=_build)
    known = (asked,) if asked in COMMANDS else () if asked in commands.choices else COMMANDS
    for name in known:
        module = import_module(f"scenarios.commands.{COMMANDS[name]}")
        module.add_parser(commands)
        commands.choices[name].set_defaults(act=module.run)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; 0 when it did its work, 2 for bad input with one line on stderr, else as it says."""
    argv = sys.argv[1:] if argv is None else argv
    args = _parser(argv[0] if argv else "").parse_args(argv)
    try:
        code: int = args.act(args)
    except (PackNotFound, PackInvalid, ProfileError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"Cannot write {error.filename}: {error.strerror}.\n")
        return 2
    return code


if __name__ == "__main__":
    # A build keeps all it makes until it ends: looking for garbage took a twelfth of its time and found none.
    gc.disable()
    sys.exit(main())
