"""Several clusters with prices of their own: where each job goes, and what its data costs to move.

It knows no scheduler: the broker decides at submission, by prices, data and its own books.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scenarios.simulator.trace import Workload

HOUR_S = 3_600


@dataclass(frozen=True, slots=True)
class PriceBook:
    """What one cluster charges: USD for a GPU-hour, and for a GB that leaves it.

    `out_gbit_s` is how fast data leaves, in Gbit/s.
    """

    gpu_hour: float
    egress_gb: float = 0.0
    out_gbit_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A place to run: its GPUs, its largest job (0: all GPUs) and its prices."""

    name: str
    gpus: int
    prices: PriceBook
    largest: int = 0


@dataclass(frozen=True, slots=True)
class Dataset:
    """Data that jobs need beside them: where it lies at first, and how much it is."""

    home: str
    gigabytes: float


@dataclass(frozen=True, slots=True)
class Move:
    """One copy of a data set: begun `at`, there at `done` (ticks), `usd` for egress."""

    at: int
    done: int
    data: str
    source: str
    target: str
    gigabytes: float
    usd: float


@dataclass(slots=True)
class Routes:
    """`cluster[job]` by number (-1: fits nowhere), `ready[job]` when its data is there (ticks)."""

    workload: Workload
    cluster: list[int]
    ready: list[int]
    moves: list[Move] = field(default_factory=list)

    @property
    def moved_usd(self) -> float:
        """USD for all data that was moved."""
        return sum(move.usd for move in self.moves)

    def part(self, cluster: int) -> Workload:
        """The jobs of one cluster, submitted when their data is there; job ids are kept."""
        whole, part = self.workload, Workload()
        for job, number in enumerate(self.cluster):
            if number == cluster:
                names = (whole.user[job], whole.account[job], whole.partition[job], whole.qos[job])
                part.add(
                    whole.job_id[job],
                    self.ready[job],
                    whole.run[job],
                    whole.estimate[job],
                    whole.procs[job],
                    names,
                    whole.priority[job],
                )
        return part


class Broker:
    """Sends each job where run and data together cost least, unless its wait there is too long.

    Its books hold, for each cluster, when the work it has sent there would be done if that
    kept all GPUs busy for as long as the estimates say. A cluster is passed over while that lies
    more than `patience_s` ahead, as long as another is within it. Ties go to the first
    cluster. Data that was moved stays in both places.
    """

    def __init__(
        self,
        clusters: Sequence[Cluster],
        data: Mapping[str, Dataset],
        patience_s: float = 4 * HOUR_S,
        ticks_per_second: int = 1,
    ) -> None:
        self._clusters, self._data, self._tick = clusters, data, ticks_per_second
        names = [cluster.name for cluster in clusters]
        if not names or len(set(names)) != len(names):
            raise ValueError("A broker needs clusters, each with a name of its own.")
        for name, item in data.items():
            if item.home not in names or item.gigabytes < 0:
                raise ValueError(f"The data set {name!r} needs a home among {', '.join(names)}.")
        self._patience = round(patience_s * ticks_per_second)
        self._there: dict[str, dict[int, int]] = {
            name: {names.index(item.home): 0} for name, item in data.items()
        }
        self._busy_until = [0.0] * len(clusters)

    def route(self, workload: Workload, needs: Sequence[str]) -> Routes:
        """Every job in order of submission; `needs[job]` names a data set or is empty.

        ValueError for a data set nobody knows.
        """
        unknown = sorted(set(needs) - self._data.keys() - {""})
        if unknown:
            raise ValueError(f"Nobody knows the data set {unknown[0]!r}.")
        routes = Routes(workload, [-1] * len(workload), list(workload.submit))
        for job in sorted(range(len(workload)), key=workload.submit.__getitem__):
            best = self._best(workload, job, needs[job])
            if best >= 0:
                routes.cluster[job] = best
                routes.ready[job] = self._bring(needs[job], best, workload.submit[job], routes)
                self._book(best, workload, job)
        return routes

    def _best(self, workload: Workload, job: int, data: str) -> int:
        now, procs = workload.submit[job], workload.procs[job]
        fitting = [n for n, c in enumerate(self._clusters) if procs <= (c.largest or c.gpus)]
        soon = [n for n in fitting if self._busy_until[n] - now <= self._patience]
        hours = workload.estimate[job] * procs / (HOUR_S * self._tick)

        def cost(number: int) -> tuple[float, int]:
            usd = hours * self._clusters[number].prices.gpu_hour
            return usd + self._moving_usd(data, number), number

        return min(soon or fitting, key=cost, default=-1)

    def _source(self, data: str, target: int) -> int:
        """The cheapest place to copy from; -1 when nothing has to be copied."""
        there = self._there.get(data, {target: 0})
        if target in there:
            return -1
        return min(there, key=lambda number: (self._clusters[number].prices.egress_gb, number))

    def _moving_usd(self, data: str, target: int) -> float:
        source = self._source(data, target)
        if source < 0:
            return 0.0
        return self._data[data].gigabytes * self._clusters[source].prices.egress_gb

    def _bring(self, data: str, target: int, now: int, routes: Routes) -> int:
        """When the data is at `target`; a copy under way is waited for, not made twice."""
        source = self._source(data, target)
        if source < 0:
            return max(now, self._there[data][target] if data else 0)
        begin, gigabytes = max(now, self._there[data][source]), self._data[data].gigabytes
        seconds = gigabytes * 8 / self._clusters[source].prices.out_gbit_s
        done = begin + round(seconds * self._tick)
        usd = self._moving_usd(data, target)
        names = self._clusters[source].name, self._clusters[target].name
        routes.moves.append(Move(begin, done, data, *names, gigabytes, usd))
        self._there[data][target] = done
        return done

    def _book(self, number: int, workload: Workload, job: int) -> None:
        begin = max(self._busy_until[number], float(workload.submit[job]))
        work = workload.estimate[job] * workload.procs[job]
        self._busy_until[number] = begin + work / self._clusters[number].gpus
