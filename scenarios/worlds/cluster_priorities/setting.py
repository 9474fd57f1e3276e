"""From a company's profile and a level's settings to one playable span."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.company.profile import DEFAULT, Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.kueue.tree import Quota, QuotaTree
from scenarios.worlds.cluster_priorities.config import (
    KINDS,
    CohortConfig,
    CohortWorldConfig,
    FlavorConfig,
    QueueConfig,
    TeamConfig,
)
from scenarios.worlds.cluster_priorities.demand import draw_requests
from scenarios.worlds.cluster_priorities.episode import Episode
from scenarios.worlds.cluster_priorities.families import FAMILIES, draw_trouble

ONDEMAND_NODE_HOUR = 3.912
"""USD for a node with four T4: the list price of an AWS g4dn.12xlarge in us-east-1."""

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level decides. `budget` is USD for on-demand nodes and one day, 0 for none.

    `tables` is JSON, so that settings can be compared and kept: `flavors` (name, spot, region,
    nodes), `cohorts` (name, parent, limits), `queues` (name, cohort, quotas, night) and `teams` as in
    pack.toml.
    """

    hours: int
    tables: str
    budget: float = 0.0
    dear_restarts: bool = False

    def rows(self, kind: str) -> list[Table]:
        """The tables of one kind, in their order."""
        rows: list[Table] = json.loads(self.tables)[kind]
        return rows


_NEEDED = ("hours", "flavors", "cohorts", "queues", "teams")
_TABLES: Mapping[str, tuple[set[str], set[str]]] = {
    "flavors": ({"name", "spot", "nodes"}, {"region"}),
    "cohorts": ({"name"}, {"parent", "limits"}),
    "queues": ({"name", "cohort", "quotas"}, {"night"}),
    "teams": (
        {"name", "queue", "kind", "class", "priority", "flavors", "gpus", "hours"},
        {"jobs", "submit_h", "due_h", "load_gpus", "plan_gpus", "partial", "protected"},
    ),
}


def read_setting(table: Table) -> Setting:
    """A level's `[levels.X.settings]`. Raises ValueError for a key that is wrong or missing."""
    for key in table:
        if key not in {*_NEEDED, "budget_usd_day", "dear_restarts"}:
            raise ValueError(f"The world cohort has no setting {key}.")
    for key in _NEEDED:
        if key not in table:
            raise ValueError(f"The world cohort needs the setting {key}.")
    for kind, (needed, may) in _TABLES.items():
        for row in table[kind]:
            _check_row(kind, row, needed, may)
    found = Setting(
        int(table["hours"]),
        json.dumps({kind: table[kind] for kind in _TABLES}),
        budget=float(table.get("budget_usd_day", 0.0)),
        dear_restarts=bool(table.get("dear_restarts", False)),
    )
    _check(found)
    return found


def _check_row(kind: str, row: Table, needed: set[str], may: set[str]) -> None:
    for key in sorted(set(row) ^ needed):
        if key in needed or key not in may:
            raise ValueError(f"{kind} of the world cohort: the key {key} is missing or unknown.")


def _check(setting: Setting) -> None:
    if not 24 <= setting.hours <= 96 or setting.hours % 24:
        raise ValueError("hours must be 24, 48, 72 or 96.")
    flavors = [row["name"] for row in setting.rows("flavors")]
    queues = [row["name"] for row in setting.rows("queues")]
    cohorts = [row["name"] for row in setting.rows("cohorts")]
    for row in setting.rows("queues"):
        if row["cohort"] not in cohorts:
            raise ValueError(f"{row['name']}: there is no cohort {row['cohort']}.")
        for name in [*row["quotas"], *row.get("night", {})]:
            if name not in flavors:
                raise ValueError(f"{row['name']}: there is no flavour {name}.")
    for row in setting.rows("teams"):
        if row["queue"] not in queues or row["kind"] not in KINDS:
            raise ValueError(f"{row['name']}: its queue or its kind is unknown.")
    _check_sums(setting)


