"""The lines that a training program writes into its log, made only when somebody reads them."""

from __future__ import annotations

from math import exp

from scenarios.worlds.cloud_bursting.shape import LOG_EVERY, BurstConfig
from scenarios.worlds.cloud_bursting.tables import COMPLETED, Run, RunState

LINE_BYTES = 48
"""Every line has this many bytes, its end of line included."""
STEPS_A_MINUTE = 42


def width(run: Run, config: BurstConfig) -> int:
    """What one line adds to an offset: 1 where a cloud counts lines, else its bytes."""
    return LINE_BYTES if run.cloud >= 0 and config.remotes[run.cloud].log_in_bytes else 1


def lines(run: Run, first: int, last: int) -> list[str]:
    """Lines `first` to `last` (not included) of the run."""
    finished = run.end == COMPLETED or run.state == RunState.EXITED
    final = run.lines(run.over) - 1 if finished else -1
    return [_line(run, number, number == final) for number in range(first, last)]


def _line(run: Run, number: int, is_final: bool) -> str:
    minutes = (run.kept + number * LOG_EVERY) // 60_000
    if is_final:
        text = f"{minutes:>6} min  training finished, exit code 0"
    elif number == 0:
        text = f"{minutes:>6} min  " + ("resumed from checkpoint" if run.kept else "started")
    else:
        loss = 1.9 + 2.6 * exp(-minutes / 90) + (run.job * 37 + number * 11) % 19 / 1000
        text = f"{minutes:>6} min  step {minutes * STEPS_A_MINUTE:>7}  loss {loss:.4f}"
    return text[: LINE_BYTES - 1].ljust(LINE_BYTES - 1) + "\n"
