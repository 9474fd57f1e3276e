"""The command line: run one program, say what works here, build the root folder."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from sandbox import doctor, gpu, rootfs, roots
from sandbox.backends import NAMES, open_backend
from sandbox.contract import Backend, CallRefused, Outcome, Spec
from sandbox.limits import Limits
from sandbox.unavailable import SandboxUnavailable

_REPO = Path(__file__).resolve().parent.parent
_SDK = _REPO / "graders" / "sdk" / "headnode_sdk"
_STATE = _REPO / "data" / "sandbox"
_LARGEST = 8 << 20
_ROOTS = ", ".join(roots.NAMES)


class BadInput(Exception):
    """One sentence about what the caller gave us."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[0].upper()}{message[1:]}; see '{self.prog} --help'.\n")


class PingSession:
    """The host's end when nobody simulates anything: answers `ping`."""

    complete = True

    def call(self, method: str, params: dict[str, object]) -> object:
        if method != "ping":
            raise CallRefused("unknown_method", f"There is no call {method!r} here, only 'ping'.")
        return {"pong": True}


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: done, whatever became of the program; 2: bad input; 3: could not."""
    logging.basicConfig(level=logging.CRITICAL)
    options = _parser().parse_args(arguments)
    try:
        code: int = options.act(options)
    except BadInput as error:
        _complain(error)
        return 2
    except SandboxUnavailable as error:
        _complain(error)
        return 3
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--state", type=Path, default=_STATE, help="where root folders are kept")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _run_parser(actions.add_parser("run", help="run one program"))
    doctor_ = actions.add_parser("doctor", help="say which layers work on this host")
    doctor_.add_argument("--json", action="store_true")
    doctor_.set_defaults(act=_doctor)
    build = actions.add_parser("build-root", help="build the root folders programs see")
    build.add_argument("names", nargs="*", default=["python"], metavar="NAME", help=_ROOTS)
    build.set_defaults(act=_build_root)
    return parser


def _run_parser(run: argparse.ArgumentParser) -> None:
    normal = Limits()
    default = os.environ.get("SANDBOX_BACKEND", "namespace")
    run.add_argument("file", type=Path, metavar="FILE")
    run.add_argument("--backend", choices=NAMES, default=default)
    run.add_argument("--root", choices=roots.NAMES, default="python", help="root folder under it")
    run.add_argument("--wall", type=float, default=normal.wall_s, metavar="S")
    run.add_argument("--cpu", type=float, default=normal.cpu_s, metavar="S")
    run.add_argument("--memory", type=int, default=normal.memory_mb, metavar="MB")
    run.add_argument("--pids", type=int, default=normal.pids, metavar="N")
    run.add_argument("--output", type=int, default=normal.output_kb, metavar="KB")
    run.add_argument("--gpu", type=int, default=0, metavar="N", help="number of GPUs")
    run.add_argument("--gpu-memory", type=int, default=0, metavar="MB", help="on each; 0: all")
    run.add_argument("--sdk", type=Path, default=_SDK, metavar="DIR", help="module folder")
    run.add_argument("--json", action="store_true")
    run.set_defaults(act=_run)


def _run(options: argparse.Namespace) -> int:
    spec = _spec(options)
    try:
        if options.gpu and not gpu.survey().units:
            raise SandboxUnavailable(
                f"The {options.backend} sandbox cannot give a program a GPU on this host. "
                f"{gpu.survey().reason}".rstrip()
            )
        backend = _open(options.backend, options.state)
        try:
            outcome = backend.run(spec, PingSession())
        finally:
            backend.close()
    except SandboxUnavailable as error:
        if not options.json:
            raise
        outcome = Outcome("sandbox_error", str(error), options.backend)
        _complain(error)
    _print(json.dumps(outcome.to_dict(), indent=1) if options.json else _plain(outcome))
    return 3 if outcome.status == "sandbox_error" else 0


def _open(name: str, state_dir: Path) -> Backend:
    return open_backend(
        name,
        allow_reduced=os.environ.get("SANDBOX_ALLOW_REDUCED") == "1",
        state_dir=state_dir,
        docker_url=os.environ.get("SANDBOX_DOCKER_URL"),
        runtime=os.environ.get("SANDBOX_RUNTIME"),
    )


def _spec(options: argparse.Namespace) -> Spec:
    if options.backend not in NAMES:
        raise BadInput(f"There is no sandbox backend {options.backend!r}: set SANDBOX_BACKEND.")
    if options.gpu < 0:
        raise BadInput("The number of GPUs must not be negative.")
    try:
        limits = Limits(
            wall_s=options.wall,
            cpu_s=options.cpu,
            memory_mb=options.memory,
            pids=options.pids,
            output_kb=options.output,
        )
        program = _read(options.file)
        return Spec(
            {"program.py": program},
            "program.py",
            read_sdk(options.sdk),
            limits,
            root=options.root,
            gpus=options.gpu,
            gpu_memory_mb=options.gpu_memory,
        )
    except ValueError as error:
        raise BadInput(str(error)) from None


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise BadInput(f"There is no program file {path}.")
        with path.open("rb") as source:
            program = source.read(_LARGEST + 1)
    except OSError as error:
        raise BadInput(f"The program file {path} cannot be read: {error.strerror}.") from None
    if len(program) > _LARGEST:
        raise BadInput(f"The program file {path} is larger than {_LARGEST >> 20} MiB.")
    return program


def read_sdk(folder: Path) -> Mapping[str, bytes]:
    """The SDK's modules, named as they are imported. Raises BadInput when there are none."""
    files = {
        f"{folder.name}/{path.relative_to(folder)}": path.read_bytes()
        for path in sorted(folder.rglob("*.py"))
        if "tests" not in path.relative_to(folder).parts
    }
    if not files:
        raise BadInput(f"There is no SDK in {folder}: give its module folder with --sdk.")
    return files


def _plain(outcome: Outcome) -> str:
    lines = [outcome.stdout, outcome.stderr and f"--- stderr\n{outcome.stderr}"]
    lines += [f"--- {outcome.status}: {outcome.detail}"]
    lines += [
        f"{outcome.wall_s:.3f} s, {outcome.cpu_s:.3f} s processor, "
        f"{outcome.max_rss_mb:.1f} MiB, {outcome.calls} calls, backend {outcome.backend}"
    ]
    lines += [_card(one) for one in outcome.device.get("gpus", ())]
    lines += [f"Weaker than usual: {mark}." for mark in outcome.reduced]
    return "\n".join(line.rstrip("\n") for line in lines if line)


def _card(one: Mapping[str, Any]) -> str:
    figures = [
        f"{one[key]:.0f} {unit}"
        for key, unit in (
            ("utilisation_mean", "% busy"),
            ("memory_peak_mb", "MiB"),
            ("energy_j", "J"),
        )
        if one[key] is not None
    ]
    return f"{one['uuid']} {one['name']}: {', '.join(figures) or 'the driver gives no figures'}"


def _doctor(options: argparse.Namespace) -> int:
    findings = doctor.examine(options.state)
    _print(json.dumps(findings, indent=1) if options.json else doctor.plain(findings))
    return 0


def _build_root(options: argparse.Namespace) -> int:
    for name in options.names:
        if name not in roots.NAMES:
            raise BadInput(f"There is no root folder {name!r}: choose among {_ROOTS}.")
    for name in options.names:
        root, built = rootfs.build(options.state.absolute(), name)
        _print(f"{'built' if built else 'ready'}: {rootfs.summary(root)}")
    return 0


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def _complain(error: Exception) -> None:
    sys.stderr.write(f"{error}\n")


if __name__ == "__main__":
    sys.exit(main())
