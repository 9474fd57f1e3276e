"""The course of one grade: the cluster comes up and breaks, the script is played, the battery is submitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graders.live_slurm import reading
from graders.live_slurm.events import MARK, Event, events
from graders.live_slurm.orders import ClusterFailed, Course, Order, Said
from graders.live_slurm.prompting import SMALL, end_small_job, start_small_jobs, wait_for_work
from graders.live_slurm.submitting import submit
from graders.live_slurm.watching import (
    PATH,
    UP,
    look,
    wait_for_begin,
    wait_for_end,
    wait_until_tried,
)
from scenarios.live_slurm.files import NODES, edited, healthy, inside, programs
from scenarios.live_slurm.scene import Scene

SETTINGS = "/box/etc/slurm"
READY_S = 30.0
"""How long the daemons may take; on a quiet machine they need less than one second."""
LONGEST_SCRIPT_S = 1200.0
_FOLDERS = "".join(
    f"mkdir -p ~/dev/{node} ~/scratch/{node} ~/spool/{node}\n"
    f"for i in 0 1 2 3 4 5 6 7; do : > ~/dev/{node}/nvidia$i; done\n"
    for node in NODES
)
_ALL_IDLE = (
    "for i in $(seq 400); do"
    f' [ "$(sinfo -h -o %T,%D 2>/dev/null | sort -u | xargs)" = "idle,{len(NODES)}" ] && break;'
    " sleep 0.05; done"
)
_WATCH = """note_command() {
    local line=${BASH_COMMAND//$'\\n'/ }
    printf '%s\\t%s\\n' "$EPOCHREALTIME" "$line" >> ~/run/commands
}
trap note_command DEBUG"""


@dataclass(frozen=True, slots=True)
class Battery:
    """Hidden jobs: which were submitted, by name, and which of them began in time."""

    names: frozenset[str]
    began: frozenset[str]
    seen: dict[str, reading.Seen] = field(default_factory=dict)
    """What became of each, by name; one that never got in is not there."""

    def share(self, names: Sequence[str]) -> float:
        """How many of these began, 0 to 1; 1 where there are none."""
        return sum(name in self.began for name in names) / len(names) if names else 1.0


@dataclass(frozen=True)
class Played:
    """All that was seen of one course. Job numbers by name; `None` for one that never got in."""

    ready_s: float
    running: dict[str, int]
    waiting: dict[str, int | None]
    refused: dict[str, str]
    before: list[reading.Seen]
    after: list[reading.Seen]
    last: list[reading.Seen]
    now: Battery
    restarted: Battery
    commands: list[tuple[float, str]]
    printed: str
    ended: int
    files_before: dict[str, str]
    files_after: dict[str, str]
    comes_back: bool = field(default=True)
    came_back: int = 0
    """How often a host of ours had the cluster begin anew: what ran then began again, and nobody did that."""
    left_at: float = 0.0
    """When it was left, in seconds since 1970; 0 where nobody knows."""
    events: list[Event] = field(default_factory=list)


def play(scene: Scene, script: str) -> Course[Played]:
    """Raises ClusterFailed where the cluster does not come up before anybody has touched it."""
    begun = yield from begin(scene)
    yield from show(scene)
    waiting, refused = begun.waiting, begun.refused
    # What fails only when a job is tried has to have failed before anybody comes.
    before = yield from tried(begun)
    if too_early := reading.started(before, entered(waiting)):
        raise ClusterFailed(f"Jobs that wait for a fault began before anybody came: {too_early}.")
    ended, printed, commands, left_at = yield from _script(script)
    happened = yield from events()
    judged = yield from judge(scene, waiting, refused)
    return Played(
        ready_s=begun.ready_s,
        running=begun.running,
        waiting=judged.waiting,
        refused=judged.refused,
        before=before,
        after=judged.after,
        last=judged.last or judged.after,
        now=judged.now,
        restarted=judged.restarted,
        commands=commands,
        printed=printed,
        ended=ended,
        files_before=begun.files,
        files_after=judged.files,
        comes_back=judged.comes_back,
        left_at=left_at,
        events=happened,
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of a cluster as it was left, and of the same one started anew."""

    waiting: dict[str, int | None]
    refused: dict[str, str]
    after: list[reading.Seen]
    last: list[reading.Seen]
    now: Battery
    restarted: Battery
    files: dict[str, str]
    comes_back: bool


def judge(scene: Scene, waiting: dict[str, int | None], refused: dict[str, str]) -> Course[Judged]:
    """The queue has its time to move, and the battery is submitted twice; takes a minute or more."""
    waiting, refused = yield from settle(scene, waiting, refused)
    now = yield from _battery(scene, 1, entered(waiting))
    after = yield from look()
    back = yield from _restart()
    restarted = yield from _battery(scene, 2)
    last = yield from look()
    files = yield from settings_files()
    return Judged(waiting, refused, after, last, now, restarted, files, back)


@dataclass(frozen=True, slots=True)
class Begun:
    """The cluster as the candidate finds it: numbers by job name, and the settings as they lie there."""

    ready_s: float
    running: dict[str, int]
    waiting: dict[str, int | None]
    refused: dict[str, str]
    files: dict[str, str]


def begin(scene: Scene) -> Course[Begun]:
    """Bring the cluster up, have people's runs begin, break it, and let those who will wait submit.

    Raises ClusterFailed.
    """
    ready_s = yield from _come_up()
    running = yield from _get_to_work(scene)
    broken = yield from _break(scene)
    first, turned_away = yield from submit(scene.wide)
    waiting, refused = yield from submit(scene.waiting)
    waiting, refused = {**first, **waiting}, {**turned_away, **refused}
    return Begun(ready_s, running, waiting, refused, broken)


def show(scene: Scene) -> Course[None]:
    """Wait for what takes some seconds to be seen: a script comes sooner than any person."""
    if lines := [line for fault in scene.faults for line in fault.shows]:
        yield Order("\n".join([*lines, "true"]))


def tried(begun: Begun) -> Course[list[reading.Seen]]:
    """Once the scheduler has tried those who wait: all jobs, as whoever comes finds them."""
    _first, second = SMALL
    seen = yield from wait_until_tried(entered(begun.waiting), end_small_job(second))
    yield MARK
    return seen


def set_up(further: Mapping[str, str]) -> Order:
    """Put the programs, these files and the nodes' folders into a fresh sandbox; starts nothing."""
    return Order(_FOLDERS, {**programs(), "/box/run/snapshot.py": inside("snapshot.py"), **further})


def _come_up() -> Course[float]:
    yield set_up({f"{SETTINGS}/{name}": text for name, text in healthy().items()})
    script = (
        f"begun=$EPOCHREALTIME\nservice all start\n{_ALL_IDLE}\n"
        "echo $begun $EPOCHREALTIME; sinfo -h -o %T,%D | sort -u | xargs"
    )
    said = yield Order(script, within_s=READY_S + 15)
    lines = said.out.strip().splitlines()
    if len(lines) < 2 or lines[-1] != f"idle,{len(NODES)}":
        raise ClusterFailed(f"The cluster's nodes did not come up: {_end(said)}")
    begun, done = lines[-2].split()
    return float(done) - float(begun)


def _get_to_work(scene: Scene) -> Course[dict[str, int]]:
    """Submit people's runs and see that all of them work; returns their numbers by name."""
    first, _second = SMALL
    yield from start_small_jobs()
    numbers, refused = yield from submit(scene.running)
    running = {name: number for name, number in numbers.items() if number}
    if len(running) != len(scene.running):
        raise ClusterFailed(f"The cluster did not take the jobs that run at the start: {refused}.")
    yield from end_small_job(first)
    yield from wait_for_work(len(running))
    if len((yield from wait_for_begin([*running.values()]))) != len(running):
        raise ClusterFailed("The jobs that run at the start did not begin.")
    return running


def _break(scene: Scene) -> Course[dict[str, str]]:
    """Put the faults in force; returns the files as they then lie there."""
    read = edited(healthy(), scene.edits(unread=True))
    lie = edited(healthy(), scene.edits(unread=False))
    state = [line for fault in scene.faults for line in fault.state]
    state += [line for oddity in scene.oddities for line in oddity.state]
    restart = f"service all restart 2>/dev/null\n{UP}" if read != healthy() else ""
    said = yield Order(
        f"{restart}{chr(10).join(state)}\ntrue",
        {f"{SETTINGS}/{name}": text for name, text in read.items()},
        300.0,
    )
    if said.code != 0:
        raise ClusterFailed(f"The cluster could not be set up: {_end(said)}")
    yield Order(files={f"{SETTINGS}/{name}": lie[name] for name in lie if lie[name] != read[name]})
    return lie


def _end(said: Said) -> str:
    lines = (said.err.strip() or said.out.strip() or "it said nothing").splitlines()
    return lines[-1][:300].rstrip(".") + "."


def _script(script: str) -> Course[tuple[int, str, list[tuple[float, str]], float]]:
    """Play the script's lines in one shell; a line `#sleep N` waits N seconds.

    Returns its exit code, what it printed, its commands, and when it had ended.
    """
    lines = [
        f"sleep {line.removeprefix('#sleep').strip()}" if line.startswith("#sleep ") else line
        for line in script.splitlines()
    ]
    said = yield Order(
        ": > ~/run/commands; cd ~; source ~/run/script",
        {"/box/run/script": "\n".join([_WATCH, *lines, "trap - DEBUG", ""])},
        LONGEST_SCRIPT_S,
    )
    told = yield Order("echo $EPOCHREALTIME; head -c 200000 ~/run/commands", within_s=10.0)
    left_at, *lines = told.out.splitlines()
    commands = []
    for line in lines:
        at, tab, command = line.partition("\t")
        if tab and at.replace(".", "", 1).isdigit() and not command.startswith("trap - DEBUG"):
            commands.append((float(at), command))
    return said.code, (said.out + said.err)[-20_000:], commands, float(left_at)


def settle(
    scene: Scene, waiting: dict[str, int | None], refused: dict[str, str]
) -> Course[tuple[dict[str, int | None], dict[str, str]]]:
    """Who was refused tries once more, and everybody has some cycles of the scheduler to begin.

    From here on the programs in ~/bin are ours again.
    """
    yield Order(files=programs())
    again = [job for job in scene.waiting if waiting.get(job.name) is None]
    numbers, still = yield from submit(again)
    found = {**waiting, **numbers}
    yield from wait_for_begin(entered(found))
    return found, {name: said for name, said in {**refused, **still}.items() if found[name] is None}


def _battery(scene: Scene, turn: int, short: Sequence[int] = ()) -> Course[Battery]:
    """Submit the hidden jobs; what runs of `short`, people's short jobs, may end as well.

    Before them come the like of those that rightly wait: to cancel theirs mends nothing.
    """
    before, _refused = yield from submit(scene.probes_before(turn))
    numbers, _refused = yield from submit(scene.probes(turn))
    tried = entered(numbers)
    began = yield from wait_for_end(tried, short)
    rows = (yield from look()) if began else []
    seen = {one.number: one for one in reversed(rows)}
    ours = " ".join(map(str, [*entered(before), *tried]))
    yield Order(f"{PATH}timeout 30 scancel {ours} 2>/dev/null; true")
    names = frozenset(name for name, number in numbers.items() if number in began)
    found = {name: seen[number] for name, number in numbers.items() if number in seen}
    return Battery(frozenset(numbers), names, found)


def entered(numbers: Mapping[str, int | None]) -> list[int]:
    return [number for number in numbers.values() if number is not None]


def _restart() -> Course[bool]:
    """The daemons end and begin anew from their files; whether the controller answers then."""
    said = yield Order(
        f"{PATH}service all stop; sleep 0.2; service all start\n{UP}scontrol ping",
        programs(),
        300.0,
    )
    return "is UP" in said.out


def settings_files() -> Course[dict[str, str]]:
    """The settings as they lie there at the end."""
    mark = "==> headnode <=="
    said = yield Order(
        f"cd {SETTINGS} && for f in *; do echo '{mark} '$f; head -c 20000 $f; echo; done"
    )
    found: dict[str, str] = {}
    for part in said.out.split(f"{mark} ")[1:]:
        name, _, text = part.partition("\n")
        found[name.strip()] = text.removesuffix("\n")
    return found
