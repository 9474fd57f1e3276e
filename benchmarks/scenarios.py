"""How long Run and Submit take for every scenario and level, and where the time goes.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.scenarios [PACK ...]

The program is the pack's competent golden. Run plays the first public workload, once with anchors still to
be computed and then with known ones; Submit plays all hidden ones with nothing known. Each stands beside the
same program in a plain child process on the same workload. The parts of a Run: start of the sandbox (a
program that only imports the SDK), the world (play in this process, less the program's own time), the
program (played against its own recorded answers), and the channel with everything else as the rest. Times
are by the clock and, because other work on the machine disturbs them, also in seconds of processor time of
judge and program together. Writes benchmarks/scenarios.json; rows of other packs are kept; each is
written when it is there.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.scenarios --build [PACK ...]

measures instead the processor time of building every pack and level by its command, start of Python included,
beside `python -c "import numpy"` and `python -m scenarios list` in the same run. With --nodes N it is of a
company of N nodes of eight H100, and kept beside the usual ones.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from benchmarks.commit import commit
from graders.anchors import play_trusted
from graders.backend import backend_from_environment
from graders.inprocess import run_trusted
from graders.kinds import grade, run_public
from graders.playing import play, sdk_files, spec_for
from graders.session import EpisodeSession
from graders.tests.local_backend import LocalBackend
from graders.workloads import Workload, public_workload
from sandbox import Backend, CallRefused, Outcome, Report, Session, Spec
from scenarios.company.profile import DEFAULT
from scenarios.packs import Pack, all_packs, load_pack

TARGET = Path(__file__).parent / "scenarios.json"
SEED = 7
ROUNDS = 5
RUN_BAR_S, SUBMIT_BAR_S = 2.0, 30.0
BUILD_BAR_CPU_S = 2.0
"""At mid."""

Took = dict[str, float]


class Recorder:
    """A session that keeps every answer, and one that gives them again."""

    def __init__(self, inner: EpisodeSession | None) -> None:
        self.inner = inner
        self.answers: list[object] = []
        self.given = 0
        self.complete = False

    def call(self, method: str, params: dict[str, object]) -> object:
        if self.inner is None:
            answer = self.answers[self.given]
            self.given += 1
        else:
            try:
                answer = self.inner.call(method, params)
            except CallRefused as refusal:
                answer = refusal
            self.answers.append(answer)
        if isinstance(answer, CallRefused):
            raise answer
        return answer


class Metered:
    """A backend that adds up the processor time of the programs it ran."""

    def __init__(self, under: Backend) -> None:
        self.under = under
        self.name = under.name
        self.cpu_s = 0.0

    def run(self, spec: Spec, session: Session, cancel: Event | None = None) -> Outcome:
        outcome = self.under.run(spec, session, cancel)
        self.cpu_s += outcome.cpu_s
        return outcome

    def probe(self) -> Report:
        return self.under.probe()

    def sweep(self) -> list[str]:
        return self.under.sweep()

    def close(self) -> None:
        self.under.close()


def timed(act: Callable[[], Any]) -> tuple[Took, Any]:
    """Seconds by the clock and of this process's processors, and what came of it."""
    clock, cpu = time.perf_counter(), time.process_time()
    answer = act()
    return {"s": time.perf_counter() - clock, "cpu_s": time.process_time() - cpu}, answer


def with_program(took: Took, program_cpu_s: float) -> Took:
    return {"s": took["s"], "cpu_s": took["cpu_s"] + program_cpu_s}


def median(rows: list[Took]) -> Took:
    return {key: round(statistics.median(row[key] for row in rows), 3) for key in rows[0]}


def in_process(source: str, pack: Pack, workload: Workload) -> tuple[float, float]:
    """Processor seconds of world and program together in this process, and of the program alone."""
    both, alone = [], []
    for _ in range(3):
        recorder = Recorder(EpisodeSession(workload.open(DEFAULT), pack.world.methods))
        both.append(timed(partial(run_trusted, source, recorder))[0]["cpu_s"])
        recorder.inner = None
        alone.append(timed(partial(run_trusted, source, recorder))[0]["cpu_s"])
    return min(both), min(alone)


