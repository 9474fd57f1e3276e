"""What the placeholders of a pack's texts stand for."""

from __future__ import annotations

from scenarios.company.profile import Profile
from scenarios.worlds.cluster_priorities.config import DEADLINE, CohortWorldConfig
from scenarios.worlds.cluster_priorities.setting import Setting, cluster_config


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """Prices in USD for an hour of a node, GPUs and hours as numbers, tables as Markdown."""
    config = cluster_config(profile, setting)
    spot = next(flavor.price for flavor in config.flavors if flavor.spot)
    ondemand = next(flavor.price for flavor in config.flavors if not flavor.spot)
    return {
        "cluster": profile.cluster,
        "nodes": str(sum(flavor.nodes for flavor in config.flavors)),
        "gpus": str(sum(flavor.capacity for flavor in config.flavors)),
        "hours": str(setting.hours),
        "days": str(setting.hours // 24),
        "ondemand_price": f"{ondemand:.2f}",
        "spot_price": f"{spot:.2f}",
        "overflow_price": f"{config.overflow_price:.2f}",
        "budget": f"{config.budget:.0f}",
        "flavor_table": _flavor_table(config),
        "quota_table": _quota_table(config),
        "night_table": _night_table(config),
        "team_table": _team_table(config),
    }


def _flavor_table(config: CohortWorldConfig) -> str:
    lines = [
        "| flavour | region | nodes | GPUs | price of a node in use |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{f.name}` | {f.region} | {f.nodes} | {f.capacity} | {f.price:.2f} USD an hour |"
        for f in config.flavors
    ]
    return "\n".join(lines)


def _number(limit: int | None) -> str:
    return "no limit" if limit is None else str(limit)


def _quota_table(config: CohortWorldConfig) -> str:
    lines = [
        "| queue | cohort | flavour | nominal | may borrow | lends at most |",
        "|---|---|---|---|---|---|",
    ]
    for row in config.queues:
        for flavor, quota in row.quotas.items():
            lines.append(
                f"| `{row.name}` | {row.cohort} | `{config.flavors[flavor].name}` | {quota.nominal} |"
                f" {_number(quota.borrowing)} | {_number(quota.lending)} |"
            )
    return "\n".join(lines)


def _night_table(config: CohortWorldConfig) -> str:
    lines = ["| queue | flavour | by day | by night |", "|---|---|---|---|"]
    for row in config.queues:
        for flavor, night in row.night.items():
            day = row.quotas[flavor].nominal
            lines.append(f"| `{row.name}` | `{config.flavors[flavor].name}` | {day} | {night} |")
    return "\n".join(lines)


def _clock(moment: int) -> str:
    return f"{moment // 3_600_000:02d}:{moment // 60_000 % 60:02d}"


def _team_table(config: CohortWorldConfig) -> str:
    lines = [
        "| team | queue | what it sends | class | GPUs each | run time | flavours |",
        "|---|---|---|---|---|---|---|",
    ]
    for team in config.teams:
        what = {
            DEADLINE: f"{team.jobs} retrainings a day from {_clock(team.submit)}, due at {_clock(team.due)}",
            "adhoc": f"experiments, {team.load:g} GPUs on average",
            "long": f"long preprocessing, promised {team.plan:g} GPUs on average",
        }[team.kind]
        sizes = " or ".join(str(size) for size in sorted(set(team.gpus)))
        flavors = ", ".join(f"`{config.flavors[number].name}`" for number in team.flavors)
        span = f"{team.shortest / 3_600_000:g} to {team.longest / 3_600_000:g} h"
        label = f"`{team.priority_class}` ({team.priority})"
        protected = ", protected" if team.protected else ""
        lines.append(
            f"| {team.name} | `{config.queues[team.queue].name}` | {what}{protected} | {label} |"
            f" {sizes} | {span} | {flavors} |"
        )
    return "\n".join(lines)
