"""What is paid by contract: software, leased nodes and maintenance, month by month."""

from __future__ import annotations

from scenarios.cost.charging import ends, instalment, last_notice, monthly, spread_out, usd
from scenarios.cost.draw import Scene, in_units
from scenarios.cost.outcome import Cells, Part, Table, gathered, worth
from scenarios.cost.own import SUPPORT_YEARS, assets_of
from scenarios.cost.rows import Thing, split
from scenarios.cost.sellers import LESSOR, OWN, SUITE, SUPPORT
from scenarios.cost.skus import sold

LEASE = 620_000
"""Cents for a leased node and month."""
_OLD = 9_600_000
"""Cents a year for the maintenance of old kit, beside 160 GPUs."""


def agreed(scene: Scene) -> Part:
    """Software, leases and maintenance."""
    return gathered(scene, _software, _lease, _maintenance)


def _software(scene: Scene) -> Part:
    gpus, hosts = scene.gpus, sum(kind.count for kind in scene.profile.node_types)
    people = max(8, sum(team.headcount for team in scene.profile.teams) // 3)
    used = round(gpus * (1 - scene.part["licences"]))
    left, end = ends(scene, "licences", 1, 4)
    products = (
        ("lic.suite", gpus, used, scene.prices.licence_month),
        ("lic.monitoring", hosts, hosts, in_units(11_500, scene.profile.per_usd)),
        ("lic.scheduler", hosts, hosts, in_units(9_000, scene.profile.per_usd)),
        ("lic.desktop", people, people, in_units(3_800, scene.profile.per_usd)),
    )
    rows, table = [], []
    for line, seats, busy, cents in products:
        sku = sold(line, cents)
        table.append((sku.service, seats, busy, f"{end}"))
        said = f"{sku.service}: {seats} seats"
        rows += [monthly(scene, line, sku, SUITE, month, seats, said) for month in scene.months]
    how = (
        f"{used} of {gpus} licensed GPUs ran anything of the suite in 90 days; the rest can be left out"
        f" from {end} on, with notice by {last_notice(end)}, for {12 - left} of the coming twelve months."
    )
    part = (gpus - used) / gpus * (12 - left) / 12
    head = ("product", "seats_paid", "seats_used_in_90_days", "renewal")
    return Part(
        rows,
        {"costs/licences.csv": Table("Licences", head, table)},
        [worth("licences", "lic.suite", part, how, "costs/licences.csv", "contracts/software.md")],
    )


def _lease(scene: Scene) -> Part:
    count, sku = (
        max(2, round(3 * scene.scale)),
        sold("lease", in_units(LEASE, scene.profile.per_usd)),
    )
    planted, draw = "return_lease" in scene.planted, scene.stream("lease")
    back = max(1, round(count * scene.part["return_lease"])) if planted else 0
    rows, table = [], []
    for month in scene.months:
        for n in range(count):
            thing = Thing(f"lease-{n + 1:02d}", f"Leased node {n + 1}", "Leased node")
            said = f"Lease of node {n + 1}"
            rows.append(monthly(scene, "lease.nodes", sku, LESSOR, month, 1, said, thing))
            busy = draw.between(1, 6) if n < back else draw.between(74, 91)
            table.append((month.name, thing.id, round(busy)))
    left, end = ends(scene, "lease", 1, 4)
    how = (
        f"{back} of {count} leased nodes are used below 6 %; the lease of each can end on {end}"
        f" with notice by {last_notice(end)},"
        f" {12 - left} months of twelve."
    )
    part = back / count * (12 - left) / 12
    path = "usage/leased-nodes.csv"
    return Part(
        rows,
        {path: Table("Leased nodes", ("month", "node", "allocated_percent"), table)},
        [worth("return_lease", "lease.nodes", part, how, path, "contracts/leasing.md")],
    )


def _prepaid(scene: Scene, line: str) -> list[int]:
    """Cents of support by month for the assets of a line that were bought, and are within their term."""
    part = scene.profile.price_book.support_percent / 100
    assets = [asset for asset in assets_of(scene) if asset.line == line]
    found = []
    for at, month in enumerate(scene.months):
        held = [one.cents for one in assets if 0 <= one.age(month) < 12 * SUPPORT_YEARS]
        found.append(split(round(sum(held) * part), 12)[at])
    return found


def _maintenance(scene: Scene) -> Part:
    parts = {
        "sup.nodes": _prepaid(scene, "dc.nodes"),
        "sup.fabric": _prepaid(scene, "dc.fabric"),
        "sup.old": split(round(_OLD * scene.profile.per_usd * scene.scale), 12),
    }
    year = {line: sum(cents) for line, cents in parts.items()}
    rows = []
    for line, months in parts.items():
        sku = sold(line)
        for month, cents in zip(scene.months, months, strict=True):
            if line == "sup.old":
                rows.append(instalment(scene, line, sku, SUPPORT, month, cents, sku.service))
            elif cents:
                rows.append(
                    spread_out(scene, line, sku, OWN, month, cents, f"{sku.service}, prepaid")
                )
    left, end = ends(scene, "support", 1, 3)
    less = scene.part["third_party"] if "third_party" in scene.planted else 0.0
    quote = round(year["sup.old"] * (1 - less if less else 1.02))
    table: list[Cells] = [
        ("GPU nodes", usd(year["sup.nodes"]), "prepaid", 61, ""),
        ("Fabric", usd(year["sup.fabric"]), "prepaid", 9, ""),
        ("Old storage and CPU nodes", usd(year["sup.old"]), f"{end}", 4, usd(quote)),
    ]
    how = (
        f"A third party asks {usd(quote)} USD a year for the old kit, against {usd(year['sup.old'])} now,"
        f" from {end} on, with notice by {last_notice(end)}: {12 - left} of twelve months."
    )
    head = ("what", "usd_a_year", "renewal", "tickets_of_the_year", "third_party_quote_usd")
    path, part = "costs/support.csv", less * (12 - left) / 12
    found = worth("third_party", "sup.old", part, how, path, "contracts/support.md")
    return Part(rows, {path: Table("Support", head, table)}, [found])
