"""Reference scripts for any scene: from doing nothing to what an expert does."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.live_slurm.faults import Fault
from scenarios.live_slurm.scene import Scene


def nothing(scene: Scene) -> str:
    """Looks, and changes nothing."""
    return "sinfo\nsqueue\n"


def restarter(scene: Scene) -> str:
    """Starts everything anew and hopes."""
    return "service all restart\nscontrol reconfigure\n#sleep 2\nsqueue\n"


def canceller(scene: Scene) -> str:
    """An empty queue has no jobs that wait."""
    return "scancel --state=PENDING\nscancel --state=RUNNING\nsqueue\n"


def guesser(scene: Scene) -> str:
    """What is often the remedy, whatever is wrong."""
    return (
        "scontrol update NodeName=ALL State=RESUME\n"
        "for j in $(squeue -h -t PD -o %A); do scontrol release $j; done\n"
        "scontrol update PartitionName=train State=UP\n"
    )


def competent(scene: Scene) -> str:
    """Mends all but one fault, for good, and leaves none that stops everybody."""
    narrow = [fault for fault in scene.faults if not _stops_others(fault)]
    left = (narrow or scene.faults)[-1]
    return _lines([line for fault in scene.faults if fault is not left for line in fault.cure])


def expert(scene: Scene) -> str:
    """Mends every fault for good and harms nobody."""
    return _lines([line for fault in scene.faults for line in fault.cure])


def running_only(scene: Scene) -> str:
    """Mends what runs and no file: lost when the daemons start anew."""
    return _lines([line for fault in scene.faults for line in fault.running])


def _stops_others(fault: Fault) -> bool:
    return fault.wide or any(one.startswith(("everybody", "partition:")) for one in fault.touches)


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


GOLDENS: dict[str, Callable[[Scene], str]] = {
    make.__name__: make
    for make in (nothing, restarter, canceller, guesser, competent, expert, running_only)
}
"""Name -> what writes the script for a scene."""
