"""Long training runs on spot nodes: gangs, checkpoints, stores, and the verbs to keep them alive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ._verbs import Verbs


class Zone(NamedTuple):
    """One zone as the price feed shows it. Prices are of a node-hour."""

    name: str
    region: str
    spot_price: float
    ondemand_price: float
    score: int
    """The provider's placement score, 1 to 10: how likely spot nodes are to be had and to last."""

    @property
    def spot_pool(self) -> str:
        """Name of the zone's spot pool."""
        return f"spot-{self.name}"

    @property
    def ondemand_pool(self) -> str:
        """Name of the zone's on-demand pool."""
        return f"ondemand-{self.name}"


class Training(NamedTuple):
    """One training run."""

    name: str
    state: str
    """"stopped", "joining" (gathering its gang, loading), "training", "saving" or "finished"."""
    step: int
    """The step it has reached; while it is stopped, the one at which it stopped."""
    steps: int
    step_time: float
    """Seconds for a step at the present pace; 0 while it is not training."""
    loss: float
    """Smoothed training loss in nats; 0 while it is not training."""
    nodes: list[str]
    every: int
    """Steps between its own saves; 0 if it makes none."""
    mode: str
    """"sync" or "async"."""
    resumed_from: str
    """The checkpoint it was last resumed from; empty if it began at step 0."""
    latest: str
    """What the file `latest` names: written when a save begins, not when it is done."""
    reason: str
    """Why it last stopped: "node lost", "stopped", "join timeout" or "load failed"."""
    stopped_at: int
    """When it last stopped training."""
    stop_step: int
    """The step at which it last stopped training."""
    checkpoint_gb: int
    """Size of a complete checkpoint."""
    min_nodes: int
    max_nodes: int
    deadline: int
    penalty: float = 0.0
    """Money for each hour after the deadline."""

    @property
    def active(self) -> bool:
        """On its gang: joining, training or saving."""
        return self.state in ("joining", "training", "saving")


class Checkpoint(NamedTuple):
    """One checkpoint in a store, complete or not."""

    name: str
    training: str
    step: int
    region: str
    state: str
    """"writing", or "stored" once nothing more is written to it, complete or not."""
    gb: int
    """What has been written so far."""
    begun_at: int
    written_at: int
    """When the last byte was written; below 0 while it is being written."""
    checked: str
    """What `verify` found: "" (never asked), "checking", "good" or "bad"."""
    detail: str
    """What is wrong with a bad one."""
    loss: float
    """Training loss at the moment of saving."""


class Store(NamedTuple):
    """One region's checkpoint store, in GB. Above `limit_gb` no save begins."""

    region: str
    used_gb: int
    quota_gb: int
    limit_gb: int


class CheckpointVerbs(Verbs):
    """Trainings on nodes that may be taken away, their checkpoints and stores."""

    def trainings(self) -> dict[str, Training]:
        """Every run by name."""
        return {row[0]: Training(*row) for row in self._read("trainings")}

    def checkpoints(self) -> list[Checkpoint]:
        """Every checkpoint that is there, oldest first."""
        return [Checkpoint(*row) for row in self._read("checkpoints")]

    def stores(self) -> dict[str, Store]:
        """The stores by region."""
        return {row[0]: Store(*row) for row in self._read("stores")}

    def zones(self) -> dict[str, Zone]:
        """The zones by name, with today's prices."""
        return {row[0]: Zone(*row) for row in self._read("zones")}

    def launch(self, training: str, nodes: Sequence[str], checkpoint: str = "") -> None:
        """Start a stopped run on ready nodes of one zone, from a checkpoint or from step 0.

        Raises Conflict while the run is not stopped, when a node is not ready or in a gang, or
        when the checkpoint is being written or lies in another region.
        """
        self._ask("launch", training=training, nodes=list(nodes), checkpoint=checkpoint)

    def stop(self, training: str) -> int:
        """Stop a run at once, without saving; answers the step it had reached."""
        return int(self._ask("stop", training=training)["step"])

    def set_cadence(self, training: str, every: int, mode: str = "sync") -> None:
        """Let the run save itself every so many steps, "sync" or "async"; 0 for never."""
        self._ask("set_cadence", training=training, every=every, mode=mode)

    def save(self, training: str, mode: str = "sync") -> str:
        """Begin a save now; answers the checkpoint's name.

        Raises Conflict while the run is not training or still writes an earlier checkpoint.
        """
        return str(self._ask("save", training=training, mode=mode)["checkpoint"])

    def verify(self, checkpoint: str) -> int:
        """Read a checkpoint back against its checksums; answers the seconds that takes.

        The result is in the checkpoint's `checked`, and an event "checked" tells of it.
        """
        return int(self._ask("verify", checkpoint=checkpoint)["seconds"])

    def replicate(self, checkpoint: str, region: str) -> str:
        """Begin to copy a checkpoint to another region; answers the copy's name."""
        return str(self._ask("replicate", checkpoint=checkpoint, region=region)["checkpoint"])

    def delete_checkpoint(self, checkpoint: str) -> None:
        """Remove a checkpoint. Raises Conflict while it is being written or loaded."""
        self._ask("delete_checkpoint", checkpoint=checkpoint)

    def record_resume(self, training: str, checkpoint: str, step: int, lost_steps: int) -> None:
        """File the proof of the newest resume: from which checkpoint, which step, what is repeated."""
        self._ask(
            "record_resume",
            training=training,
            checkpoint=checkpoint,
            step=step,
            lost_steps=lost_steps,
        )
