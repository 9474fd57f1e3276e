"""Submits people's jobs to a cluster, all at once, and tells what became of each."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from graders.live_slurm import reading
from graders.live_slurm.orders import Course, Order
from graders.live_slurm.watching import PATH
from scenarios.live_slurm.scene import Job

_SAID = "/box/run/said"
# Where the controller is full sbatch says so and tries again by itself, for minutes: then it is refused.
_ENDED = """for i in $(seq 1500); do
    [ -z "$(jobs -r)" ] && break
    for name in $(grep -ls retrying -- *); do kill "${ids[$name]}" 2>/dev/null; done
    sleep 0.03
done
kill $(jobs -p) 2>/dev/null
for name in *; do printf '%s\\t%s\\n' "$name" "$(tail -n 1 -- "$name")"; done"""


def submit(wanted: Sequence[Job]) -> Course[tuple[dict[str, int | None], dict[str, str]]]:
    """Numbers by name, and what sbatch said where there is none."""
    if not wanted:
        return {}, {}
    lines = "".join(_line(job) for job in wanted)
    script = f"{PATH}rm -rf {_SAID}; mkdir {_SAID}; cd {_SAID}\ndeclare -A ids\n{lines}{_ENDED}"
    said = yield Order(script, within_s=180.0)
    rows = {one.name: one for one in reading.entered(said.out)}
    numbers = {job.name: rows[job.name].number if job.name in rows else None for job in wanted}
    refused = {
        job.name: rows[job.name].said if job.name in rows else "no answer"
        for job in wanted
        if numbers[job.name] is None
    }
    return numbers, refused


def _line(job: Job) -> str:
    name = shlex.quote(job.name)
    return (
        f"as {job.user} sbatch --parsable -J {name} -D ~/jobs -o /dev/null"
        f" {job.args} ~/bin/job.sh {job.seconds} > {name} 2>&1 &\nids[{name}]=$!\n"
    )
