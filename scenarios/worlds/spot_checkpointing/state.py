"""The cluster at one instant: its configuration, its clock and record, its machine and its runs."""

from __future__ import annotations

from scenarios.simulator.agenda import Agenda
from scenarios.simulator.machine import Nodes
from scenarios.worlds.spot_checkpointing.config import ClusterConfig, Trouble
from scenarios.worlds.spot_checkpointing.prices import PricePath, flat
from scenarios.worlds.spot_checkpointing.record import Record
from scenarios.worlds.spot_checkpointing.tables import Training


class SpotState:
    """What its parts share, at `now` in ms. `machine` knows which node is in service and holds what gang."""

    def __init__(self, config: ClusterConfig, trouble: Trouble, seed: str) -> None:
        self.config, self.trouble, self.seed = config, trouble, seed
        self.now = 0
        self.agenda, self.record = Agenda(), Record()
        pairs = zip(config.zones, trouble.prices, strict=True)
        self.paths = [(flat(zone.ondemand_price), PricePath(points)) for zone, points in pairs]
        self.machine = Nodes(0, config.gpus_per_node)
        self.trainings = [
            Training(run, number, self.machine, run.every, run.mode, list(run.spikes))
            for number, run in enumerate(config.trainings)
        ]
        self.woken = False

    def event(self, kind: str, subject: str, *, wakes: bool) -> None:
        """Something the controller will be told of; one that wakes it ends the tick."""
        self.record.event(self.now, kind, subject)
        self.woken = self.woken or wakes