def _check_sums(setting: Setting) -> None:
    """By day and by night the nominal quotas of a flavour are together what its nodes have."""
    config = cluster_config(DEFAULT, setting)
    for flavor, row in enumerate(config.flavors):
        for when in (config.night_ends, config.night_begins):
            found = sum(
                config.planned(queue, flavor, when)
                for queue, one in enumerate(config.queues)
                if flavor in one.quotas
            )
            if found != row.capacity:
                raise ValueError(f"{row.name} has {row.capacity} GPUs and quotas for {found}.")
    nominal = {
        (q, f): config.planned(q, f, 0) for q, one in enumerate(config.queues) for f in one.quotas
    }
    QuotaTree(config.specs(nominal), len(config.flavors))


def _limit(value: int) -> int | None:
    return None if value < 0 else value


def _quotas(rows: Mapping[str, Sequence[int]], number: Callable[[str], int]) -> dict[int, Quota]:
    """[nominal, borrowing limit, lending limit] by flavour; -1 for no limit."""
    return {
        number(name): Quota(nominal, _limit(borrow), _limit(lend))
        for name, (nominal, borrow, lend) in rows.items()
    }


def cluster_config(profile: Profile, setting: Setting) -> CohortWorldConfig:
    """The cluster of a level. Its nodes are its own; the profile gives name and price relations."""
    hour = ONDEMAND_NODE_HOUR * profile.per_usd
    prices = (hour, round(hour * (profile.spot_node_hour / profile.ondemand_node_hour), 3))
    flavors = [row["name"] for row in setting.rows("flavors")]
    queues = [row["name"] for row in setting.rows("queues")]
    overflow = profile.overflow_gpu_hour * profile.gpus_per_node / profile.ondemand_node_hour
    return CohortWorldConfig(
        cluster=profile.cluster,
        flavors=tuple(
            FlavorConfig(
                row["name"],
                row["spot"],
                row.get("region", "east"),
                row["nodes"],
                prices[row["spot"]],
            )
            for row in setting.rows("flavors")
        ),
        queues=tuple(
            QueueConfig(
                row["name"],
                row["cohort"],
                _quotas(row["quotas"], flavors.index),
                {flavors.index(name): nominal for name, nominal in row.get("night", {}).items()},
            )
            for row in setting.rows("queues")
        ),
        cohorts=tuple(
            CohortConfig(
                row["name"], row.get("parent", ""), _quotas(row.get("limits", {}), flavors.index)
            )
            for row in setting.rows("cohorts")
        ),
        teams=tuple(_team(row, queues, flavors) for row in setting.rows("teams")),
        length=setting.hours * HOUR,
        overflow_price=round(overflow * hour / 4, 2),
        budget=setting.budget * profile.per_usd,
        dear_restarts=setting.dear_restarts,
    )


def _team(row: Table, queues: list[str], flavors: list[str]) -> TeamConfig:
    shortest, longest = row["hours"]
    return TeamConfig(
        name=row["name"],
        queue=queues.index(row["queue"]),
        kind=row["kind"],
        priority_class=row["class"],
        priority=row["priority"],
        flavors=tuple(flavors.index(name) for name in row["flavors"]),
        gpus=tuple(row["gpus"]),
        shortest=round(shortest * 60) * MINUTE,
        longest=round(longest * 60) * MINUTE,
        jobs=row.get("jobs", 0),
        submit=round(row.get("submit_h", 0) * 60) * MINUTE,
        due=round(row.get("due_h", 0) * 60) * MINUTE,
        load=float(row.get("load_gpus", 0.0)),
        plan=float(row.get("plan_gpus", 0.0)),
        partial=bool(row.get("partial", False)),
        protected=bool(row.get("protected", False)),
    )


def open_span(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One span of a family from a seed; KeyError for an unknown family."""
    config = cluster_config(profile, setting)
    requests = draw_requests(config, FAMILIES[family].shape, seed)
    return Episode(config, requests, draw_trouble(family, config, seed), seed, faults=faults)
