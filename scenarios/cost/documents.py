"""Contracts, policies and notes of the company: what they say follows from what is true of the bill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from scenarios.company.regions import around
from scenarios.cost.agreements import LEASE
from scenarios.cost.catalogue import traps
from scenarios.cost.charging import ends, usd
from scenarios.cost.cloud_other import SUPPORT_PERCENT
from scenarios.cost.draw import DISPLACED, READING_ARCHIVE, Scene, in_units
from scenarios.cost.jobs import history_of, preventable
from scenarios.cost.own import SUPPORT_YEARS
from scenarios.cost.seasons import events
from scenarios.cost.sellers import slug
from scenarios.packs.documents import fill

_TEXTS = Path(__file__).parent / "texts"
TITLES = {
    "contracts/colocation.md": "Contract: colocation",
    "contracts/cloud.md": "Contract: cloud",
    "contracts/software.md": "Contract: software",
    "contracts/support.md": "Contract: support",
    "contracts/leasing.md": "Contract: leased nodes",
    "policies/accounting.md": "Policy: accounting",
    "policies/bursting.md": "Policy: bursting",
    "policies/service-levels.md": "Policy: service levels",
    "policies/data-residency.md": "Policy: where data may be",
    "policies/retention.md": "Policy: retention",
    "policies/governance.md": "How GPUs are given out",
    "people/organisation.md": "Teams",
    "people/suggestions.md": "Suggestions of colleagues",
    "people/business.md": "The year ahead",
}
_BUSINESS = "people/business.md"


def documents(scene: Scene, least: int | None) -> Iterator[tuple[str, str, str]]:
    """(path, title, Markdown) of every document; `least`: cents that the cloud is to be paid next year."""
    words = {
        **_figures(scene),
        **_dates(scene),
        **_habits(scene),
        **_waves(scene),
        **_people(scene),
        **_bound(scene, least),
    }
    for path, title in TITLES.items():
        if path != _BUSINESS or scene.settings.business:
            file = _TEXTS / path
            yield path, title, fill(file.read_text(encoding="utf-8"), words, file)


def _figures(scene: Scene) -> Mapping[str, str]:
    site, policies = scene.profile.facility.sites[0], scene.profile.policies
    rate = scene.profile.per_usd
    return {
        "penalty": f"{round(40_000 * rate):,}",
        "lease": usd(in_units(LEASE, rate)),
        "reading_archive": usd(in_units(READING_ARCHIVE, rate)),
        "between_regions": usd(in_units(2_000, rate)),
        "away": around(scene.profile.first_region).away.key,
        "site": site.name,
        "kw": str(round(site.total_kw)),
        "kw_month": usd(scene.prices.kw_month),
        "kwh": usd(scene.prices.kwh),
        "pue": f"{site.pue:.2f}",
        "power_weeks": str(scene.profile.facility.power_weeks),
        "support_percent": str(SUPPORT_PERCENT),
        "support_years": str(SUPPORT_YEARS),
        "displaced": f"{DISPLACED:.1f}",
        "target": str(policies.get("availability_target_percent", 99.5)),
        "where": str(policies.get("data_residency", around(site.region).residency)),
    }


def _dates(scene: Scene) -> Mapping[str, str]:
    last = scene.months[-1].end
    left, commitment = ends(scene, "commitment", 1, 4)
    return {
        "colo_end": str(last.year + 2),
        "commitment_months": str(left),
        "commitment_end": str(commitment),
        "licences_end": str(ends(scene, "licences", 1, 4)[1]),
        "support_end": str(ends(scene, "support", 1, 3)[1]),
        "lease_end": str(ends(scene, "lease", 1, 4)[1]),
        "launch": str(date(last.year + last.month // 11, (last.month + 1) % 12 + 1, 15)),
    }


_HABITS = {
    "warm": (
        "cloud_poweroff",
        "stay up between jobs so that the next one finds them warm",
        "end 10 minutes after their last job",
    ),
    "borrow": (
        "fair_share",
        "A team's GPUs stand idle when it does not use them: nobody else may.",
        "What a team does not use, others may borrow at once.",
    ),
    "limits": (
        "time_limits",
        "Time limits are not checked; most people leave the default.",
        "Limits far beyond the run time are sent back.",
    ),
    "pack": (
        "binpack",
        "Jobs are spread over nodes, so that each has room.",
        "Small jobs are packed onto as few nodes as possible.",
    ),
    "idle": (
        "idle_reap",
        "Idle allocations are not looked for.",
        "An allocation that does nothing for two hours is ended, after a message.",
    ),
    "notebooks": ("notebook_ttl", "have no time limit", "end after two idle hours"),
    "show": (
        "chargeback",
        "Nobody is shown what their use costs. In a trial of a quarter, two teams that were shown"
        " used {part} less"
        " in the accounts of development and evaluation, and of data sets.",
        "Teams have paid for what they use since the year before this bill.",
    ),
}
"""Word -> the lever that decides, what is said where it is planted, and where it is not."""


def in_place(scene: Scene) -> frozenset[str]:
    """Levers of which the policies say that their rule holds already."""
    return frozenset(lever for lever, _, _ in _HABITS.values() if lever not in scene.planted)


def _habits(scene: Scene) -> Mapping[str, str]:
    return {
        word: (bad if lever in scene.planted else good).format(
            part=f"{scene.part['chargeback']:.0%}"
        )
        for word, (lever, bad, good) in _HABITS.items()
    }


def _waves(scene: Scene) -> Mapping[str, str]:
    """Hours of all burst instances together that jobs used on the quietest and on the fullest day."""
    pools = history_of(scene).pools.values()
    hours = [sum(days[day] for days in pools) for day in scene.days]
    return {"quiet": str(min(hours)), "fullest": str(max(hours))}


def _bound(scene: Scene, least: int | None) -> Mapping[str, str]:
    """What is said only where the level binds the coming year: an undertaking, and a trial of checks."""
    if least is None:
        return {"undertaking": "", "checks": ""}
    first = scene.months[-1].end
    until = date(first.year + 1, first.month, 1)
    return {
        "undertaking": f"7. **Least sum.** From {first} to {until} the company takes services of at least"
        f" **{round(least / 100):,} USD**. Every\n"
        "   invoice of Nimbus Cloud counts, instalments of commitments and the support plan too. What is"
        " missing at the end is\n   invoiced, without any claim to later services.\n",
        "checks": "9. Checks of nodes and input before a job starts were tried on a fifth of the nodes for two"
        f" quarters: of the GPU-hours that\n   failures had taken there, **{preventable(scene):.0%}** were no"
        " longer lost. The rest failed in ways that no check sees.\n",
    }


def _people(scene: Scene) -> Mapping[str, str]:
    teams = [
        f"| {team.name} | `{slug(team.name)}` | {team.headcount} | {team.gpu_share:.0%} |"
        for team in scene.profile.teams
    ]
    accounts = {
        "serving": "serving-prod",
        "small": "serving-small",
        "burst": "cluster-burst",
        "dev": "research-dev",
        "batch": "data-batch",
        "eval": "model-eval",
    }
    campaign, down = events(scene)
    roles = [f"| `{account}` | {scene.roles[role].name} |" for role, account in accounts.items()]
    return {
        "campaign": f"{campaign:%B %Y}",
        "down": f"{down:%B %Y}",
        "burst": scene.roles["burst"].name,
        "rows": "\n".join(teams),
        "roles": "\n".join(roles),
        "baits": "\n".join(f"- {traps()[key].bait}" for key in scene.baits),
    }