def started(backend: Backend, pack: Pack, workload: Workload) -> Took:
    """A run of a program that only imports the SDK."""
    spec = Spec({pack.entry: b"import headnode_sdk"}, entry=pack.entry, sdk=sdk_files())
    session = EpisodeSession(workload.open(DEFAULT), pack.world.methods)
    rows = []
    for _ in range(ROUNDS):
        took, outcome = timed(lambda: backend.run(spec, session))
        rows.append(with_program(took, outcome.cpu_s))
    return median(rows)


def runs(pack: Pack, level: str, files: dict[str, str], backend: Backend) -> tuple[Took, Took]:
    """Run with anchors to be computed, and with known ones."""
    name, _ = pack.public_workloads(level)[0]
    rows = []
    play_trusted.cache_clear()
    for _ in range(ROUNDS):
        took, report = timed(lambda: run_public(pack.name, level, SEED, files, backend, name))
        assert report.status == "ok", (pack.name, level, report.detail)
        rows.append(with_program(took, report.cpu_s))
    return median(rows[:1]), median(rows[1:])


def submit(pack: Pack, level: str, files: dict[str, str], backend: Backend) -> Took:
    """A whole grade with nothing known."""
    play_trusted.cache_clear()
    metered = Metered(backend)
    took, report = timed(lambda: grade(pack.name, level, SEED, files, metered))
    assert report.status == "done", (pack.name, level, report.detail)
    return median([with_program(took, metered.cpu_s)])


def met(run_s: float, submit_s: float) -> bool:
    return run_s < RUN_BAR_S and submit_s < SUBMIT_BAR_S


def measured(pack: Pack, level: str, backend: Backend) -> dict[str, Any]:
    """The row of one level of a pack."""
    source = pack.golden(level, "competent")
    files = {pack.entry: source}
    workload = public_workload(pack, level, SEED, pack.public_workloads(level)[0][0])
    first, known = runs(pack, level, files, backend)
    spec = spec_for(pack, files)
    plain = median(
        [timed(lambda: play(spec, workload, LocalBackend(), DEFAULT))[0] for _ in range(3)]
    )
    played = play(spec, workload, backend, DEFAULT)
    both, alone = in_process(source, pack, workload)
    start = started(backend, pack, workload)
    rest = known["cpu_s"] - start["cpu_s"] - both
    submitted = submit(pack, level, files, backend)
    return {
        "run_s": known["s"],
        "run_cpu_s": known["cpu_s"],
        "first_run_s": first["s"],
        "submit_s": submitted["s"],
        "submit_cpu_s": submitted["cpu_s"],
        "hidden": int(pack.level(level)["hidden"]),
        "plain_process_s": plain["s"],
        "calls": played.outcome.calls,
        "ticks": played.figures["ticks"],
        "parts_of_a_run_cpu_s": {
            "sandbox start": start["cpu_s"],
            "world": round(both - alone, 3),
            "program": round(alone, 3),
            "channel and the rest": round(rest, 3),
        },
        "sandbox_start_s": start["s"],
        "met": met(known["s"], submitted["s"]),
        "met_on_an_idle_core": met(known["cpu_s"], submitted["cpu_s"]),
    }


