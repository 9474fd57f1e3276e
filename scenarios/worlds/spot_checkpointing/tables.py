"""What the cluster holds at one instant: nodes, runs and their checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from scenarios.simulator.machine import Nodes
from scenarios.simulator.world.progress import Pace
from scenarios.worlds.spot_checkpointing.config import TrainingConfig


class Kind(IntEnum):
    """What happens first among events of one instant: the smaller value.

    Work that is done counts before anything is taken away; measuring comes last.
    """

    FINISHED = 0
    SAVE_DUE = 1
    STALL_OVER = 2
    SAVED = 3
    CHECKED = 4
    JOINED = 5
    JOIN_TIMEOUT = 6
    DIVERGED = 7
    NODE_DOWN = 8
    NODE_SLOW = 9
    WAVE = 10
    NOTICE = 11
    RECLAIM = 12
    START_FAILED = 13
    NODE_READY = 14
    DEADLINE = 15
    SAMPLE = 16


class NodeState(IntEnum):
    """A node from being asked for to being gone."""

    STARTING = 0
    READY = 1
    DOWN = 2
    GONE = 3


@dataclass(slots=True)
class Node:
    """One node; times in ms, -1 where it has not happened. `phase` says what its GPUs do."""

    name: str
    zone: int
    spot: bool
    asked_at: int
    state: NodeState = NodeState.STARTING
    ready_at: int = -1
    notice_at: int = -1
    down_at: int = -1
    slow_at: int = -1
    used_slow: bool = False
    """A gang trained on it while it was slow."""
    timeout_at: int = -1
    gone_at: int = -1
    charged_until: int = -1
    slow: bool = False
    mute: bool = False
    """Comes up well but never joins a gang: its fabric is broken."""
    phase: str = "starting"
    phase_since: int = 0


STOPPED, JOINING, RUNNING, SAVING, DONE = "stopped", "joining", "training", "saving", "finished"
WRITING, STORED = "writing", "stored"


@dataclass(slots=True)
class Checkpoint:
    """One saved state. `whole` is the truth about its files, `sound` about the weights in them."""

    name: str
    training: int
    step: int
    region: str
    gb: int
    begun_at: int
    loss: float
    lasts: int
    """How long writing it takes, in ms."""
    whole: bool = True
    silent: bool = False
    """Not whole, but loads without an error."""
    sound: bool = True
    state: str = WRITING
    stored_gb: int = 0
    ended_at: int = -1
    checked: str = ""
    detail: str = ""
    gone: bool = False
    manual: bool = False

    @property
    def good(self) -> bool:
        """Whether a run that resumes from it goes on as if nothing had happened."""
        return self.state == STORED and self.whole and self.sound and not self.gone


@dataclass(slots=True)
class Resume:
    """One time a run came back: seconds are not kept, all times in ms."""

    at: int
    down_ms: int
    checkpoint: str
    step: int
    lost: int
    proven: bool | None = None
    wrong: str = ""
    forced: bool = True
    """The stop before it was not of the controller's own choice."""


@dataclass(slots=True)
class Training:
    """One run and where it stands: its nodes on the simulator's machine, its steps by its pace."""

    config: TrainingConfig
    number: int
    machine: Nodes
    every: int
    mode: str
    spikes_left: list[int]
    state: str = STOPPED
    pace: Pace = field(default_factory=Pace)
    version: int = 0
    loading: Checkpoint | None = None
    resumed_from: str = ""
    stopped_at: int = 0
    stop_step: int = 0
    launched_at: int = 0
    forced: bool = True
    """Whether the cloud caused the present stop, or nothing was started yet."""
    reason: str = "not started"
    attempt: int = 0
    saves: int = 0
    upload: Checkpoint | None = None
    unsound_at: int = -1
    """Step from which the weights are worthless; -1 while they are sound."""
    latest: str = ""
    finished_at: int = -1
    resumes: list[Resume] = field(default_factory=list)
    lost_gpu_ms: int = 0
    skipped_saves: int = 0
    valid_at_deadline: int = -1

    @property
    def nodes(self) -> list[int]:
        """The gang's nodes by number, as they were named at the launch."""
        return [node for node, _ in self.machine.where.get(self.number, ())]

    @property
    def trains(self) -> bool:
        """Whether the gang is up, making steps or saving."""
        return self.state in (RUNNING, SAVING)

    @property
    def step_ms(self) -> int:
        """How long a step takes at the present pace."""
        return self.pace.span
