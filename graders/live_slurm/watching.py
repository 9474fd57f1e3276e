"""Watches a cluster's jobs, patient by the scheduler's own cycles: a busy host costs nobody a point."""

from __future__ import annotations

from collections.abc import Callable, Collection

from graders.live_slurm import reading
from graders.live_slurm.orders import Course, Order

PATH = "export PATH=/usr/bin:/usr/sbin:/box/bin\n"
"""Where the judge asks, Slurm's tools come first: a program that a script left in ~/bin has no word in it."""
PATIENCE_S = 14.0
CYCLES = 8
"""How long jobs have to begin once nothing stops them: in a quiet host's time and in scheduler cycles."""
LONGEST_S = 60.0
"""The most that is waited for those cycles, or for what runs to end."""
_EACH_S = 0.5
_SOON_S = 0.1
"""Between two looks, and where somebody waits for the cluster."""
_SILENT = 10
"""After so many looks in a row without an answer there is no controller to wait for."""
_NO_ANSWER = 9
_ANSWERS = "scontrol ping 2>/dev/null | grep -q 'is UP'"
_JOBS = "timeout 60 scontrol show job -o -a"
_POLL = f"{PATH}{_ANSWERS} || exit {_NO_ANSWER}\nsdiag | grep -m 1 'Total cycles:'\n{_JOBS}"
_UNHEARD = (
    "scontrol show node -o"
    " | grep -v INVALID_REG"
    " | sed -n 's/^NodeName=\\([^ ]*\\) .* State=[^ ]*\\(UNKNOWN\\|NOT_RESPONDING\\|[*]\\).*/\\1/p'"
    ' | while read -r node; do service "slurmd@$node" status > /dev/null && echo "$node"; done'
)
# A slurmd that is stopped is never heard of; one that runs tells of itself after its health check.
# Where the controller does not believe what it tells, it was heard of all the same.
UP = (
    f"for i in $(seq 300); do {_ANSWERS} && break; sleep 0.1; done\n"
    f'for i in $(seq 200); do [ -z "$({_UNHEARD})" ] && break; sleep 0.1; done\n'
)
"""Shell lines that wait until the controller answers and each slurmd that runs has been heard of."""


def look() -> Course[list[reading.Seen]]:
    """Every job that the controller knows; nothing where it does not answer."""
    script = f"{PATH}for i in $(seq 20); do {_ANSWERS} && break; sleep 0.5; done\n{_JOBS}"
    said = yield Order(script, within_s=120.0)
    return reading.jobs(said.out)


class _Patience:
    """What has been waited so far."""

    def __init__(self) -> None:
        self.waited_s, self.cycles = 0.0, 0
        self._last: int | None = None
        self._silent = 0

    def note(self, text: str, *, silent: bool) -> None:
        """Count the cycles since the last look; a controller that starts anew counts from zero."""
        self._silent = self._silent + 1 if silent else 0
        total = reading.cycles(text)
        if total is not None:
            if self._last is not None:
                self.cycles += total - self._last if total >= self._last else total
            self._last = total

    @property
    def had_time(self) -> bool:
        return self.waited_s >= PATIENCE_S and self.cycles >= CYCLES

    @property
    def at_an_end(self) -> bool:
        return self._silent >= _SILENT or self.waited_s >= LONGEST_S


_Over = Callable[[_Patience, list[reading.Seen]], bool]


def _wait(
    over: _Over, each_s: float = _EACH_S, prompt: Course[None] | None = None
) -> Course[list[reading.Seen]]:
    """Look at the jobs until it is over; our own sleep is counted, and no time that a busy host takes."""
    patience = _Patience()
    while True:
        said = yield Order(_POLL, within_s=150.0)
        seen = reading.jobs(said.out)
        patience.note(said.out, silent=said.code == _NO_ANSWER)
        if patience.at_an_end or over(patience, seen):
            return seen
        if prompt is not None:
            yield from prompt
            prompt = None
        yield Order(f"sleep {each_s}")
        patience.waited_s += each_s


def wait_for_begin(wanted: Collection[int]) -> Course[set[int]]:
    """Wait until all of these jobs run or have run, or have had their time; returns those that do."""

    def over(patience: _Patience, seen: list[reading.Seen]) -> bool:
        return patience.had_time or reading.started(seen, wanted) >= {*wanted}

    seen = yield from _wait(over)
    return reading.started(seen, wanted)


def wait_for_end(wanted: Collection[int], short: Collection[int] = ()) -> Course[set[int]]:
    """Wait until all wanted jobs have done their work or had their time to begin, and none of `short` runs.

    Returns the wanted ones that have begun. What fails only once it is tried runs for a moment: to be seen
    running is not enough.
    """
    ours = {*wanted, *short}

    def over(patience: _Patience, seen: list[reading.Seen]) -> bool:
        enough = reading.numbers(seen, wanted, reading.DONE) >= {*wanted} or patience.had_time
        return enough and not reading.numbers(seen, ours, reading.MOVES)

    seen = yield from _wait(over)
    return reading.started(seen, wanted)


def wait_until_tried(
    wanted: Collection[int], prompt: Course[None] | None = None
) -> Course[list[reading.Seen]]:
    """Wait until the scheduler has tried these jobs and what fails only then has failed; returns all jobs.

    `prompt` is played once its cycles are counted: what has it look sooner.
    """

    def over(patience: _Patience, seen: list[reading.Seen]) -> bool:
        return patience.cycles >= 2 and not reading.numbers(seen, wanted, reading.MOVES)

    seen = yield from _wait(over, _SOON_S, prompt)
    return seen
