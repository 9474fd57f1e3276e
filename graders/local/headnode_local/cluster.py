"""A cluster inside the test's own process, which a test can step and question."""

from __future__ import annotations

import json
from typing import Any

from headnode_sdk import ApiError, Cluster

from scenarios.worlds.calls import answer
from scenarios.worlds.refusal import Refused

from .kit import Kit


class LocalCluster(Cluster):
    """A `headnode_sdk.Cluster` on one public workload. Without `faults` no call to its API fails.

    What it answers has been through JSON, as on the platform.
    """

    def __init__(self, kit: Kit, workload: str = "public-1", *, faults: bool = True) -> None:
        self._world = kit.world
        self._episode = kit.open(workload, faults=faults)
        super().__init__(self._answer)

    def _answer(self, method: str, **params: object) -> Any:
        asked = json.loads(json.dumps(params, allow_nan=False))
        try:
            found = answer(self._episode, self._world.methods, method, asked)
        except Refused as refusal:
            raise ApiError(refusal.code, refusal.message) from None
        return json.loads(json.dumps(found))

    @property
    def complete(self) -> bool:
        """Whether the workload is over."""
        return self._episode.complete

    def run_out(self) -> None:
        """Let the rest pass with nobody in control."""
        self._episode.run_out()

    def figures(self) -> dict[str, Any]:
        """Raw figures of what has passed; the keys have the units."""
        return self._episode.figures()

    def summary(self) -> dict[str, Any]:
        """The same in short."""
        return self._world.summary(self._episode.figures())
