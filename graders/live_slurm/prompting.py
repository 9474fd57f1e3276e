"""Has the controller go through its queue at once: the ends of two small jobs of people's do that.

A slurmctld that has just begun looks first after three seconds, as long as nothing has ended; until it has
looked once it knows none of the times that SchedulerParameters sets.
"""

from __future__ import annotations

from graders.live_slurm.orders import Course, Order
from graders.live_slurm.watching import PATH
from scenarios.live_slurm.scene import LONG

SMALL = {
    "gus-small-0": ("gus", "-p interactive -n 1 --mem=100 -t 0:10:00"),
    "ana-small-0": ("ana", "-w gpu-n001 -n 1 --mem=100 -t 0:20:00"),
}
"""Name -> whose it is and what it asks for; nodes that no fault is drawn on."""
# A step still works as its job ends: only then is the end the node's to tell, and not the answer to a question.
_STEP = "as {user} srun -Q sleep 60 & for i in $(seq 3000); do [ -e ~/run/{name} ] && break; sleep 0.02; done"
_END = (
    ": > ~/run/{name}\nfor i in $(seq 100); do"
    " scontrol show job -o | grep ' JobName={name} ' | grep -q 'JobState=COMPLETED' && break;"
    " sleep 0.02; done\n"
)
# A run that its node has not heard of yet would begin again when the daemons do.
_AT_WORK = (
    f'for i in $(seq 500); do [ "$(pgrep -cfx "sleep {LONG}")" -ge {{count}} ] && break;'
    " sleep 0.02; done"
)


def start_small_jobs() -> Course[None]:
    """On a cluster that is well; they run until they are told to end, and for a minute at most."""
    lines = [
        f"rm -f ~/run/{name}; as {user} salloc -Q -J {name} {asked}"
        f" sh -c '{_STEP.format(user=user, name=name)}' > /dev/null 2>&1 &"
        for name, (user, asked) in SMALL.items()
    ]
    yield Order("\n".join([f"{PATH}cd ~/jobs", *lines, _steps(len(SMALL))]))


def _steps(count: int) -> str:
    """Lines that wait until so many steps of small jobs work."""
    return (
        f'for i in $(seq 100); do [ "$(pgrep -cfx "/usr/bin/sleep 60")" -ge {count} ] && break;'
        " sleep 0.02; done"
    )


def end_small_job(name: str) -> Course[None]:
    yield Order(PATH + _END.format(name=name))


def wait_for_work(count: int) -> Course[None]:
    """Until so many long runs work on their nodes; ten seconds at most."""
    yield Order(_AT_WORK.format(count=count), within_s=30.0)
