"""Runs the monitor: look, decide, tell. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from causes import find_cause
from headnode_sdk import ApiError, Cluster, Gpu
from panels import panels_for
from readings import Readings


class Monitor:
    """What the monitor remembers from one tick to the next."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.readings = Readings()
        self.open: dict[str, int] = {}
        """GPU -> number of our open alert. What happens to it when a write times out?"""

    def step(self) -> None:
        """Ten minutes' work."""
        gpus = {gpu.name: gpu for gpu in self.cluster.gpus()}
        self.readings.add(self.cluster.samples(), self.cluster.now)
        self.tell(gpus)
        self.resolve_what_is_over(gpus)

    def tell(self, gpus: dict[str, Gpu]) -> None:
        """Raise an alert for every case that is new, and file its finding.

        Hints: the GPUs of one job belong into one alert. Windows of `maintenance()` set GPUs
        aside. The rule `lost` needs to know which GPUs are missing, and since when.
        """

    def resolve_what_is_over(self, gpus: dict[str, Gpu]) -> None:
        """Resolve alerts whose rule is no longer met.

        Hint: remember with which job an alert was raised; `gpu.job` tells when it has left.
        """


def main() -> None:
    cluster = headnode_sdk.connect()
    monitor = Monitor(cluster)
    while cluster.tick():
        try:
            if cluster.now == 600:
                cluster.dashboard(panels_for(cluster.gpus()))
            monitor.step()
        except ApiError as error:
            # Enough to reach the last day; whether it is good enough is for you to judge.
            print(f"{cluster.now // 3600} h: {error}")


if __name__ == "__main__":
    main()

# find_cause belongs into Monitor.tell: it is imported here so that you find it.
__all__ = ["Monitor", "find_cause", "main"]