def processor(*arguments: str, out: Path | None = None) -> list[float]:
    """Processor seconds of a Python process of its own, its children included, five times, in order of size.

    `out`: where each time has a new folder to build in, as every variant has. Where files were removed a
    moment ago, ext4 looks long for a place for new ones, and that is no part of building.
    """
    found = []
    # As in the Makefile: what is imported is compiled once, not by each process.
    env = {name: told for name, told in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for number in range(ROUNDS):
        where = [] if out is None else ["--out", f"{out}/{number}", "--key", f"{out}/{number}.json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, *arguments, *where]
        subprocess.run(command, check=True, capture_output=True, env=env)  # noqa: S603
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return sorted(found)


def built(folder: Path, pack: Pack, level: str, nodes: int = 0) -> list[float]:
    """Processor seconds of building a variant, for a company of that size; 0 is the default company."""
    asked = ["-m", "scenarios", "build", pack.name, "--level", level, "--seed", str(SEED)]
    if nodes:
        company = folder / "company.toml"
        company.write_text(f'[cluster]\nname = "vast"\nnodes = {nodes}\n', encoding="utf-8")
        asked += ["--profile", f"{company}"]
    return processor(*asked, out=folder / pack.name / level)


def build_row(took: list[float], bare: float, level: str) -> dict[str, Any]:
    """The median of what was taken, with the least and the most, and how it stands to the bar."""
    cpu_s = statistics.median(took)
    row: dict[str, Any] = {"cpu_s": round(cpu_s, 2), "times_bare": round(cpu_s / bare, 1)}
    row |= {"least_cpu_s": round(took[0], 2), "most_cpu_s": round(took[-1], 2)}
    return row | ({"met": cpu_s <= BUILD_BAR_CPU_S} if level == "mid" else {})


def builds(packs: list[Pack], nodes: int = 0) -> dict[str, Any]:
    """Processor seconds of building, and how many times that of a bare import of numpy it is."""
    bare = statistics.median(processor("-c", "import numpy"))
    listed = statistics.median(processor("-m", "scenarios", "list"))
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for pack in packs:
            found[pack.name] = {}
            for level in pack.levels:
                row = build_row(built(Path(folder), pack, level, nodes), bare, level)
                found[pack.name][level] = row
                print(pack.name, level, json.dumps(row), flush=True)
    here = {"commit": commit(), "load": round(os.getloadavg()[0], 1)}
    bar = {"bar_at_mid_cpu_s": BUILD_BAR_CPU_S}
    return bar | {"bare_cpu_s": round(bare, 2), "list_cpu_s": round(listed, 2)} | here | found


def kept() -> dict[str, Any]:
    found: dict[str, Any] = {"scenarios": {}}
    if TARGET.is_file():
        found = json.loads(TARGET.read_text(encoding="utf-8"))
    return found


def write(**parts: Any) -> None:
    report = {
        "machine": f"{os.cpu_count()} shared cores, Python {platform.python_version()}",
        "bars": {"run_s": RUN_BAR_S, "submit_s": SUBMIT_BAR_S},
    }
    report = kept() | report | parts
    TARGET.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Times of Run and Submit, with their parts.")
    parser.add_argument("packs", nargs="*", metavar="PACK", help="by default every automation pack")
    parser.add_argument("--build", action="store_true", help="builds instead, by default of all")
    parser.add_argument("--nodes", type=int, default=0, help="of a company of that size")
    options = parser.parse_args()
    chosen = [load_pack(name) for name in options.packs]
    if options.build:
        name = f"builds_of_{options.nodes}_nodes" if options.nodes else "builds"
        found = builds(chosen or all_packs(), options.nodes)
        write(**{name: kept().get(name, {}) | found})
        return
    played(chosen or [pack for pack in all_packs() if "world" in pack.data])


def played(packs: list[Pack]) -> None:
    rows = kept()["scenarios"]
    backend = backend_from_environment()
    try:
        for pack in packs:
            for level in pack.levels:
                row = measured(pack, level, backend)
                here = {"commit": commit(), "load": round(os.getloadavg()[0], 1)}
                rows.setdefault(pack.name, {})[level] = row | here
                print(pack.name, level, json.dumps(row), flush=True)
                told = {name: rows[name] for name in sorted(rows)}
                write(backend=backend.name, scenarios=told)
    finally:
        backend.close()


if __name__ == "__main__":
    main()
