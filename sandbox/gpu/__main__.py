"""The operator's command line: how the cards stand, clean up after dead runners, put a card back."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from sandbox.gpu import driver, report
from sandbox.gpu.pool import Pool

_STATE = Path(__file__).resolve().parents[2] / "data" / "sandbox"


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: done; 2: bad input; 3: the card or the driver does not allow it."""
    options = _parser().parse_args(arguments)
    code: int = options.act(options)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox.gpu", description=__doc__)
    parser.add_argument("--state", type=Path, default=_STATE, help="the sandbox's state folder")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    status = actions.add_parser("status", help="say how every card stands")
    status.add_argument("--json", action="store_true")
    status.set_defaults(act=_status)
    sweep = actions.add_parser("sweep", help="free what dead runners held")
    sweep.set_defaults(act=_sweep)
    back = actions.add_parser("put-back", help="return a mended card to service")
    back.add_argument("uuid", metavar="GPU-UUID")
    back.set_defaults(act=_put_back)
    return parser


def _status(options: argparse.Namespace) -> int:
    found = report.examine(options.state)
    text = json.dumps(found, indent=1) if options.json else "\n".join(report.plain(found))
    sys.stdout.write(f"{text}\n")
    return 0


def _sweep(options: argparse.Namespace) -> int:
    seen = driver.survey()
    if not seen.driver:
        return _refuse(seen.reason)
    for line in Pool(options.state / report.FOLDER).sweep():
        sys.stdout.write(f"{line}\n")
    return 0


def _put_back(options: argparse.Namespace) -> int:
    seen = driver.survey()
    if not seen.driver:
        return _refuse(seen.reason)
    if options.uuid not in {gpu.uuid for gpu in seen.gpus}:
        sys.stderr.write(f"The driver shows no card {options.uuid!r}: see 'status'.\n")
        return 2
    fault = Pool(options.state / report.FOLDER).put_back(options.uuid)
    if fault:
        return _refuse(f"The card stays out of service. {fault.reason}")
    sys.stdout.write(f"{options.uuid} is in service.\n")
    return 0


def _refuse(reason: str) -> int:
    sys.stderr.write(f"{reason}\n")
    return 3


if __name__ == "__main__":
    sys.exit(main())
