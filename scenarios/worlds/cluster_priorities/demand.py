"""Draws what teams send: nightly retrainings, experiments through the day, long preprocessing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.cluster_priorities.config import (
    ADHOC,
    DEADLINE,
    CohortWorldConfig,
    TeamConfig,
)
from scenarios.worlds.cluster_priorities.tables import Request

BACKLOG = 3
"""Long workloads that a team has waiting when the span begins."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a family's demand differs. `daily` is how much busier afternoons are than nights (0 to 1),

    `clumps` the share of experiments that come in sweeps, `late` the most ms by which the data of a
    retraining come late, `wrong` how far an owner's estimate may lie below the truth.
    """

    daily: float = 0.35
    clumps: float = 0.1
    late: int = 20 * MINUTE
    wrong: float = 0.0
    load: float = 1.0


def draw_requests(config: CohortWorldConfig, shape: Shape, seed: str) -> list[Request]:
    """Every workload of the span, in the order of arrival."""
    found: list[Request] = []
    for number, team in enumerate(config.teams):
        stream = Stream(seed, f"demand {team.name}")
        makers = {DEADLINE: _retrainings, ADHOC: _experiments}
        found += makers.get(team.kind, _long_ones)(config, number, team, shape, stream)
    return sorted(found, key=lambda request: (request.at, request.team, request.name))


def _request(
    team: int,
    row: TeamConfig,
    name: str,
    at: int,
    run: int,
    shape: Shape,
    stream: Stream,
    turn: int = -1,
) -> Request:
    """`turn` picks the size; below 0 chance does."""
    drawn = int(stream.unit() * len(row.gpus))
    gpus = row.gpus[drawn if turn < 0 else turn % len(row.gpus)]
    estimate = run * stream.between(1.0 - shape.wrong, 1.4)
    saves = row.kind != ADHOC or stream.chance(0.7)
    step = int(stream.between(10, 25)) * MINUTE if row.kind == ADHOC else 30 * MINUTE
    return Request(
        at=at,
        name=name,
        team=team,
        gpus=gpus,
        least=max(1, gpus // 2) if row.partial else gpus,
        run=run,
        estimate=max(10, round(estimate / MINUTE / 10) * 10) * MINUTE,
        checkpoint=step if saves else 0,
    )


def _retrainings(
    config: CohortWorldConfig, number: int, team: TeamConfig, shape: Shape, stream: Stream
) -> Iterator[Request]:
    for day in range(config.length // DAY):
        ready = day * DAY + team.submit + int(stream.unit() * shape.late)
        for job in range(team.jobs):
            name = f"{team.name}-retrain-d{day + 1}-{job + 1}"
            run = int(stream.between(team.shortest, team.longest))
            at = ready + int(stream.between(0, 5 * MINUTE))
            made = _request(number, team, name, at, run, shape, stream, job)
            yield Request(
                made.at,
                made.name,
                number,
                made.gpus,
                made.least,
                made.run,
                made.estimate,
                15 * MINUTE,
                day * DAY + team.due,
            )


def _busy(now: int, daily: float) -> float:
    """How busy people are at `now` ms against the mean: most at 15:00, least at 03:00."""
    return 1.0 + daily * cos(2 * pi * (now / HOUR - 15) / 24)


def _experiments(
    config: CohortWorldConfig, number: int, team: TeamConfig, shape: Shape, stream: Stream
) -> Iterator[Request]:
    """Single experiments, and sweeps of six to ten sent together. No more than the load in all."""
    wanted, at, count = team.load * shape.load * config.length, 0.0, 0
    mean_gpus = sum(team.gpus) / len(team.gpus)
    mean_run = (team.shortest + team.longest) / 2 * 0.62
    gap = mean_gpus * mean_run / (team.load * shape.load)
    while wanted > 0:
        sweep = 1
        if stream.chance(shape.clumps / 8):
            sweep = 6 + int(stream.unit() * 5)
        at += stream.exponential(gap * (0.92 + shape.clumps / 8 * 7)) / _busy(int(at), shape.daily)
        if at >= config.length - 30 * MINUTE:
            return
        for _ in range(sweep):
            count += 1
            run = int(team.shortest + (team.longest - team.shortest) * stream.unit() ** 2.2)
            made = _request(
                number, team, f"{team.name}-exp-{count:03d}", int(at), run, shape, stream
            )
            wanted -= made.run * made.gpus
            yield made


def _long_ones(
    config: CohortWorldConfig, number: int, team: TeamConfig, shape: Shape, stream: Stream
) -> Iterator[Request]:
    """A backlog at the beginning, then one after the other until the load is reached."""
    mean_gpus = sum(team.gpus) / len(team.gpus)
    gap = mean_gpus * (team.shortest + team.longest) / 2 / team.load
    at, count, left = 0.0, 0, team.load * config.length
    while at < config.length - 6 * HOUR and left > 0:
        count += 1
        run = int(stream.between(team.shortest, team.longest))
        name = f"{team.name}-prep-{count:02d}"
        made = _request(number, team, name, int(at), run, shape, stream)
        left -= made.run * made.gpus
        yield made
        if count >= BACKLOG:
            at += gap * stream.between(0.6, 1.4)
